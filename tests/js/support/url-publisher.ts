/** Publishes signed lists on an in-memory static host, from which the tests of UrlChecker fetch. */

import { createHash, webcrypto } from 'node:crypto';
import { afterEach, expect } from '@jest/globals';
import {
  type HostRule,
  type Manifest,
  type ManifestDelta,
  type ManifestFields,
  signManifest,
  UrlChecker,
  type UrlCheckerOptions,
  type UrlList,
  UrlListBuilder,
  type UrlStorage,
} from 'tamis/url';

import type { Seams } from './seams.js';

export const BASE = 'https://lists.example/phish/';
export const MANIFEST_URL = `${BASE}manifest.json`;
export const CONFIRM = 'https://api.example/confirm';
/** The time at which tests start. */
export const START = Date.parse('2026-11-22T00:00:00.000Z');
export const DAY = 24 * 3600 * 1000;

export const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
export const sha256 = (bytes: Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex');

export const newKeys = async (): Promise<CryptoKeyPair> =>
  (await webcrypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])) as CryptoKeyPair;

/** Hosts to fill a list with. */
export const someHosts = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, i) => `h${from + i}.listed.example`);

export const listOf = (hosts: readonly string[], rule: HostRule = 'parents'): UrlList =>
  new UrlListBuilder({ rule }).addHosts(hosts).build();

function deltaBytes(older: UrlList, newer: UrlList): Uint8Array {
  const delta = newer.diff(older);
  const bytes = delta.toBytes();
  delta.dispose();
  return bytes;
}

/** Returned instead of the file: a response with a status or bytes, or any other result of fetch. */
type Answer = (request: Request) => Response | Promise<Response>;

/** For how many earlier versions deltas are kept. */
const keptDeltas = 5;

/** The last part of a file's name: this publisher's, or publishList's, where jumps have two digests. */
const contentHash = /(-[0-9a-f]+){1,2}\.(bin|tamis)$/;

export class Publisher {
  /** The requested paths, in order. */
  readonly asked: string[] = [];
  /** For each path, an answer instead of the published file. */
  readonly instead = new Map<string, Answer>();
  /** All versions, each with the delta to the next one. */
  readonly versions: { readonly list: UrlList; next: ManifestDelta | undefined }[] = [];
  seq = 0;

  constructor(
    readonly keys: CryptoKeyPair,
    readonly files = new Map<string, Uint8Array>(),
  ) {}

  static async with(...hosts: string[][]): Promise<Publisher> {
    const publisher = new Publisher(await newKeys());
    for (const some of hosts) await publisher.publish(some);
    return publisher;
  }

  put(name: string, bytes: Uint8Array): { url: string; bytes: number; sha256: string } {
    const digest = sha256(bytes);
    const url = `${name}-${digest.slice(0, 8)}.bin`;
    this.files.set(url, bytes);
    return { url, bytes: bytes.length, sha256: digest };
  }

  /** The manifest fields of the next version. */
  fields(hosts: readonly string[], more: Partial<ManifestFields> = {}): ManifestFields {
    const list = listOf(hosts);
    const newest = this.versions.at(-1);
    if (newest !== undefined) {
      const delta = this.put('delta', deltaBytes(newest.list, list));
      newest.next = { from: hex(newest.list.identity), ...delta };
    }
    const older = this.versions.slice(-keptDeltas);
    this.seq++;
    this.versions.push({ list, next: undefined });
    return {
      list: 'phish',
      seq: this.seq,
      version: `v${this.seq}`,
      n: list.count,
      hash: 'sha256',
      rule: list.rule,
      prefixBytes: 4,
      created: new Date(START + this.seq * 1000).toISOString(),
      notAfter: new Date(START + 7 * DAY).toISOString(),
      sha256: hex(list.identity),
      snapshot: this.put('snap', list.toBytes()),
      deltas: older.map(({ next }) => next as ManifestDelta),
      ...more,
    };
  }

