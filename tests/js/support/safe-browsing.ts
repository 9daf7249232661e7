/** A Safe Browsing v5 server that replaces `fetch`. It encodes messages by itself. */
import { afterEach } from '@jest/globals';
import { SafeBrowsing, type SafeBrowsingOptions } from 'tamis/safe-browsing';
import { riceEncode } from 'tamis/url';

import { type Seams, seams } from './seams.js';
import { Clock, hex, sha256 } from './url-publisher.js';
import { turn } from './waiting.js';

const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'));

/** The SHA-256 of an expression, in hexadecimal. */
export const hashOf = (expression: string): string => sha256(new TextEncoder().encode(expression));

/** The sorted prefixes of expressions, in hexadecimal. */
export const prefixesOf = (expressions: readonly string[], width = 4): string[] =>
  [...new Set(expressions.map((one) => hashOf(one).slice(0, 2 * width)))].sort();

function varint(value: number | bigint): number[] {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return [...bytes, Number(rest)];
}
const fixed64 = (value: bigint): number[] =>
  Array.from({ length: 8 }, (_, i) => Number((value >> BigInt(8 * i)) & 255n));

/** Encodes a field: an integer, eight bytes as 16 digits, or bytes with a length. */
export function field(
  number: number,
  value: number | bigint | readonly number[] | Uint8Array,
): number[] {
  if (typeof value === 'number' || typeof value === 'bigint') {
    return [...varint(8 * number), ...varint(value)];
  }
  return [...varint(8 * number + 2), ...varint(value.length), ...value];
}

/** Encodes one or more integers in Rice coding. */
export function riceField(prefixes: readonly string[]): number[] {
  const width = (prefixes[0] as string).length / 2;
  const { firstValue, parameter, entriesCount, data } = riceEncode(
    bytesOf(prefixes.join('')),
    (8 * width) as 32,
  );
  const parts = hex(firstValue).match(/.{1,16}/g) as string[];
  const first = parts.flatMap((part, i) => {
    const value = BigInt(`0x${part}`);
    return i === 0 ? field(1, value) : [...varint(8 * (i + 1) + 1), ...fixed64(value)];
  });
  const next = parts.length + 1;
  return [
    ...first,
    ...field(next, parameter),
    ...field(next + 1, entriesCount),
    ...field(next + 2, data),
  ];
}

const indexPrefix = (index: number): string => index.toString(16).padStart(8, '0');
const additionsAt: Readonly<Record<number, number>> = { 4: 4, 8: 9, 16: 10, 32: 11 };

export interface ListMessage {
  name: string;
  version: string;
  isPartial: boolean;
  additions: readonly string[];
  removals: readonly number[];
  waitSeconds: number;
  sha256: string;
  /** Fields to append, which override the others. */
  more?: readonly number[];
}

export function listMessage(list: ListMessage): number[] {
  const { additions, removals } = list;
  const width = (additions[0] ?? '').length / 2;
  return [
    ...field(1, new TextEncoder().encode(list.name)),
    ...field(2, bytesOf(list.version)),
    ...field(3, list.isPartial ? 1 : 0),
    ...(additions.length > 0 ? field(additionsAt[width] as number, riceField(additions)) : []),
    ...(removals.length > 0 ? field(5, riceField(removals.map(indexPrefix))) : []),
    ...field(6, field(1, list.waitSeconds)),
    ...(list.sha256 === '' ? [] : field(7, bytesOf(list.sha256))),
    ...(list.more ?? []),
  ];
}

/** The listed expressions and their threats. */
export type Threats = Readonly<
  Record<string, readonly { type: number; attributes?: readonly number[] }[]>
>;

interface ServedList {
  /** The sorted prefixes of each version, in hexadecimal. */
  readonly versions: (readonly string[])[];
}

export interface Request {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  readonly redirect: string | undefined;
  readonly referrerPolicy: string | undefined;
  readonly signal: AbortSignal;
}

export const EVERY_SECONDS = 1800;

/** A server whose versions are a single byte, their number, starting with 1. */
export class FakeGoogle {
  readonly lists: Record<string, ServedList> = {};
  threats: Threats = {};
  cacheSeconds = 300;
  waitSeconds = EVERY_SECONDS;
  readonly requests: Request[] = [];
  /** Changes a list in an answer. */
  change: (message: ListMessage, told: string | undefined) => void = () => {};
  /** Changes the order or the content of an answer. */
  arrange: (lists: number[][]) => number[][] = (lists) => lists;
  /** Returns another answer instead. */
  instead: (request: Request) => Response | Promise<Response> | undefined = () => undefined;

