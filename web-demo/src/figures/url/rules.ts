// The rules that make a URL canonical, one by one: FORMAT.md, section 6.2. The package returns only the last form.
// `peel` throws if its own last form differs.
import { canonicalize } from 'tamis/url';

/** The effect of one rule. */
export interface Peeled {
  /** Its step in FORMAT.md, section 6.2. */
  readonly rule: number;
  readonly says: string;
  /** The URL before the rule, one character per byte: character 233 is byte 233. */
  readonly before: string;
  readonly after: string;
}

/** A URL in its parts. It is a plain text until rules 3 and 4 have split it. */
interface Parts {
  readonly scheme: string;
  readonly authority: string;
  readonly path: string;
  /** The query with its question mark, or an empty text. */
  readonly query: string;
}

const SAYS = {
  blanks: 'Blanks and control characters at the ends mean nothing.',
  fragment: 'The server never sees what stands behind the #.',
  tabs: 'Browsers drop tabs and line breaks everywhere.',
  escapes: 'An escape such as %61 is the letter a in disguise.',
  again: 'Undone escapes may give new ones. They are undone again, until none is left.',
  noScheme: 'A URL without a scheme gets http.',
  scheme: 'Capitals in the scheme become small letters.',
  user: 'What stands in front of the last @ is a user name. It is no host.',
  port: 'The port does not count.',
  root: 'An empty path is a slash.',
  dots: 'One dot stands for its folder, and two dots for the one above.',
  slashes: 'A run of slashes is one slash.',
  lower: 'Hosts do not tell capitals from small letters.',
  hostDots: 'Needless dots in the host are dropped.',
  idna: 'A host in other letters has one spelling in ASCII.',
  address: 'An IP address has many spellings, and one canonical form.',
  escape: 'What no URL may hold is escaped, in capitals.',
} as const;

/** The UTF-8 bytes of a text, one character each. */
export const bytesOf = (text: string): string =>
  String.fromCharCode(...new TextEncoder().encode(text));
const textOf = (bytes: string): string =>
  new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));

const unescapeOnce = (text: string): string =>
  text.replace(/%([\da-f]{2})/gi, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16)));

function split(text: string): Parts {
  const [, scheme, rest] = /^([a-z][a-z\d+.-]*):\/\/(.*)$/is.exec(text) as RegExpExecArray;
  const [, authority, path, query] = /^([^/?]*)([^?]*)(.*)$/s.exec(rest as string) as unknown as [
    string,
    string,
    string,
    string,
  ];
  return { scheme: scheme as string, authority, path, query };
}

const join = ({ scheme, authority, path, query }: Parts): string =>
  `${scheme}://${authority}${path}${query}`;

function addScheme(text: string): string {
  const known = /^[a-z][a-z\d+.-]*:/i.exec(text)?.[0];
  if (known === undefined) return `http://${text.replace(/^\/\//, '')}`;
  return known.toLowerCase() + text.slice(known.length);
}

function resolveDots(path: string): string {
  const segments = path.split('/').slice(1);
  const kept: string[] = [];
  segments.forEach((segment, i) => {
    if (segment !== '.' && segment !== '..') kept.push(segment);
    else {
      if (segment === '..') kept.pop();
      if (i === segments.length - 1) kept.push('');
    }
  });
  return `/${kept.join('/')}`;
}

const lowerAscii = (text: string): string => text.replace(/[A-Z]/g, (c) => c.toLowerCase());

/** The ideographic dots are in UTF-8 here. */
const trimDots = (host: string): string =>
  host
    .replace(/\xe3\x80\x82|\xef\xbc\x8e|\xef\xbd\xa1/g, '.')
    .replace(/\.+/g, '.')
    .replace(/^\.|\.$/g, '');

function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}

const toAscii = (host: string): string =>
  /[\x80-\xff]/.test(host) ? (hostOf(`http://${textOf(host)}/`) ?? host) : host;

