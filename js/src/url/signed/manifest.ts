// The signed manifest of a list: its fields, and checks of its time and `seq` (cpp/FORMAT.md, sections 7.2 and 7.4).

import { mustBe, rangeError, TamisError } from '../../core/errors.js';
import {
  between,
  copyOwn,
  integer,
  need,
  oneOf,
  type Reader,
  readOptions,
  text,
} from '../../core/options.js';
import { hexadecimal, instant, matchText, readRecord } from '../../core/signed/fields.js';
import {
  type PublicKey,
  publicKeysReader,
  type SigningKeys,
  trustKeys,
} from '../../core/signed/keys.js';
import {
  expectCurrent,
  type ManifestKind,
  openManifest,
  type Signature,
  signFields,
} from '../../core/signed/manifest.js';

/** A file that a manifest names. */
export interface ManifestFile {
  /** The file's URL, relative to the manifest's own. */
  readonly url: string;
  /** The exact size in bytes. */
  readonly bytes: number;
  /** The SHA-256 of the file, 64 digits of lower-case hexadecimal. */
  readonly sha256: string;
}

/** A delta of a chain. Each leads to the `from` of the next delta, and the last one to the manifest's `sha256`. */
export interface ManifestDelta extends ManifestFile {
  /** The `UrlList.identity` of the list to which the delta applies, in lower-case hexadecimal. */
  readonly from: string;
}

/** The manifest of one version of a list, without its signature. */
export interface ManifestFields {
  /** The list's name, up to 64 characters of printable ASCII. */
  readonly list: string;
  /** A number from 1. It grows with every published manifest, even if only `notAfter` changed. */
  readonly seq: number;
  /** A name of the version for people, up to 64 characters of printable ASCII. */
  readonly version: string;
  /** The number of entries. */
  readonly n: number;
  readonly hash: 'sha256';
  /** The host rule by which the list was built: 'parents', 'labels5', or the name of a PublicSuffixRule. */
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
  /** At most 4096 deltas, oldest first. */
  readonly deltas: readonly ManifestDelta[];
  /**
   * The start of each jump's URL, 1 to 512 characters. A jump is a delta from an older list to this list. An invalid
   * value counts as absent, so a manifest may have any value here.
   */
  readonly jumps?: string;
  /** A name for users, up to 64 characters of printable ASCII. `label`, `severity` and `report` are only displayed. */
  readonly label?: string;
  /** The severity of the list's entries, from 0 to 10. */
  readonly severity?: number;
  /** The address for reports of wrong entries: an https URL with the placeholder `{url}` after its host. */
  readonly report?: string;
}

/** The fields that clients show to users. An invalid value counts as absent. */
export type ShownFields = Pick<ManifestFields, 'label' | 'severity' | 'report'>;

/** The content of manifest.json: the fields and the signature. */
export interface Manifest extends ManifestFields, Signature {}

export const mostDeltas = 4096;

export const prefixWidth: Reader<4 | 8 | 16 | 32> = (value, name) => {
  const width = integer(4, 32)(value, name);
  if ([4, 8, 16, 32].includes(width)) return width as 4 | 8 | 16 | 32;
  throw rangeError(`${name} must be 4, 8, 16 or 32, got ${width}`);
};

/** Reads a name, such as that of a list or a version. */
export const label = /* @__PURE__ */ matchText(
  /^[\x20-\x7e]{1,64}$/,
  '1 to 64 characters of printable ASCII',
);

/** Checks the fields of a manifest. Throws TypeError and RangeError. */
function readManifestFields(value: unknown, name = 'manifest'): ManifestFields {
  // The readers are made here, so that bundles that read no manifest drop them.
  const url = matchText(/^[\x21-\x7e]{1,2048}$/, 'an ASCII URL of at most 2048 characters');
  const digest = hexadecimal(64);
  const file = { url, bytes: integer(0), sha256: digest };
  const readDelta = readRecord<ManifestDelta>({ ...file, from: digest });
  const read = readRecord<Omit<ManifestFields, 'jumps' | keyof ShownFields>>({
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
      if (value.length > mostDeltas) {
        throw rangeError(`${name} must have at most ${mostDeltas} entries, got ${value.length}`);
      }
      return value.map((delta, i) => readDelta(delta, `${name}[${i}]`));
    },
  });
  const fields = read(value, name);
  if (Date.parse(fields.notAfter) <= Date.parse(fields.created)) {
    throw rangeError(`${name}.notAfter must be later than ${name}.created`);
  }
  return fields;
}

/** The number of digits of each list's identity in a jump's name. */
export const jumpDigits = 16;

/** The URL of the jump between two lists with these identities in hexadecimal. `prefix` is the manifest's `jumps`. */
export const jumpUrl = (prefix: string, from: string, to: string): string =>
  `${prefix}${from.slice(0, jumpDigits)}-${to.slice(0, jumpDigits)}.tamis`;

/** The URL of the jump from a list to the manifest's list; undefined if the manifest has no jumps. */
export function findJump(manifest: Manifest, from: string): string | undefined {
  const { jumps, sha256 } = manifest;
  const isPrefix = typeof jumps === 'string' && /^[\x21-\x7e]{1,512}$/.test(jumps);
  // Only an own member, because a value of Object.prototype is not signed.
  return isPrefix && Object.hasOwn(manifest, 'jumps') ? jumpUrl(jumps, from, sha256) : undefined;
}

export const listManifest: ManifestKind<ManifestFields> = {
  kind: 'tamis-manifest-1',
  readFields: readManifestFields,
};

/** Makes the readers in a function, so that bundles without these fields drop them. */
export const shownReaders = () => ({
  label,
  severity: between(0, 10),
  report: matchText(
    /^https:\/\/[\w.:[\]-]+\/(?=.{0,2000}$)[!-~]*\{url\}[!-~]*$/,
    'an https URL with {url} in its path or query',
  ),
});

