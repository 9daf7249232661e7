// What a publisher says of one set of pages: signed, and believed within its time and its history (cpp/FORMAT.md,
// section Pages).

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

/** The types that a page may have: those that are built once, from all their keys. */
export const pageTypes = ['ribbon', 'binary-fuse', 'exact', 'bloomier'] as const;

export type PageType = (typeof pageTypes)[number];

/** What a publisher says of one set of pages. */
export interface PagesFields extends Layout {
  /** The set's name, with which the names of its parts begin: letters, digits, '-', '_' and '.'. */
  readonly name: string;
  /** 1 or more, and higher with every manifest that is published. */
  readonly seq: number;
  /** When it was made, as `Date.toISOString` writes it. */
  readonly created: string;
  /** From when on the pages are not to be believed; later than `created`. */
  readonly notAfter: string;
  /** The type of every page. */
  readonly type: PageType;
  readonly hash: 'fast' | 'keyed';
  /** The seed of the pages and of the road to them, in decimal. */
  readonly seed: string;
  /** Where `hash` is 'keyed': the id of the secret key, 16 digits of lower-case hexadecimal. */
  readonly keyCheck?: string;
  /** Distinct keys in all pages. */
  readonly keys: number;
  /** The root of the Merkle tree, 64 digits of lower-case hexadecimal. */
  readonly root: string;
}

/** The fields, and the signature where there is one: manifest.json. */
export type PagesManifest = PagesFields & Partial<Signature>;

/** The name of a set. */
export const setName = matchText(
  /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$/,
  '1 to 64 of A-Z a-z 0-9 - _ .',
);

/** A u64 in the one way to write it. */
const seedText: Reader<string> = (value, name) => {
  const text = matchText(/^\d{1,20}$/, 'a decimal number')(value, name);
  if (`${BigInt.asUintN(64, BigInt(text))}` !== text)
    throw rangeError(`${name} must be below 2^64`);
  return text;
};

const readAll = readRecord<PagesFields>({
  name: setName,
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

/** The fields of a manifest that is about to be signed, or was. Throws TypeError and RangeError. */
export function readPagesFields(value: unknown, name = 'manifest'): PagesFields {
  const fields = readAll(value, name);
  if (Date.parse(fields.notAfter) <= Date.parse(fields.created)) {
    throw rangeError(`${name}.notAfter must be later than created`);
  }
  if (!fields.keyCheck !== (fields.hash === 'fast')) {
    throw rangeError(`${name}.keyCheck goes with hash 'keyed'`);
  }
  checkLayout(fields, name);
  return fields;
}

export const pagesManifest: ManifestKind<PagesFields> = {
  kind: 'tamis-pages-1',
  readFields: readPagesFields,
};

/**
 * The manifest in a text or in its bytes, if one of the keys signed it. With null in the place of keys no signature
 * is looked at. Throws CORRUPT, BAD_SIGNATURE, TOO_LARGE.
 */
export async function openPagesManifest(
  input: string | Uint8Array,
  keys: readonly TrustedKey[] | null,
): Promise<PagesManifest> {
  return keys === null
    ? openUnsigned(pagesManifest, input)
    : openManifest(pagesManifest, input, keys);
}

/** What a client expects of a manifest, beside a signature. */
export interface PagesExpectation {
  /** The time to judge by, in milliseconds since 1970. */
  readonly nowMs: number;
  /** Which set it is: the same key may have signed others. */
  readonly name: string;
  /** The newest manifest of the set that was seen before. */
  readonly newest?: PagesManifest | undefined;
}

/** Throws INCOMPATIBLE for a set of another name, ROLLBACK and EXPIRED. */
export function expectPages(
  manifest: PagesManifest,
  { nowMs, name, newest }: PagesExpectation,
): void {
  if (manifest.name !== name) {
    const message = `the manifest is of '${manifest.name}', not of '${name}'`;
    throw new TamisError('ERR_TAMIS_INCOMPATIBLE', message);
  }
  expectCurrent(manifest, newest, nowMs);
}
