/** Reads a published folder of pages. From the package, it uses only the filters inside pages. */
import { createPublicKey, verify as verifySignature } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { type ExactFilter, fromBytes, type RibbonFilter } from 'tamis';
import { hashKey } from 'tamis/read';
import { folder, put, textOf } from './cli.js';
import { excludedOf, type GoldenPages, keysOf, numbersOf, sha256 } from './golden-pages.js';
import { placeOf } from './routes.js';

/** The manifest fields that tests read. */
export interface Manifest {
  readonly name: string;
  readonly seq: number;
  readonly created: string;
  readonly notAfter: string;
  readonly type: string;
  readonly hash: string;
  readonly seed: string;
  readonly keyCheck?: string;
  readonly keys: number;
  readonly pages: number;
  readonly stride: number;
  readonly pagesPerPart: number;
  readonly parts: number;
  readonly root: string;
  readonly keyId?: string;
  readonly sig?: string;
}

export const manifestOf = (name: string): Manifest =>
  JSON.parse(readFileSync(join(folder, name, 'manifest.json'), 'utf8'));

/** Writes the keys of a golden folder to a file. Returns its lines, and the options that make the folder. */
export function putGolden(set: GoldenPages) {
  const { type, seed, pages, pagesPerPart } = set.manifest;
  const { valueBits, checkBits, secret, arity } = set;
  const lines =
    type === 'bloomier' ? numbersOf(set).map((i) => `key${i}\t${i % 2 ** valueBits}`) : keysOf(set);
  put('keys', textOf(lines));
  put('others', textOf(excludedOf(set)));
  if (secret !== undefined) put('secret', secret);
  const key = secret === undefined ? [] : ['--secret-file', 'secret'];
  const hashing = ['--type', type, '--seed', seed, '--pages', `${pages}`, ...key];
  const shape = {
    exact: ['--exclude', 'others'],
    bloomier: ['--value-bits', `${valueBits}`, '--check-bits', `${checkBits}`],
  }[type] ?? ['--fingerprint-bits', `${checkBits}`];
  if (arity !== undefined) shape.push('--arity', `${arity}`);
  const files = pagesPerPart === 1 ? ['--files', 'page'] : [];
  return { lines, hashing, shape, files };
}

/** The name and the SHA-256 of every published part. */
export function sumsOf(name: string): Record<string, string> {
  const { root, name: list } = manifestOf(name);
  const files = readdirSync(join(folder, name))
    .filter((file) => file.startsWith(`${list}.${root.slice(0, 16)}.`))
    .sort();
  return Object.fromEntries(
    files.map((file) => [file, sha256(readFileSync(join(folder, name, file))).toString('hex')]),
  );
}

/** The page of a key, by the rules of cpp/FORMAT.md. */
export function pageOf(
  key: string,
  { pages, seed }: { readonly pages: number; readonly seed: string },
  sipKey?: Uint8Array,
): number {
  const hash = hashKey(key, sipKey && { secret: sipKey });
  return placeOf('tamis pages', hash, BigInt(seed), pages);
}

/** The bytes of a page, followed by its proof. */
export function pageBytes(name: string, page: number): Buffer {
  const { name: list, root, stride, pagesPerPart } = manifestOf(name);
  const part = Math.floor(page / pagesPerPart);
  const file = readFileSync(
    join(folder, name, `${list}.${root.slice(0, 16)}.${part}.page${pagesPerPart > 1 ? 's' : ''}`),
  );
  const offset = (page % pagesPerPart) * stride;
  return file.subarray(offset, offset + stride);
}

/** Computes the root from a page and its proof. */
export function rootOf(bytes: Buffer, page: number, pages: number): string {
  const depth = Math.ceil(Math.log2(pages));
  const end = bytes.length - 32 * depth;
  let node = sha256(bytes.subarray(0, end));
  for (let level = 0; level < depth; level++) {
    const sibling = bytes.subarray(end + 32 * level, end + 32 * level + 32);
    const isLeft = Math.floor(page / 2 ** level) % 2 === 0;
    node = isLeft ? sha256(node, sibling) : sha256(sibling, node);
  }
  return node.toString('hex');
}

/** The file at the beginning of a page; zeros and the proof follow it. */
export function fileOf(bytes: Buffer): Buffer {
  const size = 64 + Number(bytes.readBigUInt64LE(48));
  return bytes.subarray(0, size);
}

/** Checks every byte of a folder: parts, pages and proofs. Returns the manifest. */
export function checkFolder(name: string, sipKey?: Uint8Array): Manifest {
  const manifest = manifestOf(name);
  const { pages, stride, parts, pagesPerPart, root, keys } = manifest;
  expect(stride % 64).toBe(0);
  expect([1, Math.floor(2 ** 24 / stride)]).toContain(pagesPerPart);
  expect(parts).toBe(Math.ceil(pages / pagesPerPart));
  expect(Object.keys(sumsOf(name)).length).toBe(parts);
  const depth = Math.ceil(Math.log2(pages));
  let counted = 0;
  for (let page = 0; page < pages; page++) {
    const bytes = pageBytes(name, page);
    expect(rootOf(bytes, page, pages)).toBe(root);
    const file = fileOf(bytes);
    expect(bytes.subarray(file.length, stride - 32 * depth).every((byte) => byte === 0)).toBe(true);
    const filter = fromBytes(file, sipKey ? { secret: sipKey } : {}) as RibbonFilter;
    counted += filter.count;
    filter.dispose();
  }
  expect(counted).toBe(keys);
  return manifest;
}

/** The answer for each key, from the page that it belongs to. */
export function answersOf(name: string, keys: readonly string[], sipKey?: Uint8Array): boolean[] {
  const manifest = manifestOf(name);
  return keys.map((key) => {
    const bytes = fileOf(pageBytes(name, pageOf(key, manifest, sipKey)));
    const filter = fromBytes(bytes, sipKey ? { secret: sipKey } : {}) as RibbonFilter | ExactFilter;
    const answer = filter.has(key);
    filter.dispose();
    return answer;
  });
}

/** True if the key pair of `publicKey` (hexadecimal) signed the manifest. */
export function isSigned(name: string, publicKey: string): boolean {
  const { sig = '', ...said } = manifestOf(name);
  const sorted = Object.fromEntries(Object.entries(said).sort(([a], [b]) => (a < b ? -1 : 1)));
  const text = `tamis-pages-1\n${JSON.stringify(sorted)}`;
  const x = Buffer.from(publicKey, 'hex').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verifySignature(null, Buffer.from(text), key, Buffer.from(sig, 'hex'));
}
