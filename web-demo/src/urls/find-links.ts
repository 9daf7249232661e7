import { linkifyit } from 'linkify-it';
import tlds from 'tlds';

const finder = linkifyit({ fuzzyLink: true, fuzzyEmail: true, urlAuth: true, tlds });

/**
 * What there is to check in a text: one word is a URL as it stands, of more the links in it. A mail
 * address stands for its domain.
 */
export function findLinks(text: string): string[] {
  const word = text.trim();
  if (word === '') return [];
  if (!/\s/.test(word)) return [word];
  const links = (finder.match(word) ?? []).map(({ url, schema }) =>
    schema === 'mailto:' ? `http://${url.slice(url.lastIndexOf('@') + 1)}/` : url,
  );
  return [...new Set(links)];
}
