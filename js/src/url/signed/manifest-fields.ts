// The fields of a manifest, with their types and ranges (cpp/FORMAT.md, section 7.2).

import { mustBe, rangeError } from '../../core/errors.js';
import { between, integer, oneOf, type Reader } from '../../core/options.js';
import { hexadecimal, instant, matchText, readRecord } from '../../core/signed/fields.js';
import type { ManifestKind, Signature } from '../../core/signed/manifest.js';

/** A file that a manifest names. */
export interface ManifestFile {
  /** The file's URL, relative to the manifest's own. */
  readonly url: string;
  /** The exact size in bytes. */
  readonly bytes: number;
  /** The SHA-256 of the file, 64 digits of lower-case hexadecimal. */
  readonly sha256: string;
}

/**
 * A delta file. The deltas of a manifest are a chain, oldest first. Each leads to the `from` of the next, the last to
 * the manifest's `sha256`.
 */
export interface ManifestDelta extends ManifestFile {
  /** The `UrlList.identity` of the list that it applies to, in lower-case hexadecimal. */
  readonly from: string;
}

/** The manifest of one version of a list, without its signature. */
export interface ManifestFields {
  /** The list's name, up to 64 characters of printable ASCII. */
  readonly list: string;
  /** A number from 1, higher with every published manifest, even if only `notAfter` changed. */
  readonly seq: number;
  /** A name of the version for people, like `list`. */
  readonly version: string;
  /** The number of entries. */
  readonly n: number;
  readonly hash: 'sha256';
  /** The rule of host suffixes that the list was built by: 'labels5', or the name of a PublicSuffixRule. */
  readonly rule: string;
  readonly prefixBytes: 4 | 8 | 16 | 32;
  /** The time of creation, as `Date.toISOString` writes it. */
  readonly created: string;
  /** The time of expiry; later than `created`. */
  readonly notAfter: string;
  /** The `UrlList.identity` of this version, in lower-case hexadecimal. */
  readonly sha256: string;
  /** The whole list: `UrlList.toBytes()`. */
  readonly snapshot: ManifestFile;
  /** At most 4096. */
  readonly deltas: readonly ManifestDelta[];
  /**
   * The start of the URLs of jumps, 1 to 512 characters. A jump is a delta from an older list to this one. An invalid
   * value counts as absent, so a manifest may have any value here.
   */
  readonly jumps?: string;
  /**
   * The list's name for users, up to 64 characters of printable ASCII. Clients only show `label`, `severity` and
   * `report`.
   */
  readonly label?: string;
  /** The severity of its entries, from 0 to 10. */
  readonly severity?: number;
  /**
   * The address for reports of wrong entries: an https URL with `{url}` after its host, as a placeholder for the URL.
   */
  readonly report?: string;
}

/** The fields that clients show to users. An invalid value counts as absent. */
export type ShownFields = Pick<ManifestFields, 'label' | 'severity' | 'report'>;

/** The content of manifest.json: the fields and the signature. */
export interface Manifest extends ManifestFields, Signature {}

export const maxDeltas = 4096;

/** Reads a prefix length in bytes. */
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

/** Checks the fields of a manifest. Throws TypeError and RangeError. */
export function readManifestFields(value: unknown, name = 'manifest'): ManifestFields {
  const fields = readAll(value, name);
  if (Date.parse(fields.notAfter) <= Date.parse(fields.created)) {
    throw rangeError(`${name}.notAfter must be later than ${name}.created`);
  }
  return fields;
}

/** The digits of each list's identity in the name of a jump. */
export const jumpDigits = 16;

/** The URL of the jump between two lists, by their identities in hexadecimal. `prefix` is the manifest's `jumps`. */
export const jumpUrl = (prefix: string, from: string, to: string): string =>
  `${prefix}${from.slice(0, jumpDigits)}-${to.slice(0, jumpDigits)}.tamis`;

/** The URL of the jump from a list to the manifest's list; undefined if the manifest has no jumps. */
export function findJump(manifest: Manifest, from: string): string | undefined {
  const { jumps, sha256 } = manifest;
  const isPrefix = typeof jumps === 'string' && /^[\x21-\x7e]{1,512}$/.test(jumps);
  // An own member only, because a value of Object.prototype is not signed.
  return isPrefix && Object.hasOwn(manifest, 'jumps') ? jumpUrl(jumps, from, sha256) : undefined;
}

export const listManifest: ManifestKind<ManifestFields> = {
  kind: 'tamis-manifest-1',
  readFields: readManifestFields,
};

/** A function, so that bundles without these fields drop it. */
export const shownReaders = () => ({
  label,
  severity: between(0, 10),
  report: matchText(
    /^https:\/\/[\w.:[\]-]+\/(?=.{0,2000}$)[!-~]*\{url\}[!-~]*$/,
    'a URL of https with {url} in its path or query',
  ),
});

/** The valid ones of these fields. An invalid value counts as absent. */
export function shownFields(manifest: Manifest): ShownFields {
  const fields = Object.entries(shownReaders()).filter(([name, read]) => {
    try {
      return Object.hasOwn(manifest, name) && read(Reflect.get(manifest, name), name) !== undefined;
    } catch {
      return false;
    }
  });
  return Object.fromEntries(fields.map(([name]) => [name, Reflect.get(manifest, name)]));
}
