/** The folders of tests/vectors/pages, which cpp/format/make_pages.py wrote. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const at = new URL('../../vectors/pages/', import.meta.url);

/** What sets.json says of a folder. The keys are key0, key1, .. */
interface Described {
  readonly name: string;
  readonly keys: number;
  readonly valueBits: number;
  readonly checkBits: number;
  /** Of a signed set, in hexadecimal. */
  readonly publicKey?: string;
  /** Of a keyed set, in hexadecimal. */
  readonly secret?: string;
  /** SHA-256 by name. */
  readonly files: Readonly<Record<string, string>>;
  /** Of the keys absent0, absent1, ..: 1, or a value, where they seem to be there. */
  readonly answers: string | readonly (number | '-')[];
}

export interface GoldenPages extends Described {
  /** Its path. */
  readonly folder: string;
  readonly manifest: {
    readonly name: string;
    readonly type: string;
    readonly seed: string;
    readonly pages: number;
    readonly stride: number;
    readonly pagesPerPart: number;
    readonly root: string;
    readonly notAfter: string;
  };
  /** Each page with its proof. */
  readonly pages: readonly Buffer[];
}

export const sha256 = (...parts: readonly Uint8Array[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();

export const goldenPages: readonly GoldenPages[] = (
  JSON.parse(readFileSync(new URL('sets.json', at), 'utf8')) as Described[]
).map((set) => {
  const folder = new URL(`${set.name}/`, at);
  const read = (name: string) => readFileSync(new URL(name, folder));
  const manifest = JSON.parse(read('manifest.json').toString()) as GoldenPages['manifest'];
  const bytes = read(`${set.name}.${manifest.root.slice(0, 16)}.0.pages`);
  const pages = Array.from({ length: bytes.length / manifest.stride }, (_, i) =>
    bytes.subarray(i * manifest.stride, (i + 1) * manifest.stride),
  );
  return { ...set, folder: fileURLToPath(folder), manifest, pages };
});
