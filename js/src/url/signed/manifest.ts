// The manifest of a list: what a publisher signs and a client believes.
//
// What is signed, so that any language can verify it: the ASCII bytes "tamis-manifest-1\n", then the
// manifest without its member `sig` as RFC 8785 (JCS) writes it, in UTF-8; by Ed25519 (RFC 8032).
// Members that this release does not know are signed with the rest, and mean nothing.

import { rangeError, show, TamisError, typeError } from '../../core/errors.js';
import { fixed, isBytes, lengthOfBytes } from '../../core/key-types.js';
import { between, own, type Reader, readOptions, text } from '../../core/options.js';
import { bytesOfHex, hexOf, sha256Hex, webCrypto } from '../../core/signed/bytes.js';
import { canonicalJson } from '../../core/signed/canonical-json.js';
import {
  type Manifest,
  type ManifestFields,
  manifestFields,
  orCorrupt,
  signatureOf,
} from './manifest-fields.js';

export type { Manifest, ManifestDelta, ManifestFields, ManifestFile } from './manifest-fields.js';

/** A CryptoKey. Node's types have no global of that name, and both give it by this road. */
type CryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** An Ed25519 public key: a CryptoKey, its 32 bytes, or those in lower-case hexadecimal. */
export type PublicKey = CryptoKey | Uint8Array | string;

/** What signs: the private key, and the public one that belongs to it. */
export interface SigningKeys {
  readonly privateKey: CryptoKey;
  readonly publicKey: PublicKey;
}

/** A manifest has some hundred bytes, and about 250 more for each delta. */
export const maxManifestBytes = 2 ** 21;

const maxKeys = 16;
/** What is signed begins with this. */
const prefix = 'tamis-manifest-1\n';
/** The member `sig`, with its comma. */
const sigBytes = 137;
const algorithm = 'Ed25519';

interface KnownKey {
  readonly id: string;
  readonly key: CryptoKey;
}

/** An Ed25519 key that can do what it is for; Uint8Arrays and strings have no algorithm. */
function canDo(key: unknown, usage: 'sign' | 'verify'): key is CryptoKey {
  const { algorithm: found, usages } = Object(key) as Partial<CryptoKey>;
  return found?.name === algorithm && usages?.includes(usage) === true;
}

/** The key, if it can be one. */
export async function knownKey(given: PublicKey, name: string): Promise<KnownKey> {
  const subtle = webCrypto();
  const value = isBytes(given) ? fixed(given, name) : given;
  if (typeof value === 'string' && !/^[0-9a-f]{64}$/.test(value)) {
    throw rangeError(`${name} must be 64 digits of lower-case hexadecimal`);
  }
  if (isBytes(value) && value.length !== 32) {
    throw rangeError(`${name} must have 32 bytes, got ${value.length}`);
  }
  const bytes = typeof value === 'string' ? bytesOfHex(value) : value;
  if (!isBytes(bytes) && !canDo(bytes, 'verify')) {
    throw typeError(`${name} must be an Ed25519 public key, got ${show(value)}`);
  }
  try {
    const key = isBytes(bytes)
      ? await subtle.importKey('raw', bytes as Uint8Array<ArrayBuffer>, algorithm, true, ['verify'])
      : bytes;
    const raw = new Uint8Array(await subtle.exportKey('raw', key));
    return { id: (await sha256Hex(raw)).slice(0, 16), key };
  } catch (cause) {
    if ((cause as Error | null)?.name === 'NotSupportedError') {
      throw new TamisError(
        'ERR_TAMIS_UNSUPPORTED',
        'signed lists need Ed25519 in WebCrypto: Chrome 137, Firefox 129, Safari 17, Node 20 or later',
        { cause },
      );
    }
    throw typeError(`${name} must be an Ed25519 public key that can be exported`);
  }
}

/** The keys that are trusted, in a form that can be asked often. */
export async function knownKeys(keys: readonly PublicKey[]): Promise<readonly KnownKey[]> {
  return Promise.all(keys.map((key, i) => knownKey(key, `publicKeys[${i}]`)));
}

