// What a manifest says, field by field: each has its type and its range.

import { rangeError, show, TamisError, typeError } from '../../core/errors.js';
import { integer, oneOf, type Reader } from '../../core/options.js';

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
}

/** The fields and the signature: manifest.json. */
export interface Manifest extends ManifestFields {
  /** Which key signed: the first 8 bytes of the SHA-256 of its 32 bytes, in hexadecimal. */
  readonly keyId: string;
  /** The Ed25519 signature, 64 bytes in hexadecimal. */
  readonly sig: string;
}

type Readers<T> = { readonly [Name in keyof T]-?: Reader<T[Name]> };

export const maxDeltas = 4096;

function matching(pattern: RegExp, expected: string): Reader<string> {
  return (value, name) => {
    if (typeof value !== 'string')
      throw typeError(`${name} must be ${expected}, got ${show(value)}`);
    if (!pattern.test(value)) throw rangeError(`${name} must be ${expected}`);
    return value;
  };
}

export const label = matching(/^[\x20-\x7e]{1,64}$/, '1 to 64 characters of printable ASCII');
export const digest = matching(/^[0-9a-f]{64}$/, '64 digits of lower-case hexadecimal');
const address = matching(/^[\x21-\x7e]{1,2048}$/, 'a URL of at most 2048 characters of ASCII');

const instant: Reader<string> = (value, name) => {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  // Only one spelling, so that nobody has to guess at a time zone.
  if (Number.isNaN(time) || new Date(time).toISOString() !== value) {
    throw rangeError(`${name} must be a time as Date.toISOString() writes it, got ${show(value)}`);
  }
  return value;
};

const width: Reader<4 | 8 | 16 | 32> = (value, name) => {
  if (value !== 4 && value !== 8 && value !== 16 && value !== 32) {
    throw rangeError(`${name} must be 4, 8, 16 or 32, got ${show(value)}`);
  }
  return value;
};

/** Reads the fields of an object; others in it mean nothing. */
function recordOf<T>(readers: Readers<T>): Reader<T> {
  return (value, name) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw typeError(`${name} must be an object, got ${show(value)}`);
    }
    const fields: Partial<T> = {};
    for (const field of Object.keys(readers) as (keyof T & string)[]) {
      // Own ones alone: what somebody put on Object.prototype nobody signed.
      const found = Object.hasOwn(value, field) ? (value as T)[field] : undefined;
      fields[field] = readers[field](found, `${name}.${field}`);
    }
    return fields as T;
  };
}

const file = { url: address, bytes: integer(0), sha256: digest };
const deltaOf = recordOf<ManifestDelta>({ ...file, from: digest });

const fieldsOf = recordOf<ManifestFields>({
  list: label,
  seq: integer(1),
  version: label,
  n: integer(0),
  hash: oneOf(['sha256']),
  rule: label,
  prefixBytes: width,
  created: instant,
  notAfter: instant,
  sha256: digest,
  snapshot: recordOf<ManifestFile>(file),
  deltas: (value, name) => {
    if (!Array.isArray(value)) throw typeError(`${name} must be an array, got ${show(value)}`);
    if (value.length > maxDeltas) {
      throw rangeError(`${name} must have at most ${maxDeltas} entries, got ${value.length}`);
    }
    return value.map((delta, i) => deltaOf(delta, `${name}[${i}]`));
  },
});

export const signatureOf = recordOf<Pick<Manifest, 'keyId' | 'sig'>>({
  keyId: matching(/^[0-9a-f]{16}$/, '16 digits of lower-case hexadecimal'),
  sig: matching(/^[0-9a-f]{128}$/, '128 digits of lower-case hexadecimal'),
});

/** The fields of a manifest that is about to be signed, or was. Throws TypeError and RangeError. */
export function manifestFields(value: unknown, name = 'manifest'): ManifestFields {
  const fields = fieldsOf(value, name);
  if (Date.parse(fields.notAfter) <= Date.parse(fields.created)) {
    throw rangeError(`${name}.notAfter must be later than ${name}.created`);
  }
  return fields;
}

/** What `read` gives; its TypeError or RangeError, of data that came from elsewhere, is CORRUPT. */
export function orCorrupt<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new TamisError('ERR_TAMIS_CORRUPT', `not a manifest: ${why}`, { cause });
  }
}
