// The package's look-ups for a text: FORMAT.md, section 6.1.
import { canonicalize, expressions, hashExpression, navigationUrl, type UrlList } from 'tamis/url';
import { entries, type ListBytes, readList, shapeOf } from './list';
import { type Peeled, peel } from './rules';

/** One expression of a URL. */
export interface Looked {
  readonly expression: string;
  readonly hash: Uint8Array;
  /** The first 4 bytes of the hash. */
  readonly prefix: number;
  /** True if the list may hold expressions of this shape. */
  readonly searched: boolean;
  readonly hit: boolean;
}

export interface LookUp {
  readonly text: string;
  /** The page that the browser opens. */
  readonly page: string;
  readonly canonical: string;
  /** True if the text alone leads to the same canonical form as the page. */
  readonly isPlain: boolean;
  readonly peeled: readonly Peeled[];
  readonly looked: readonly Looked[];
  readonly list: ListBytes;
  readonly answer: 'safe' | 'maybe';
  /** True if one of the expressions is really listed. */
  readonly isListed: boolean;
}

/** The maximum length of a URL. Longer URLs make a figure that nobody reads. */
const LONGEST = 300;

const isWeb = (url: string): boolean =>
  URL.canParse(url) && /^(https?|wss?|ftp):$/.test(new URL(url).protocol);

function canonicalOf(url: string): string | undefined {
  try {
    return canonicalize(url);
  } catch {
    // A URL without a canonical form leads to no page.
    return undefined;
  }
}

/** The folders with their escapes as written, because a server may not decode an escape in the path. */
function writtenFolders(page: string): string[] {
  const [, origin = '', path = ''] = /^([^:]+:\/\/[^/?#]*)(\/[^?#]*)/.exec(page) ?? [];
  if (!/%2[5ef]/i.test(path)) return [];
  const names = path.split(/\/+/, 5).slice(1, -1);
  return names.map((_, i) => `${origin}/${names.slice(0, i + 1).join('/')}/`);
}

/** The expressions of such a folder itself, for each host. */
function folderExpressions(folder: string): string[] {
  const all = expressions(folder);
  return all.filter((expression) => shapeOf(expression) === shapeOf(all[0] as string));
}

function lookAt(expression: string, list: ListBytes): Looked {
  const hash = hashExpression(expression);
  const prefix = new DataView(hash.buffer).getUint32(0);
  const searched = (list.shapes & shapeOf(expression)) !== 0;
  const hit = searched && list.prefixes.includes(prefix);
  return { expression, hash, prefix, searched, hit };
}

/** Looks a text up. Returns undefined if browsers do not surely open the text as a page of the web. */
export function lookUp(list: UrlList, text: string): LookUp | undefined {
  if (text.length > LONGEST) throw new Error(`The figure takes up to ${LONGEST} characters.`);
  const answer = list.check(text);
  const page = navigationUrl(text);
  const canonical = canonicalOf(page);
  if (answer === 'invalid' || canonical === undefined || !isWeb(page)) return undefined;
  const isPlain = canonicalOf(text) === canonical;
  const bytes = readList(list);
  const all = new Set(expressions(page));
  for (const folder of writtenFolders(page)) {
    for (const expression of folderExpressions(folder)) all.add(expression);
  }
  const looked = [...all].map((expression) => lookAt(expression, bytes));
  const mine = looked.filter(({ hit }) => hit).map(({ expression }) => expression);
  const its = list.hits(text).map(({ expression }) => expression);
  if (mine.sort().join() !== its.sort().join() || (answer === 'maybe') !== mine.length > 0) {
    throw new Error(`the figure finds ${mine}, and the package ${its}`);
  }
  return {
    text,
    page,
    canonical,
    isPlain,
    peeled: peel(isPlain ? text : page),
    looked,
    list: bytes,
    answer,
    isListed: looked.some(({ expression }) => entries.includes(expression)),
  };
}

/** The listed expression that begins with the same 4 bytes as a hit. */
export function culpritOf({ prefix }: Looked): string {
  const found = entries.find(
    (entry) => new DataView(hashExpression(entry).buffer).getUint32(0) === prefix,
  );
  if (found === undefined) throw new Error('a hit without an entry');
  return found;
}
