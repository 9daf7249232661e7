/** A small writer of pages, implemented from cpp/FORMAT.md without the package, and an in-memory host for them. */

import { createHash, type KeyObject, sign } from 'node:crypto';
import { BinaryFuseFilter, BloomierMap, ExactFilter, hashKeys, RibbonFilter } from 'tamis';

import {
  depthOf,
  layoutOf,
  MerkleTree,
  mostKeysOf,
  partName,
} from '../../../js/src/pages/layout.js';
import type { PagesFields, PagesManifest, PageType } from '../../../js/src/pages/manifest.js';
import { placeOf } from './routes.js';

const sha256 = (bytes: Uint8Array): Uint8Array =>
  new Uint8Array(createHash('sha256').update(bytes).digest());

/** The page of a hash. */
export const pageOf = (hash: bigint, seed: bigint, pages: number): number =>
  placeOf('tamis pages', hash, seed, pages);

export interface SetOptions {
  readonly name?: string;
  readonly seq?: number;
  readonly type?: PageType;
  readonly pages?: number;
  readonly seed?: bigint;
  /** The 16 bytes of a SipHash key. */
  readonly secret?: Uint8Array;
  /** The minimal size of a page. */
  readonly strideBytes?: number;
  /** The number of pages in each part; 1 makes a file per page. */
  readonly pagesPerPart?: number;
  readonly created?: number;
  readonly notAfter?: number;
  /** Changes a page before its hash is computed, so that the changed content is signed. */
  readonly change?: (leaf: Uint8Array) => void;
}

export interface PageSet {
  readonly fields: PagesFields;
  /** The parts, by name. */
  readonly parts: Map<string, Uint8Array>;
  /** The page of a key. */
  readonly pageOf: (key: string) => number;
}

/** The value of each key in a map. */
export const rankOf = (key: string): number => key.length * 7 + (key.codePointAt(0) ?? 0);

function fileOf(keys: string[], { type = 'ribbon', seed = 0n, secret }: SetOptions): Uint8Array {
  const hashing = secret === undefined ? { seed } : { seed, secret };
  const options = { ...hashing, fingerprintBits: 8 } as const;
  if (type === 'bloomier') {
    const entries = keys.map((one) => [one, rankOf(one)] as const);
    return BloomierMap.from(entries, { ...hashing, valueBits: 16, checkBits: 16 }).toBytes();
  }
  if (type === 'exact') {
    return ExactFilter.from(
      { include: keys, exclude: keys.map((one) => `${one}!`) },
      { ...hashing, fpr: 2 ** -8 },
    ).toBytes();
  }
  if (type === 'binary-fuse') return BinaryFuseFilter.from(keys, options).toBytes();
  return RibbonFilter.from(keys, options).toBytes();
}

/** Distributes distinct keys over pages. */
export function makePages(keys: readonly string[], options: SetOptions = {}): PageSet {
  const { name = 'list', seq = 1, type = 'ribbon', pages = 8, seed = 7n, secret } = options;
  const hashesOf = (list: readonly string[]) =>
    hashKeys(list, secret === undefined ? {} : { secret });
  const lists: string[][] = Array.from({ length: pages }, () => []);
  hashesOf(keys).forEach((hash, i) => {
    lists[pageOf(hash, seed, pages)]?.push(keys[i] as string);
  });
  const files = lists.map((list) => fileOf(list, { ...options, type, seed }));
  const most = Array.from({ length: mostKeysOf(keys.length, pages) }, (_, i) => `room ${i}`);
  const room = fileOf(most, { ...options, type, seed }).length;
  const { strideBytes = 0 } = options;
  const proofBytes = 32 * depthOf(pages);
  const longest = Math.max(room, strideBytes - proofBytes, ...files.map(({ length }) => length));
  const whole = layoutOf(pages, longest);
  const { pagesPerPart = whole.pagesPerPart } = options;
  const layout = { ...whole, pagesPerPart, parts: Math.ceil(pages / pagesPerPart) };
  const { stride } = layout;
  const leafBytes = stride - proofBytes;
  const contents = files.map((file) => {
    const leaf = new Uint8Array(leafBytes);
    leaf.set(file);
    options.change?.(leaf);
    return leaf;
  });
  const tree = new MerkleTree(Buffer.concat(contents.map(sha256)), sha256);
  const root = Buffer.from(tree.root).toString('hex');
  const all = new Uint8Array(stride * pages);
  contents.forEach((leaf, page) => {
    all.set(leaf, stride * page);
    all.set(tree.proofOf(page), stride * page + leafBytes);
  });
  const parts = new Map<string, Uint8Array>();
  for (let part = 0; part * pagesPerPart < pages; part++) {
    const size = stride * pagesPerPart;
    const file = partName({ name, root, pagesPerPart }, part);
    parts.set(file, all.slice(size * part, size * (part + 1)));
  }
  const created = options.created ?? Date.now() - 3_600_000;
  const fields: PagesFields = {
    name,
    seq,
    created: new Date(created).toISOString(),
    notAfter: new Date(options.notAfter ?? created + 7 * 24 * 3_600_000).toISOString(),
    type,
    hash: secret === undefined ? 'fast' : 'keyed',
    seed: `${seed}`,
    ...(secret && { keyCheck: keyIdOf(secret) }),
    keys: keys.length,
    ...layout,
    root,
  };
  return {
    fields,
    parts,
    pageOf: (one) => pageOf(hashesOf([one])[0] as bigint, seed, pages),
  };
}

