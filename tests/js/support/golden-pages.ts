/** Reads the folders of tests/vectors/pages, which cpp/format/make_pages.py wrote. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Manifest } from './page-folders.js';

const at = new URL('../../vectors/pages/', import.meta.url);

/** The description of a folder in sets.json. The keys are key0, key1, ..; `keysOf` returns them. */
interface Described {
  readonly name: string;
  readonly keys: number;
  /** If only some keys are used: hexadecimal, where bit i % 8 of byte i / 8 is 1 if key i is used. */
  readonly chosen?: string;
  /** The number of excluded keys (other0, other1, ..) in an exact set. */
  readonly excluded?: number;
  /** The arity of binary-fuse, if it is not the default for the number of keys. */
  readonly arity?: 3 | 4;
  readonly valueBits: number;
  readonly checkBits: number;
  /** The public key of a signed set, in hexadecimal. */
  readonly publicKey?: string;
  /** The secret key of a keyed set, in hexadecimal. */
  readonly secret?: string;
  /** The SHA-256 of each file, by name. */
  readonly files: Readonly<Record<string, string>>;
  /** For absent0, absent1, ..: 1 or a value if the key is reported as present. */
  readonly answers: string | readonly (number | '-')[];
}

export interface GoldenPages extends Described {
  /** The path of the folder. */
  readonly folder: string;
  readonly manifest: Manifest;
  /** The pages, each followed by its proof. */
  readonly pages: readonly Buffer[];
}

export const sha256 = (...parts: readonly Uint8Array[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();

const numbered = (count: number, name: string): string[] =>
  Array.from({ length: count }, (_, i) => `${name}${i}`);

/** The numbers of the keys that are used. */
export function numbersOf({ keys, chosen }: Described): number[] {
  if (chosen === undefined) return Array.from({ length: keys }, (_, i) => i);
  return [...Buffer.from(chosen, 'hex')].flatMap((byte, i) =>
    [0, 1, 2, 3, 4, 5, 6, 7].filter((bit) => (byte >> bit) & 1).map((bit) => 8 * i + bit),
  );
}
export const keysOf = (set: Described): string[] => numbersOf(set).map((i) => `key${i}`);
export const excludedOf = ({ excluded = 0 }: Described): string[] => numbered(excluded, 'other');
export const absent: readonly string[] = numbered(1000, 'absent');

export const goldenPages: readonly GoldenPages[] = (
  JSON.parse(readFileSync(new URL('sets.json', at), 'utf8')) as Described[]
).map((set) => {
  const folder = new URL(`${set.name}/`, at);
  const read = (name: string) => readFileSync(new URL(name, folder));
  const manifest = JSON.parse(read('manifest.json').toString()) as Manifest;
  const start = `${set.name}.${manifest.root.slice(0, 16)}`;
  const ending = manifest.pagesPerPart === 1 ? 'page' : 'pages';
  const parts = Array.from({ length: manifest.parts }, (_, i) => read(`${start}.${i}.${ending}`));
  const bytes = Buffer.concat(parts);
  const pages = Array.from({ length: bytes.length / manifest.stride }, (_, i) =>
    bytes.subarray(i * manifest.stride, (i + 1) * manifest.stride),
  );
  return { ...set, folder: fileURLToPath(folder), manifest, pages };
});