  serve(name: string, ...versions: (readonly string[])[]): void {
    this.lists[name] = { versions };
  }

  push(name: string, prefixes: readonly string[]): void {
    this.lists[name]?.versions.push(prefixes);
  }

  get searches(): string[][] {
    const found = this.requests.filter(({ path }) => path.endsWith('hashes:search'));
    return found.map(({ query }) =>
      query.getAll('hashPrefixes').map((one) => Buffer.from(one, 'base64url').toString('hex')),
    );
  }

  get updates(): Request[] {
    return this.requests.filter(({ path }) => path.endsWith('hashLists:batchGet'));
  }

  readonly fetch = async (url: string, init: RequestInit): Promise<Response> => {
    await turn();
    const { pathname, searchParams } = new URL(url);
    const request = {
      path: pathname,
      query: searchParams,
      headers: new Headers(init.headers),
      redirect: init.redirect,
      referrerPolicy: init.referrerPolicy,
      signal: init.signal as AbortSignal,
    };
    this.requests.push(request);
    const instead = await this.instead(request);
    if (instead !== undefined) return instead;
    const body = pathname.endsWith('search')
      ? this.#search(searchParams)
      : this.arrange(this.#batch(searchParams)).flatMap((list) => field(1, list));
    return new Response(Uint8Array.from(body), {
      headers: { 'Content-Type': 'application/x-protobuf' },
    });
  };

  #batch(query: URLSearchParams): number[][] {
    const told = query
      .getAll('version')
      .map((one) => Buffer.from(one, 'base64url').toString('hex'));
    return query.getAll('names').map((name) => {
      const { versions } = this.lists[name] as ServedList;
      const own = told.find((one) => one.startsWith(Buffer.from(name).toString('hex')));
      const known = own === undefined ? 0 : Number.parseInt(own.slice(-2), 16);
      const old = versions[known - 1];
      const now = versions.at(-1) as readonly string[];
      const message: ListMessage = {
        name,
        // The version alone tells the server which list it is.
        version: Buffer.from(name).toString('hex') + versions.length.toString(16).padStart(2, '0'),
        isPartial: old !== undefined,
        additions: now.filter((one) => !old?.includes(one)),
        removals: (old ?? []).flatMap((one, i) => (now.includes(one) ? [] : [i])),
        waitSeconds: this.waitSeconds,
        sha256: old === now ? '' : sha256(bytesOf(now.join(''))),
      };
      this.change(message, own);
      return listMessage(message);
    });
  }

  #search(query: URLSearchParams): number[] {
    const asked = query.getAll('hashPrefixes').map((one) => Buffer.from(one, 'base64url'));
    const found = Object.entries(this.threats).filter(([expression]) =>
      asked.some((prefix) => hashOf(expression).startsWith(prefix.toString('hex'))),
    );
    const hashes = found.flatMap(([expression, details]) =>
      field(1, [
        ...field(1, bytesOf(hashOf(expression))),
        ...details.flatMap(({ type, attributes = [] }) =>
          field(2, [
            ...field(1, type),
            ...(attributes.length > 0 ? field(2, attributes.flatMap(varint)) : []),
          ]),
        ),
      ]),
    );
    return [...hashes, ...field(2, field(1, this.cacheSeconds))];
  }
}

const opened: SafeBrowsing[] = [];

/** A client that updates only on `update`. It is closed at the end of the test. */
export async function openClient(
  google: FakeGoogle,
  more: Partial<SafeBrowsingOptions> & Seams = {},
): Promise<SafeBrowsing> {
  const client = await SafeBrowsing.open({
    apiKey: 'the-key',
    mode: 'local-lists',
    storage: 'memory',
    whenSearchFails: 'unknown',
    autoUpdate: false,
    fetch: google.fetch,
    ...seams({ now: new Clock().now, random: () => 0.5 }),
    ...more,
  });
  opened.push(client);
  return client;
}

afterEach(() => {
  for (const client of opened.splice(0)) client.close();
});
