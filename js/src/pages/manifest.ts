// The manifest of a set of pages, with its time, its sequence and its signature (cpp/FORMAT.md, section Pages).

import { rangeError, TamisError } from '../core/errors.js';
import { integer, oneOf, type Reader } from '../core/options.js';
import { hexadecimal, instant, matchText, readRecord } from '../core/signed/fields.js';
import type { TrustedKey } from '../core/signed/keys.js';
import {
  expectCurrent,
  type ManifestKind,
  openManifest,
  openUnsigned,
  type Signature,
} from '../core/signed/manifest.js';
import { checkLayout, type Layout, mostPages, mostPartBytes } from './layout.js';

/** The types that a page can have: those that are built once, from all keys. */
export type PageType = 'ribbon' | 'binary-fuse' | 'exact' | 'bloomier';

export const pageTypes: readonly PageType[] = ['ribbon', 'binary-fuse', 'exact', 'bloomier'];

/** The fields of the manifest of a set of pages. */
export interface PagesFields extends Layout {
  /** The set's name: letters, digits, '-', '_' and '.'. The names of its part files begin with it. */
  readonly name: string;
  /** The sequence number, at least 1. It rises with each published manifest. */
  readonly seq: number;
  /** The time of creation, as `Date.toISOString` writes it. */
  readonly created: string;
  /** The time at which the pages expire; later than `created`. */
  readonly notAfter: string;
  /** The type of every page. */
  readonly type: PageType;
  readonly hash: 'fast' | 'keyed';
  /** The seed, in decimal, of the pages and of the hash that assigns keys to pages. */
  readonly seed: string;
  /** The id of the secret if `hash` is 'keyed': 16 digits of lower-case hexadecimal. */
  readonly keyCheck?: string;
  /** The number of distinct keys in all pages. */
  readonly keys: number;
  /** The root of the Merkle tree: 64 digits of lower-case hexadecimal. */
  readonly root: string;
}

/** The content of manifest.json: the fields, and the signature if there is one. */
export type PagesManifest = PagesFields & Partial<Signature>;

export const setNameReader = matchText(
  /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$/,
  '1 to 64 of A-Z a-z 0-9 - _ .',
);

/** Reads a u64 in decimal, without leading zeros, so that each value has only one text. */
const seedText: Reader<string> = (value, name) => {
  const text = matchText(/^\d{1,20}$/, 'a decimal number')(value, name);
  if (`${BigInt.asUintN(64, BigInt(text))}` !== text)
    throw rangeError(`${name} must be below 2^64`);
  return text;
};

const readAll = readRecord<PagesFields>({
  name: setNameReader,
  seq: integer(1),
  created: instant,
  notAfter: instant,
  type: oneOf(pageTypes),
  hash: oneOf(['fast', 'keyed']),
  seed: seedText,
  keyCheck: (value, name) => (value === undefined ? value : hexadecimal(16)(value, name)),
  keys: integer(0),
  pages: integer(1, mostPages),
  stride: integer(64, mostPartBytes),
  pagesPerPart: integer(1, mostPartBytes),
  parts: integer(1, mostPages),
  root: hexadecimal(64),
});

/** Reads the fields of a manifest. Throws TypeError and RangeError. */
export function readPagesFields(value: unknown, name = 'manifest'): PagesFields {
  const fields = readAll(value, name);
  if (Date.parse(fields.notAfter) <= Date.parse(fields.created)) {
    throw rangeError(`${name}.notAfter must be later than created`);
  }
  if ((fields.keyCheck !== undefined) !== (fields.hash === 'keyed')) {
    throw rangeError(`${name}.keyCheck and hash 'keyed' go together`);
  }
  checkLayout(fields, name);
  return fields;
}

export const pagesManifest: ManifestKind<PagesFields> = {
  kind: 'tamis-pages-1',
  readFields: readPagesFields,
};

/** Reads a manifest. With `null`, no signature is checked. Throws ERR_TAMIS_CORRUPT, _BAD_SIGNATURE and _TOO_LARGE. */
export async function openPagesManifest(
  input: string | Uint8Array,
  keys: readonly TrustedKey[] | null,
): Promise<PagesManifest> {
  return keys === null
    ? openUnsigned(pagesManifest, input)
    : openManifest(pagesManifest, input, keys);
}

/** Throws ERR_TAMIS_INCOMPATIBLE if the manifest has another name, and otherwise as expectCurrent does. */
export function expectPages(
  manifest: PagesManifest,
  name: string,
  nowMs: number,
  newest?: PagesManifest,
): void {
  if (manifest.name !== name) {
    const message = `the manifest is of '${manifest.name}', not of '${name}'`;
    throw new TamisError('ERR_TAMIS_INCOMPATIBLE', message);
  }
  expectCurrent(manifest, newest, nowMs);
}