/** Returns those of the manifest's own fields for users that are valid. */
export function shownFields(manifest: object): ShownFields {
  const fields = Object.entries(shownReaders()).filter(([name, read]) => {
    try {
      return Object.hasOwn(manifest, name) && read(Reflect.get(manifest, name), name) !== undefined;
    } catch {
      return false;
    }
  });
  return Object.fromEntries(fields.map(([name]) => [name, Reflect.get(manifest, name)]));
}

/**
 * Signs the manifest of one version of a list. The result is the content of manifest.json: write it with
 * JSON.stringify. Members beyond ManifestFields are kept and signed.
 *
 * Throws TypeError and RangeError for wrong fields and keys, and ERR_TAMIS_UNSUPPORTED without Ed25519.
 *
 * @example
 * import { signManifest, UrlListBuilder } from 'tamis/url';
 * const hex = (bytes) => Buffer.from(bytes).toString('hex');
 * const list = new UrlListBuilder().addHosts(['evil.example']).build();
 * const bytes = list.toBytes();
 * const sha256 = hex(await crypto.subtle.digest('SHA-256', bytes));
 * const keys = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']);
 * const { seq } = await signManifest(
 *   {
 *     list: 'phish',
 *     seq: 1,
 *     version: '2026-11-22',
 *     n: list.count,
 *     hash: 'sha256',
 *     rule: list.rule,
 *     prefixBytes: 4,
 *     created: '2026-11-22T00:00:00.000Z',
 *     notAfter: '2026-11-29T00:00:00.000Z',
 *     sha256: hex(list.identity),
 *     snapshot: { url: `snap-${sha256}.bin`, bytes: bytes.length, sha256 },
 *     deltas: [],
 *   },
 *   keys,
 * );
 * seq; // => 1
 */
export async function signManifest(fields: ManifestFields, keys: SigningKeys): Promise<Manifest> {
  return signFields(listManifest, fields, keys, 'signManifest');
}

/** The properties that a manifest must have, besides a valid signature. */
export interface ManifestExpectation {
  /** The time at which the manifest must be valid, in milliseconds since 1970; default: now. */
  readonly nowMs?: number;
  /** The expected `list` of the manifest. Default: the `list` of `newest`; without `newest`, any name. */
  readonly name?: string;
  /** The name of the client's host rule; default: any rule. */
  readonly rule?: string;
  /** The newest manifest of the list so far. An older manifest is refused. */
  readonly newest?: Manifest | undefined;
}

/** Checks a manifest. Throws ERR_TAMIS_EXPIRED, ERR_TAMIS_ROLLBACK or ERR_TAMIS_INCOMPATIBLE. */
export function expectManifest(manifest: Manifest, expected: ManifestExpectation): void {
  const { nowMs = Date.now(), newest, name = newest?.list, rule } = copyOwn(expected);
  const expectSame = (field: 'list' | 'rule', expectation: string | undefined) => {
    if (expectation === undefined || manifest[field] === expectation) return;
    const message = `the manifest is for the ${field} '${manifest[field]}', not for '${expectation}'`;
    throw new TamisError('ERR_TAMIS_INCOMPATIBLE', message);
  };
  expectSame('list', name);
  expectSame('rule', rule);
  expectCurrent(manifest, newest, nowMs);
}

/** Options of verifyManifest. */
export interface VerifyOptions extends ManifestExpectation {
  /** 1 to 16 public keys, any of which may have signed. For a change of keys, pass the current key and the next one. */
  readonly publicKeys: readonly PublicKey[];
}

/**
 * Verifies a manifest, which may be text, bytes or a parsed object, and returns it. Its errors:
 *
 * - ERR_TAMIS_CORRUPT: it is no manifest, or a field has the wrong type or range;
 * - ERR_TAMIS_BAD_SIGNATURE: it is damaged, or signed with another key;
 * - ERR_TAMIS_EXPIRED: its `notAfter` has passed;
 * - ERR_TAMIS_ROLLBACK: it is older than `newest`, or different with the same `seq`;
 * - ERR_TAMIS_INCOMPATIBLE: it is for another list or rule;
 * - ERR_TAMIS_TOO_LARGE: it is over 2 MiB;
 * - ERR_TAMIS_UNSUPPORTED: the engine lacks Ed25519;
 * - TypeError or RangeError: wrong options.
 *
 * The signature proves the publisher, not the list. Without `name` and `newest`, a host can send another list of the
 * same publisher, which answers 'safe' for URLs on your list. Pass `name`, or check the `list` of the result.
 *
 * @example
 * import { verifyManifest } from 'tamis/url';
 * const publicKeys = ['d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a'];
 * const options = { publicKeys, name: 'phish' };
 * const refused = await verifyManifest('{"seq":1}', options).catch(({ code }) => code);
 * refused; // => 'ERR_TAMIS_CORRUPT'
 */
export async function verifyManifest(
  input: string | Uint8Array | object,
  options: VerifyOptions,
): Promise<Manifest> {
  const readers = {
    publicKeys: publicKeysReader,
    nowMs: between(-8.64e15, 8.64e15),
    name: text,
    rule: text,
    // The fields of `newest` must be valid: with an invalid `seq`, every manifest would count as newer.
    newest(value: unknown, name: string) {
      readManifestFields(value, name);
      return value as Manifest;
    },
  };
  const what = 'verifyManifest';
  const values = readOptions(options, readers, what);
  need(values, what, 'publicKeys');
  const manifest = await openManifest(listManifest, input, await trustKeys(values.publicKeys));
  expectManifest(manifest, values);
  return manifest;
}
