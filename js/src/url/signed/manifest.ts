// The signed manifest of a list, which clients accept by its time and `seq` (cpp/FORMAT.md, section 7.4).

import { TamisError } from '../../core/errors.js';
import { between, copyOwn, need, type Reader, readOptions, text } from '../../core/options.js';
import {
  type PublicKey,
  publicKeysReader,
  type SigningKeys,
  trustKeys,
} from '../../core/signed/keys.js';
import { expectCurrent, openManifest, signFields } from '../../core/signed/manifest.js';
import {
  listManifest,
  type Manifest,
  type ManifestFields,
  readManifestFields,
} from './manifest-fields.js';

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
  /** The time to check expiry by, in milliseconds since 1970; default: now. */
  readonly nowMs?: number;
  /** The list's name. Default: the name of `newest`, or any name. */
  readonly list?: string;
  /** The client's host rule. */
  readonly rule?: string;
  /** The newest manifest of the list so far. */
  readonly newest?: Manifest | undefined;
}

/** Throws ERR_TAMIS_EXPIRED, ERR_TAMIS_ROLLBACK or ERR_TAMIS_INCOMPATIBLE. */
export function expectManifest(manifest: Manifest, expected: ManifestExpectation): void {
  const { nowMs = Date.now(), newest, list = newest?.list, rule } = copyOwn(expected);
  if (list !== undefined && manifest.list !== list) {
    const message = `the manifest is of the list '${manifest.list}', not of '${list}'`;
    throw new TamisError('ERR_TAMIS_INCOMPATIBLE', message);
  }
  if (rule !== undefined && manifest.rule !== rule) {
    const message = `the manifest is of the rule '${manifest.rule}', not of '${rule}'`;
    throw new TamisError('ERR_TAMIS_INCOMPATIBLE', message);
  }
  expectCurrent(manifest, newest, nowMs);
}

/** Options of verifyManifest. */
export interface VerifyOptions extends ManifestExpectation {
  /** 1 to 16 public keys; the signature of any of them counts. To change keys, give the present one and the next. */
  readonly publicKeys: readonly PublicKey[];
}

/** A manifest with valid fields: with an invalid `seq`, every manifest would count as newer. */
const anyManifest: Reader<Manifest> = (value, name) => {
  readManifestFields(value, name);
  return value as Manifest;
};

/**
 * Verifies a manifest, given as text, bytes or a parsed object, and returns it. Its errors:
 *
 * - ERR_TAMIS_CORRUPT: no manifest, or a field of the wrong type or range;
 * - ERR_TAMIS_BAD_SIGNATURE: damaged, or signed by another key;
 * - ERR_TAMIS_EXPIRED;
 * - ERR_TAMIS_ROLLBACK: older than `newest`, or different with the same `seq`;
 * - ERR_TAMIS_INCOMPATIBLE: another list or rule;
 * - ERR_TAMIS_TOO_LARGE: over 2 MiB;
 * - ERR_TAMIS_UNSUPPORTED: no Ed25519;
 * - TypeError or RangeError: wrong options.
 *
 * The signature proves the publisher, not the list. Without `list` and `newest`, a host can send another list of the
 * same publisher, which answers 'safe' for URLs that yours has. Give `list`, or check the `list` of the result.
 *
 * @example
 * import { verifyManifest } from 'tamis/url';
 * const publicKeys = ['d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a'];
 * const options = { publicKeys, list: 'phish' };
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
    list: text,
    rule: text,
    newest: anyManifest,
  };
  const what = 'verifyManifest';
  const values = readOptions(options, readers, what);
  need(values, what, 'publicKeys');
  const manifest = await openManifest(listManifest, input, await trustKeys(values.publicKeys));
  expectManifest(manifest, values);
  return manifest;
}
