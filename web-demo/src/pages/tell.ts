// Tasks and their requests in words.
import type { PagesManifest } from 'tamis/remote';
import { integer, messageOf, plural } from '../format';
import type { Task } from './look-ups';
import { pagesOfRange } from './page-finder';
import type { Exchange } from './traffic';

/** The purpose of a request, for those who know the password. To the host all pages look alike. */
export type Role = 'manifest' | 'wanted' | 'decoy';

export type Outcome = 'running' | 'verified' | 'received' | 'refused' | 'unanswered' | 'ended';

/** True if another look-up began in the meantime. */
export const isAbort = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'AbortError';

/** The numbers of the pages in a request's answer, from 0. The manifest has none. */
export function pagesOf({ url, range }: Exchange, manifest: PagesManifest): number[] {
  return range === undefined ? [] : pagesOfRange(url, range, manifest);
}

export function roleOf({ page }: Task, exchange: Exchange, manifest?: PagesManifest): Role {
  if (exchange.range === undefined || manifest === undefined) return 'manifest';
  return page !== undefined && pagesOf(exchange, manifest).includes(page) ? 'wanted' : 'decoy';
}

/** The result of a request, as far as its task shows it. */
export function outcomeOf(task: Task, exchange: Exchange, role: Role): Outcome {
  const { exchanges, isOpen, answer, error, isDone } = task;
  // No answer needs a decoy, and nobody is told whether it was useful.
  if (role === 'decoy' && exchange.isBrokenOff) return 'ended';
  if (exchange.failure !== undefined) return isAbort(error) ? 'ended' : 'unanswered';
  if (role === 'decoy') return exchange.ms === undefined ? 'running' : 'received';
  const last = exchanges.findLast(({ url, range }) => {
    return url === exchange.url && range === exchange.range;
  });
  if (exchange !== last) return 'refused';
  if (role === 'manifest' ? isOpen : answer !== undefined) return 'verified';
  if (!isDone) return 'running';
  return isAbort(error) ? 'ended' : 'refused';
}

const SAID: Readonly<Record<Outcome, Readonly<Record<Role, string>>>> = {
  running: { manifest: 'on its way', wanted: 'on its way', decoy: 'on its way' },
  verified: { manifest: 'signature verified', wanted: 'proof verified', decoy: '' },
  received: { manifest: '', wanted: '', decoy: 'a decoy' },
  refused: { manifest: 'refused', wanted: 'refused', decoy: '' },
  unanswered: { manifest: 'no answer', wanted: 'no answer', decoy: 'a decoy, no answer' },
  ended: { manifest: 'broken off', wanted: 'broken off', decoy: 'a decoy, broken off' },
};

export const saidOf = (outcome: Outcome, role: Role): string => SAID[outcome][role];

/** The answer to a request, in figures. */
export function answerOf(exchange: Exchange): string {
  const { status, bytes, transferBytes, encoding, ms, failure, isBrokenOff } = exchange;
  if (status === undefined && isBrokenOff) return 'Broken off';
  if (failure !== undefined) return `No answer: ${failure}`;
  if (status === undefined) return 'Waiting for an answer';
  const parts = [`Status ${status}`];
  parts.push(bytes > 0 ? `${plural(bytes, 'byte')} of body` : 'body not read');
  if (encoding !== undefined) parts.push(`sent as ${encoding}`);
  if (transferBytes === 0) parts.push("from the browser's cache");
  else if (transferBytes !== undefined) parts.push(`${integer(transferBytes)} with headers`);
  if (ms !== undefined) parts.push(`${ms.toFixed(0)} ms`);
  return parts.join(', ');
}

/** The cost of a task. */
export function costOf({ kind, exchanges, isDone, error }: Task): string {
  const bytes = exchanges.reduce((sum, exchange) => sum + exchange.bytes, 0);
  if (exchanges.length > 0)
    return `${plural(exchanges.length, 'request')}, ${plural(bytes, 'byte')}`;
  if (kind === 'open' || !isDone || error !== undefined) return '0 requests';
  return '0 requests: its page was here';
}

/** The library's text of an error, and its meaning here. */
export function failureOf(task: Task, manifest?: PagesManifest): string {
  const { error, exchanges } = task;
  const said = messageOf(error);
  const { code = '' } = Object(error) as { code?: string };
  const message = code && !said.startsWith(code) ? `${code}: ${said}` : said;
  // If a page is missing, the manifest is fetched again. No answer needs a decoy.
  const last =
    exchanges.findLast((one) => roleOf(task, one, manifest) === 'wanted') ?? exchanges.at(-1);
  return `${message}. ${last === undefined ? '' : meaningOf(last, code)}`.trim();
}

/** The errors for bytes that differ from the published ones. */
const OTHER_BYTES = ['ERR_TAMIS_CORRUPT', 'ERR_TAMIS_TRUNCATED', 'ERR_TAMIS_BAD_SIGNATURE'];

function meaningOf(exchange: Exchange, code: string): string {
  const { status, range, encoding, failure, isDamaged, isCutOff } = exchange;
  if (isCutOff) return 'The button of this page cuts off the host.';
  if (isDamaged) return 'The button of this page damaged a bit on the way.';
  if (failure !== undefined) {
    // Browsers ask for ranges without compression, and some accept nothing else.
    return `The host is out of reach${range === undefined ? '' : ', or compresses its files'}.`;
  }
  if (encoding !== undefined && range !== undefined) {
    return 'This host compresses the pages. Have it send files that end in .pages as they are.';
  }
  if (status === 200 && range !== undefined) {
    return 'This host sends whole files where a range is wanted. Take one that answers ranges.';
  }
  if (status === 404) return 'A file of the list is not on this host.';
  return OTHER_BYTES.includes(code) ? 'The bytes that came are not the signed bytes.' : '';
}
