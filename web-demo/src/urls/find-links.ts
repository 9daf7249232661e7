import { linkifyit } from 'linkify-it';
import tlds from 'tlds';

const finder = linkifyit({ fuzzyLink: true, fuzzyEmail: true, urlAuth: true, tlds });

/** The links in a text, without duplicates. A mail address stands for its domain. */
export function findLinks(text: string): string[] {
  const links = (finder.match(text) ?? []).map(({ url, schema }) =>
    schema === 'mailto:' ? `http://${url.slice(url.lastIndexOf('@') + 1)}/` : url,
  );
  return [...new Set(links)];
}
