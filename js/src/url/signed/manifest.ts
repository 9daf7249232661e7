// What a publisher says of one version of a list: signed, and believed within its time and its history
// (cpp/FORMAT.md, section 7.4).

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
 * Signs the manifest of one version of a list. The result is what manifest.json holds: write it with
 * JSON.stringify. Members beyond ManifestFields are kept and signed.
 *
 * Throws TypeError and RangeError for fields and keys that are wrong, UNSUPPORTED without Ed25519.
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

/** What a client expects of a manifest, beside a signature. */
export interface ManifestExpectation {
  /** The time to judge by, in milliseconds since 1970; default: now. */
  readonly nowMs?: number;
  /** The list's name; without it, of `newest` that name counts, and else any. */
  readonly list?: string;
  /** The rule that the client checks URLs by. */
  readonly rule?: string;
  /** The newest manifest of the list that was seen before. */
  readonly newest?: Manifest | undefined;
}

/** Throws EXPIRED, ROLLBACK or INCOMPATIBLE. */
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
  /** 1 to 16 keys, any of which may have signed: the present one and the next, to change keys. */
  readonly publicKeys: readonly PublicKey[];
}

/** With fields that can be compared: beside one without a number everything is new. */
const anyManifest: Reader<Manifest> = (value, name) => {
  readManifestFields(value, name);
  return value as Manifest;
};

/**
 * The manifest in a text, in its bytes or in a parsed object, if it can be believed.
 *
 * Throws CORRUPT (no manifest, or a field of the wrong type or range), and BAD_SIGNATURE (damaged, or signed by
 * somebody else). Throws EXPIRED, ROLLBACK (older than `newest`, or another with its number), INCOMPATIBLE (another
 * list or rule), and TOO_LARGE (over 2 MiB). Throws UNSUPPORTED without Ed25519, TypeError and RangeError for
 * options that are wrong.
 *
 * A signature says who signed, not which list it is. Without `list` and `newest` a host can give you another list of the
 * same key, whose answers are 'safe' for what yours has. Give `list`, or look at that of the result.
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
  const given = readOptions(options, readers, what);
  need(given, what, 'publicKeys');
  const manifest = await openManifest(listManifest, input, await trustKeys(given.publicKeys));
  expectManifest(manifest, given as ManifestExpectation);
  return manifest;
}