/** The eight groups of an IPv6 address in the form of RFC 5952. */
function groupsOf(address: string): number[] {
  const [left = '', right] = address.split('::');
  const read = (part: string) =>
    part === '' ? [] : part.split(':').map((digits) => Number.parseInt(digits, 16));
  const [first, last] = [read(left), read(right ?? '')];
  return [...first, ...Array(8 - first.length - last.length).fill(0), ...last];
}

function toAddress(host: string): string {
  const parsed = hostOf(`http://${host}/`) ?? host;
  if (/^\d+(\.\d+){3}$/.test(parsed)) return parsed;
  if (!host.startsWith('[')) return host;
  const groups = groupsOf(parsed.slice(1, -1));
  const front = groups.slice(0, 6).join();
  if (front !== '0,0,0,0,0,65535' && front !== `100,${0xff9b},0,0,0,0`) return parsed;
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 255])
    .join('.');
}

const escapeBytes = (text: string): string =>
  text.replace(
    /[^\x21-\x7e]|[#%]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );

/**
 * The effect of each rule that changes the URL, in order. Throws if the URL has no canonical form, or if the package's
 * last form differs.
 */
export function peel(url: string): readonly Peeled[] {
  const peeled: Peeled[] = [];
  const end = canonicalize(url);
  let text = bytesOf(url);
  const become = (rule: number, says: keyof typeof SAYS, after: string) => {
    if (after !== text) peeled.push({ rule, says: SAYS[says], before: text, after });
    text = after;
  };
  become(1, 'blanks', text.replace(/^[\0-\x20]+|[\0-\x20]+$/g, ''));
  become(1, 'fragment', text.replace(/#.*$/s, ''));
  become(2, 'tabs', text.replace(/[\t\n\r]/g, ''));
  for (let round = 0; unescapeOnce(text) !== text; round++) {
    become(2, round === 0 ? 'escapes' : 'again', unescapeOnce(text));
  }
  become(3, /^[a-z][a-z\d+.-]*:/i.test(text) ? 'scheme' : 'noScheme', addScheme(text));
  const change = (rule: number, says: keyof typeof SAYS, to: (parts: Parts) => Partial<Parts>) => {
    const parts = split(text);
    become(rule, says, join({ ...parts, ...to(parts) }));
  };
  const changeHost = (rule: number, says: keyof typeof SAYS, to: (host: string) => string) =>
    change(rule, says, ({ authority }) => ({ authority: to(authority) }));
  changeHost(4, 'user', (host) => host.slice(host.lastIndexOf('@') + 1));
  changeHost(4, 'port', (host) => host.replace(/:\d*$/, ''));
  change(5, 'root', ({ path }) => ({ path: path || '/' }));
  change(5, 'dots', ({ path }) => ({ path: resolveDots(path) }));
  change(5, 'slashes', ({ path }) => ({ path: path.replace(/\/+/g, '/') }));
  changeHost(6, 'lower', lowerAscii);
  changeHost(6, 'hostDots', trimDots);
  changeHost(7, 'idna', (host) => trimDots(lowerAscii(toAscii(host))));
  changeHost(8, 'address', toAddress);
  change(9, 'escape', ({ authority, path, query }) => ({
    authority: escapeBytes(authority),
    path: escapeBytes(path),
    query: escapeBytes(query),
  }));
  if (text !== end) throw new Error(`the rules give ${text}, and the package ${end}`);
  return peeled;
}

/** One boolean per character of a text: true for the parts that the other text does not have. */
export function differing(text: string, other: string): boolean[] {
  // The longest common subsequence, computed from the ends.
  const lengths = Array.from({ length: text.length + 1 }, () => new Uint16Array(other.length + 1));
  const at = (i: number, j: number): number => lengths[i]?.[j] as number;
  for (let i = text.length - 1; i >= 0; i--) {
    for (let j = other.length - 1; j >= 0; j--) {
      const same = text[i] === other[j];
      (lengths[i] as Uint16Array)[j] = same
        ? at(i + 1, j + 1) + 1
        : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const differs = Array<boolean>(text.length).fill(true);
  for (let i = 0, j = 0; i < text.length && j < other.length; ) {
    if (text[i] === other[j]) {
      differs[i++] = false;
      j++;
    } else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return differs;
}