const keyIdOf = (secret: Uint8Array): string =>
  (hashKeys(['tamis-key-id'], { secret })[0] as bigint).toString(16).padStart(16, '0');

/** Signs as RFC 8785 and Ed25519 require: the kind, followed by the members in order. */
export function signPages(
  fields: PagesFields,
  { privateKey, publicKey }: { privateKey: KeyObject; publicKey: KeyObject },
): PagesManifest {
  const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x as string, 'base64url');
  const keyId = Buffer.from(sha256(raw)).subarray(0, 8).toString('hex');
  const members = Object.entries({ ...fields, keyId }).sort(([a], [b]) => (a < b ? -1 : 1));
  const text = `tamis-pages-1\n${JSON.stringify(Object.fromEntries(members))}`;
  return { ...fields, keyId, sig: sign(null, Buffer.from(text), privateKey).toString('hex') };
}

/** A request that the host received. */
export interface Asked {
  readonly name: string;
  readonly range: string | undefined;
  readonly cache: RequestCache | undefined;
  readonly signal: AbortSignal;
}

/** Returns a response instead of the regular answer, or undefined for the regular one. */
type Fault = (asked: Asked, count: number) => Response | Promise<Response | undefined> | undefined;

export const BASE = 'https://host.example/pages/';

/** A static host for these files, with the interface of `fetch`. */
export class FakeHost {
  readonly files = new Map<string, Uint8Array | string>();
  readonly asked: Asked[] = [];
  fault: Fault | undefined;

  /** Publishes a set: its parts, then its manifest. */
  publish({ fields, parts }: PageSet, manifest: PagesManifest = fields): this {
    for (const [name, bytes] of parts) this.files.set(name, bytes);
    this.files.set('manifest.json', JSON.stringify(manifest));
    return this;
  }

  /** The requests for pages. */
  get pagesAsked(): Asked[] {
    return this.asked.filter(({ name }) => /\.pages?$/.test(name));
  }

  readonly fetch = async (url: string, init: RequestInit): Promise<Response> => {
    init.signal?.throwIfAborted();
    const name = url.slice(BASE.length);
    const range = new Headers(init.headers).get('Range') ?? undefined;
    const signal = init.signal ?? new AbortController().signal;
    const asked = { name, range, cache: init.cache, signal };
    this.asked.push(asked);
    const found = await this.fault?.(asked, this.asked.length);
    return found ?? this.answer(name, range);
  };

  /** The regular answer. */
  answer(name: string, range?: string): Response {
    const file = this.files.get(name);
    if (file === undefined) return new Response(null, { status: 404 });
    if (range === undefined) return new Response(file as Uint8Array<ArrayBuffer>);
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? [];
    const bytes = (file as Uint8Array).slice(Number(from), Number(to) + 1);
    if (bytes.length === 0) return new Response(null, { status: 416 });
    const headers = { 'Content-Range': `bytes ${from}-${to}/${file.length}` };
    return new Response(bytes as Uint8Array<ArrayBuffer>, { status: 206, headers });
  }
}