  serve(manifest: object | string): void {
    const text = typeof manifest === 'string' ? manifest : JSON.stringify(manifest);
    this.files.set('manifest.json', new TextEncoder().encode(text));
  }

  async publish(hosts: readonly string[], more: Partial<ManifestFields> = {}): Promise<Manifest> {
    const manifest = await signManifest(this.fields(hosts, more), this.keys);
    this.serve(manifest);
    return manifest;
  }

  fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const request = new Request(url, init);
    const path = url.startsWith(BASE) ? url.slice(BASE.length) : url;
    this.asked.push(path);
    const kind = path.replace(contentHash, '');
    const answer = this.instead.get(path) ?? this.instead.get(kind);
    if (answer !== undefined) return answer(request);
    const bytes = this.files.get(path);
    if (bytes === undefined) return new Response(null, { status: 404 });
    const etag = `"${sha256(bytes)}"`;
    if (request.headers.get('If-None-Match') === etag) return new Response(null, { status: 304 });
    return new Response(bytes.slice(), { headers: { ETag: etag } });
  };

  /** Returns the paths requested since the last call. */
  drain(): string[] {
    return this.asked.splice(0).map((path) => path.replace(contentHash, ''));
  }
}

/** A clock that moves only on request. */
export class Clock {
  ms = START + DAY;
  now = (): number => this.ms;
}

/** The options for most tests. The checker updates only on update(). */
export function optionsFor(
  publisher: Publisher,
  more: Partial<UrlCheckerOptions> & Seams = {},
): UrlCheckerOptions & Seams {
  return {
    name: 'phish',
    publicKeys: [publisher.keys.publicKey],
    storage: 'memory',
    confirm: CONFIRM,
    whenMissing: 'unknown',
    whenUnconfirmed: 'unknown',
    updateEveryMs: 0,
    fetch: publisher.fetch,
    now: new Clock().now,
    random: () => 0.5,
    ...more,
  };
}

const opened: UrlChecker[] = [];

/** Opens a checker. It is closed at the end of the test, or by closeAll(). */
export async function openFor(
  publisher: Publisher,
  more: Partial<UrlCheckerOptions> & Seams = {},
  manifestUrl: string | URL = MANIFEST_URL,
): Promise<UrlChecker> {
  const checker = await UrlChecker.open(manifestUrl, optionsFor(publisher, more));
  opened.push(checker);
  return checker;
}

export function closeAll(): void {
  for (const checker of opened.splice(0)) checker.close();
}
afterEach(closeAll);

/** A storage that records its calls, and can fail. */
export class TestStorage implements UrlStorage {
  readonly files: Map<string, Uint8Array>;
  /** Runs before each operation, and can throw or wait. */
  before: (operation: 'get' | 'set', key: string) => unknown = () => undefined;

  constructor(files: Iterable<[string, Uint8Array]> = []) {
    this.files = new Map(files);
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    await this.before('get', key);
    return this.files.get(key)?.slice();
  }

  async set(key: string, bytes: Uint8Array | undefined): Promise<void> {
    await this.before('set', key);
    if (bytes === undefined) this.files.delete(key);
    else this.files.set(key, bytes.slice());
  }
}

/** What fetch does if the host cannot be reached. */
export const offline = (): Promise<never> => Promise.reject(new TypeError('offline'));

/** Two versions of a list; each has one host that the other lacks. */
export const filler = someHosts(160);
export const OLD = 'https://old.example/';
export const NEW = 'https://new.example/';
export const first = ['old.example', ...filler];
export const second = ['new.example', ...filler];

/** Finds out which of the two versions the checker uses. */
export function versionOf(checker: UrlChecker): 'first' | 'second' {
  const answers = checker.checkMany([OLD, NEW]).join();
  if (answers === 'maybe,safe') return 'first';
  expect(answers).toBe('safe,maybe');
  return 'second';
}