/** The list of keys, not yet looked into. */
export const publicKeysReader: Reader<readonly PublicKey[]> = (value, name) => {
  if (!Array.isArray(value)) throw typeError(`${name} must be an array, got ${show(value)}`);
  if (value.length < 1 || value.length > maxKeys) {
    throw rangeError(`${name} must have 1 to ${maxKeys} keys, got ${value.length}`);
  }
  return [...value];
};

/** The bytes that are signed. */
function signedBytes(manifest: object): Uint8Array<ArrayBuffer> {
  const { sig: _, ...signed } = manifest as { sig?: unknown };
  return new TextEncoder().encode(prefix + canonicalJson(signed));
}

/**
 * Signs the manifest of one version of a list. The result is what manifest.json holds: write it with
 * JSON.stringify. Members beyond ManifestFields are kept and signed.
 *
 * Throws TypeError and RangeError for fields and keys that are wrong, UNSUPPORTED without Ed25519.
 *
 * @example
 * import { signManifest, UrlListBuilder } from 'tamis/url';
 * const hex = (bytes) => Buffer.from(bytes).toString('hex');
 * const list = new UrlListBuilder({ name: 'phish' }).addHosts(['evil.example']).build();
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
  // As it will be read: a getter or a toJSON has its say once, before the signature.
  let plain: unknown;
  try {
    plain = JSON.parse(JSON.stringify(fields) ?? 'null');
  } catch {
    throw typeError('signManifest: expected fields that JSON can hold');
  }
  manifestFields(plain);
  const { privateKey, publicKey } = Object(keys) as SigningKeys;
  const { id, key } = await knownKey(publicKey, 'publicKey');
  if (!canDo(privateKey, 'sign')) {
    throw typeError(`privateKey must be an Ed25519 private key, got ${show(privateKey)}`);
  }
  const unsigned = { ...(plain as ManifestFields), keyId: id };
  const bytes = signedBytes(unsigned);
  // Without the words in front, and with a signature: what nobody would open is not signed.
  if (bytes.length - prefix.length + sigBytes > maxManifestBytes) {
    throw rangeError(`a manifest has at most ${maxManifestBytes} bytes`);
  }
  const signature = await webCrypto().sign(algorithm, privateKey, bytes);
  if (!(await webCrypto().verify(algorithm, key, signature, bytes))) {
    throw typeError('publicKey must belong to privateKey: it does not verify what that signed');
  }
  return { ...unsigned, sig: hexOf(new Uint8Array(signature)) };
}

/** A manifest whose signature and fields were checked, but neither its time nor its place in a history. */
export async function openManifest(
  input: string | Uint8Array | object,
  keys: readonly KnownKey[],
): Promise<Manifest> {
  let size = 0;
  if (typeof input === 'string') size = input.length;
  else if (isBytes(input)) size = lengthOfBytes(input);
  if (size > maxManifestBytes) {
    throw new TamisError('ERR_TAMIS_TOO_LARGE', `a manifest has at most ${maxManifestBytes} bytes`);
  }
  const value = orCorrupt(() => {
    const text = isBytes(input) ? new TextDecoder('utf-8', { fatal: true }).decode(input) : input;
    return (typeof text === 'string' ? JSON.parse(text) : text) as object;
  });
  const { keyId, sig } = orCorrupt(() => signatureOf(value, 'manifest'));
  const bytes = orCorrupt(() => signedBytes(value));
  const signer = keys.find(({ id }) => id === keyId);
  if (signer === undefined) {
    const message = `the manifest is signed with the key ${keyId}, which is none of publicKeys`;
    throw new TamisError('ERR_TAMIS_BAD_SIGNATURE', message);
  }
  if (!(await webCrypto().verify(algorithm, signer.key, bytesOfHex(sig), bytes))) {
    throw new TamisError('ERR_TAMIS_BAD_SIGNATURE');
  }
  // Copied from what was signed, so that an object that changes later is none of ours.
  const signed = JSON.parse(new TextDecoder().decode(bytes).slice(prefix.length));
  return { ...signed, ...orCorrupt(() => manifestFields(signed)), keyId, sig };
}

