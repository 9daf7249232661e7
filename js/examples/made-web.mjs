// A web that is made up: each page has its links, the same ones in every process.
import { random } from './random.mjs';

const HOST = 'https://web.example';

export const pageUrl = (page) => `${HOST}/page/${page}`;

/** The URLs that a page links to. All pages of a web of `size` pages can be reached from page 0. */
export function linksOf(url, size) {
  const page = Number(url.slice(pageUrl('').length));
  const next = random(page);
  // Two that few others link to, and some that many do.
  const own = [2 * page + 1, 2 * page + 2].filter((other) => other < size);
  const length = Math.floor(12 * next());
  const popular = Array.from({ length }, () => Math.floor(size * next() ** 3));
  return [...own, ...popular].map(pageUrl);
}
