// What a manifest says, field by field: each has its type and its range (cpp/FORMAT.md, section 7.2).

import { mustBe, rangeError } from '../../core/errors.js';
import { integer, oneOf, type Reader } from '../../core/options.js';
import { hexadecimal, instant, matchText, readRecord } from '../../core/signed/fields.js';
import type { ManifestKind, Signature } from '../../core/signed/manifest.js';

/** A file that a manifest names. */
export interface ManifestFile {
  /** Where it is, relative to the manifest's own URL. */
  readonly url: string;
  /** Its exact size. */
  readonly bytes: number;
  /** SHA-256 of the file, 64 digits of lower-case hexadecimal. */
  readonly sha256: string;
}

/**
 * A delta file. The deltas of a manifest are a chain, oldest first: each leads to the `from` of the
 * next, the last one to the manifest's `sha256`.
 */
export interface ManifestDelta extends ManifestFile {
  /** `UrlList.identity` of the list that it is applied to, in lower-case hexadecimal. */
  readonly from: string;
}

/** What a publisher says about one version of a list. */
export interface ManifestFields {
  /** The list's name, up to 64 characters of printable ASCII. */
  readonly list: string;
  /** 1 or more, and higher with every manifest that is published, also where only `notAfter` is new. */
  readonly seq: number;
  /** A name of the version for people, as `list`. */
  readonly version: string;
  /** Entries of the list. */
  readonly n: number;
  readonly hash: 'sha256';
  /** The rule of host suffixes that the list was built by: 'labels5', or the name of a PublicSuffixRule. */
  readonly rule: string;
  readonly prefixBytes: 4 | 8 | 16 | 32;
  /** When it was made, as `Date.toISOString` writes it. */
  readonly created: string;
  /** From when on the list is not to be believed; later than `created`. */
  readonly notAfter: string;
  /** `UrlList.identity` of this version, in lower-case hexadecimal. */
  readonly sha256: string;
  /** The whole list: `UrlList.toBytes()`. */
  readonly snapshot: ManifestFile;
  /** At most 4096. */
  readonly deltas: readonly ManifestDelta[];
  /**
   * What the URLs of jumps begin with, 1 to 512 characters: a jump is a delta from some older list to this one. Another form
   * counts as absent, so a manifest that was read may have any value here.
   */
  readonly jumps?: string;
  /** The list's name for users, up to 64 characters of printable ASCII. As the next two it is shown, and changes nothing. */
  readonly label?: string;
  /** How bad its entries are, from 0 to 10. */
  readonly severity?: number;
  /** Where to report a wrong entry: a URL of https, with `{url}` behind its host in the place of the URL. */
  readonly report?: string;
}

/** What a manifest says for users; another form is as good as absent. */
export type ShownFields = Pick<ManifestFields, 'label' | 'severity' | 'report'>;

/** The fields and the signature: manifest.json. */
export interface Manifest extends ManifestFields, Signature {}

export const maxDeltas = 4096;

/** Of the bytes of an entry. */
export const prefixWidth: Reader<4 | 8 | 16 | 32> = (value, name) => {
  const width = integer(4, 32)(value, name);
  if ([4, 8, 16, 32].includes(width)) return width as 4 | 8 | 16 | 32;
  throw rangeError(`${name} must be 4, 8, 16 or 32, got ${width}`);
};

/** A name for people. */
export const label = matchText(/^[\x20-\x7e]{1,64}$/, '1 to 64 characters of printable ASCII');
const address = matchText(/^[\x21-\x7e]{1,2048}$/, 'a URL of at most 2048 characters of ASCII');
const digest = hexadecimal(64);
const file = { url: address, bytes: integer(0), sha256: digest };
const readDelta = readRecord<ManifestDelta>({ ...file, from: digest });

const readAll = readRecord<Omit<ManifestFields, 'jumps' | keyof ShownFields>>({
  list: label,
  seq: integer(1),
  version: label,
  n: integer(0),
  hash: oneOf(['sha256']),
  rule: label,
  prefixBytes: prefixWidth,
  created: instant,
  notAfter: instant,
  sha256: digest,
  snapshot: readRecord<ManifestFile>(file),
  deltas: (value, name) => {
    if (!Array.isArray(value)) throw mustBe('an array', name, value);
    if (value.length > maxDeltas) {
      throw rangeError(`${name} must have at most ${maxDeltas} entries, got ${value.length}`);
    }
    return value.map((delta, i) => readDelta(delta, `${name}[${i}]`));
  },
});

/** The fields of a manifest that is about to be signed, or was. Throws TypeError and RangeError. */
export function readManifestFields(value: unknown, name = 'manifest'): ManifestFields {
  const fields = readAll(value, name);
  if (Date.parse(fields.notAfter) <= Date.parse(fields.created)) {
    throw rangeError(`${name}.notAfter must be later than ${name}.created`);
  }
  return fields;
}

/** Of the identities of both lists so many digits name a jump. */
export const jumpDigits = 16;

/** Where the jump between two lists is, of identities in hexadecimal; `prefix` is what the manifest has as `jumps`. */
export const jumpUrl = (prefix: string, from: string, to: string): string =>
  `${prefix}${from.slice(0, jumpDigits)}-${to.slice(0, jumpDigits)}.tamis`;

/** Where the jump from a list to the manifest's is; undefined where the manifest has none. */
export function findJump(manifest: Manifest, from: string): string | undefined {
  const { jumps, sha256 } = manifest;
  const isPrefix = typeof jumps === 'string' && /^[\x21-\x7e]{1,512}$/.test(jumps);
  // Of its own alone: what somebody put on Object.prototype nobody signed.
  return isPrefix && Object.hasOwn(manifest, 'jumps') ? jumpUrl(jumps, from, sha256) : undefined;
}

export const listManifest: ManifestKind<ManifestFields> = {
  kind: 'tamis-manifest-1',
  readFields: readManifestFields,
};
