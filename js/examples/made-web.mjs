// A made-up web. Each page has the same links in every process.
import { random } from './random.mjs';

const HOST = 'https://web.example';

export const pageUrl = (page) => `${HOST}/page/${page}`;

/** The URLs that a page links to. All pages of a web of `size` pages can be reached from page 0. */
export function linksOf(url, size) {
  const page = Number(url.slice(pageUrl('').length));
  const next = random(page);
  // Two links lead to pages with few links, and some to pages with many.
  const own = [2 * page + 1, 2 * page + 2].filter((other) => other < size);
  const length = Math.floor(12 * next());
  const popular = Array.from({ length }, () => Math.floor(size * next() ** 3));
  return [...own, ...popular].map(pageUrl);
}