/** Whether two manifests say the same, whoever signed. */
export function saysTheSame(one: Manifest, other: Manifest): boolean {
  const textOf = ({ sig: _, keyId: __, ...said }: Manifest) => canonicalJson(said);
  return textOf(one) === textOf(other);
}

/** What a client expects of a manifest, beside a signature. */
export interface ManifestExpectation {
  /** The time to judge by, in milliseconds since 1970; default: now. */
  readonly nowMs?: number;
  /** The list's name. */
  readonly list?: string;
  /** The rule that the client checks URLs by. */
  readonly rule?: string;
  /** The newest manifest of the list that was seen before. */
  readonly newest?: Manifest;
}

/** From when on the list is not to be believed, in milliseconds since 1970. */
export function endOf(manifest: Manifest): number {
  return Date.parse(manifest.notAfter);
}

/** Throws EXPIRED, ROLLBACK or INCOMPATIBLE. */
export function expectManifest(manifest: Manifest, expected: ManifestExpectation): void {
  const { nowMs = Date.now(), newest, list = newest?.list, rule } = own(expected);
  if (list !== undefined && manifest.list !== list) {
    const message = `the manifest is of the list '${manifest.list}', not of '${list}'`;
    throw new TamisError('ERR_TAMIS_INCOMPATIBLE', message);
  }
  if (rule !== undefined && manifest.rule !== rule) {
    const message = `the list is built by the rule '${manifest.rule}', URLs are checked by '${rule}'`;
    throw new TamisError('ERR_TAMIS_INCOMPATIBLE', message);
  }
  if (newest !== undefined && manifest.seq <= newest.seq && !saysTheSame(manifest, newest)) {
    const message = `the manifest has seq ${manifest.seq}, and one with ${newest.seq} was seen before`;
    throw new TamisError('ERR_TAMIS_ROLLBACK', message);
  }
  // Not nowMs >= end: a clock that gives NaN finds everything expired.
  if (!(nowMs < endOf(manifest))) {
    const message = `the manifest of version '${manifest.version}' expired at ${manifest.notAfter}`;
    throw new TamisError('ERR_TAMIS_EXPIRED', message);
  }
}

/** Options of verifyManifest. */
export interface VerifyOptions extends ManifestExpectation {
  /** 1 to 16 keys, any of which may have signed: the present one and the next, to change keys. */
  readonly publicKeys: readonly PublicKey[];
}

/** With fields that can be compared: beside one without a number everything is new. */
const anyManifest: Reader<Manifest> = (value, name) => {
  manifestFields(value, name);
  return value as Manifest;
};

/**
 * The manifest in a text, in its bytes or in a parsed object, if it can be believed.
 *
 * Throws CORRUPT (no manifest, or a field of the wrong type or range), BAD_SIGNATURE (damaged, or
 * signed by somebody else), EXPIRED, ROLLBACK (older than `newest`, or another with its number),
 * INCOMPATIBLE (another list or rule), TOO_LARGE (over 2 MiB), UNSUPPORTED without Ed25519; TypeError
 * and RangeError for options that are wrong.
 *
 * @example
 * import { verifyManifest } from 'tamis/url';
 * const publicKeys = ['d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a'];
 * const refused = await verifyManifest('{"seq":1}', { publicKeys }).catch(({ code }) => code);
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
  const given = readOptions(options, readers, 'verifyManifest');
  const { publicKeys } = given;
  if (publicKeys === undefined) throw typeError('verifyManifest: publicKeys is missing');
  const manifest = await openManifest(input, await knownKeys(publicKeys));
  expectManifest(manifest, given as ManifestExpectation);
  return manifest;
}
