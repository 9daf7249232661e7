// Manifests: JSON objects that a publisher signs and a client verifies (cpp/FORMAT.md, sections 7.3 and 7.4).

import { mustBe, rangeError, show, TamisError, typeError } from '../errors.js';
import { isBytes, isWellFormed } from '../key-types.js';
import { bytesOfHex, hexOf, webCrypto } from './bytes.js';
import { hexadecimal, readRecord } from './fields.js';
import { algorithm, canDo, type SigningKeys, type TrustedKey, trustKey } from './keys.js';

/** The members that signing adds. */
export interface Signature {
  /** The id of the public key that verifies the signature, 16 digits of hexadecimal. */
  readonly keyId: string;
  /** The Ed25519 signature, 64 bytes in hexadecimal. */
  readonly sig: string;
}

/** A kind of manifest: its name, which is signed too, and its fields. */
export interface ManifestKind<Fields extends object> {
  readonly kind: string;
  /** Reads the fields of an object. Throws TypeError and RangeError. */
  readonly readFields: (value: unknown) => Fields;
}

/** The maximum size of a manifest in bytes. Usually it is some hundred bytes, and about 250 more per file it names. */
export const maxManifestBytes = 2 ** 21;

/** The size of the member `sig` with its comma: 128 digits, and 9 other characters. */
const sigBytes = 137;

const readSignature = readRecord<Signature>({ keyId: hexadecimal(16), sig: hexadecimal(128) });

/** The deepest nesting of JSON. No manifest needs more levels, and the stack has room for far more. */
const maxDepth = 32;

/**
 * Returns the canonical text of a JSON value (RFC 8785; cpp/FORMAT.md, section 7.3). Throws TypeError for a value that
 * JSON lacks, and RangeError for more than 32 levels.
 */
function canonicalJson(value: unknown, depth = 0): string {
  if (depth > maxDepth) throw rangeError(`JSON deeper than ${maxDepth} levels`);
  if (Array.isArray(value)) {
    return `[${Array.from(value, (item) => canonicalJson(item, depth + 1)).join()}]`;
  }
  if (typeof value === 'object' && value !== null) {
    const object: Record<string, unknown> = Object(value);
    const members = Object.keys(object)
      // Names are sorted by UTF-16 code units, as the RFC demands.
      .sort()
      .map((name) => `${canonicalJson(name)}:${canonicalJson(object[name], depth + 1)}`);
    return `{${members.join()}}`;
  }
  // A lone surrogate has no UTF-8, so there are no bytes to sign.
  const isValue =
    value === null ||
    typeof value === 'boolean' ||
    (typeof value === 'number' && Number.isFinite(value)) ||
    (typeof value === 'string' && isWellFormed(value));
  if (!isValue) throw typeError(`expected a JSON value, got ${show(value)}`);
  return JSON.stringify(value);
}

/** The text that is signed, without the kind. */
function textToSign(manifest: object): string {
  const { sig: _, ...rest }: { sig?: unknown } = manifest;
  return canonicalJson(rest);
}

/** The bytes that are signed. */
const encode = (kind: string, text: string): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(`${kind}\n${text}`);

/** Runs `read`. Its TypeError or RangeError becomes ERR_TAMIS_CORRUPT, because the data is not the caller's. */
function readUntrusted<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    const why = Object(cause).message ?? String(cause);
    throw new TamisError('ERR_TAMIS_CORRUPT', `not a manifest: ${why}`, { cause });
  }
}

/**
 * Signs fields, and returns a manifest for JSON.stringify to write. Unknown members are kept and signed. Throws
 * TypeError and RangeError for wrong fields and keys, and ERR_TAMIS_UNSUPPORTED without Ed25519.
 */
export async function signFields<Fields extends object>(
  { kind, readFields }: ManifestKind<Fields>,
  fields: Fields,
  keys: SigningKeys,
  what: string,
): Promise<Fields & Signature> {
  // The object is read as JSON once, so that a getter or a toJSON cannot change what was signed.
  let plain: Fields;
  try {
    plain = JSON.parse(JSON.stringify(fields) ?? 'null');
  } catch {
    throw typeError(`${what}: expected fields that JSON can hold`);
  }
  readFields(plain);
  const { privateKey, publicKey }: SigningKeys = Object(keys);
  const trusted = await trustKey(publicKey, 'publicKey');
  if (!canDo(privateKey, 'sign')) throw mustBe('an Ed25519 private key', 'privateKey', privateKey);
  const unsigned = { ...plain, keyId: trusted.id };
  const bytes = encode(kind, textToSign(unsigned));
  // The limit applies to the file, which lacks the kind and has a signature. No client would open a larger file.
  if (bytes.length - kind.length - 1 + sigBytes > maxManifestBytes) {
    throw rangeError(`a manifest has at most ${maxManifestBytes} bytes`);
  }
  const signature = await webCrypto().sign(algorithm, privateKey, bytes);
  if (!(await webCrypto().verify(algorithm, trusted.publicKey, signature, bytes))) {
    throw typeError('publicKey must belong to privateKey');
  }
  return { ...unsigned, sig: hexOf(new Uint8Array(signature)) };
}

/** Parses a text or bytes, and returns an object as it is. Throws ERR_TAMIS_TOO_LARGE and ERR_TAMIS_CORRUPT. */
function parseManifest(input: string | Uint8Array | object): object {
  if ((isBytes(input) || typeof input === 'string') && input.length > maxManifestBytes) {
    throw new TamisError('ERR_TAMIS_TOO_LARGE', `a manifest has at most ${maxManifestBytes} bytes`);
  }
  return readUntrusted(() => {
    const text = isBytes(input) ? new TextDecoder('utf-8', { fatal: true }).decode(input) : input;
    return (typeof text === 'string' ? JSON.parse(text) : text) as object;
  });
}

/**
 * Reads a manifest from a text, from bytes or from a parsed object, and verifies its signature and its fields. It
 * does not check the time and the sequence. Throws ERR_TAMIS_CORRUPT, ERR_TAMIS_BAD_SIGNATURE, ERR_TAMIS_TOO_LARGE.
 */
export async function openManifest<Fields extends object>(
  { kind, readFields }: ManifestKind<Fields>,
  input: string | Uint8Array | object,
  keys: readonly TrustedKey[],
): Promise<Fields & Signature> {
  const value = parseManifest(input);
  const { keyId, sig } = readUntrusted(() => readSignature(value, 'manifest'));
  const text = readUntrusted(() => textToSign(value));
  const signer = keys.find(({ id }) => id === keyId);
  if (signer === undefined) {
    const message = `no key of publicKeys has the manifest's keyId ${keyId}`;
    throw new TamisError('ERR_TAMIS_BAD_SIGNATURE', message);
  }
  const bytes = encode(kind, text);
  if (!(await webCrypto().verify(algorithm, signer.publicKey, bytesOfHex(sig), bytes))) {
    throw new TamisError('ERR_TAMIS_BAD_SIGNATURE', 'the manifest was changed after it was signed');
  }
  // The result is a copy of the signed text, so that later changes of the caller's object do not matter.
  const signed = JSON.parse(text);
  return { ...signed, ...readUntrusted(() => readFields(signed)), keyId, sig };
}

/** Reads a manifest, and checks its fields, but no signature. Throws ERR_TAMIS_CORRUPT and ERR_TAMIS_TOO_LARGE. */
export function openUnsigned<Fields extends object>(
  { readFields }: ManifestKind<Fields>,
  input: string | Uint8Array | object,
): Fields & Partial<Signature> {
  const value = parseManifest(input);
  return readUntrusted(() => readFields(value));
}

/** The fields that say which of two manifests is newer, and when a manifest expires. */
interface Dated extends Partial<Signature> {
  readonly seq: number;
  readonly notAfter: string;
}

/** Throws ERR_TAMIS_EXPIRED if expired, and ERR_TAMIS_ROLLBACK if it differs from `newest` but has no higher `seq`. */
export function expectCurrent(manifest: Dated, newest: Dated | undefined, nowMs: number): void {
  if (newest !== undefined && manifest.seq <= newest.seq && !saysTheSame(manifest, newest)) {
    const message = `the manifest has seq ${manifest.seq}, but an earlier one had ${newest.seq}`;
    throw new TamisError('ERR_TAMIS_ROLLBACK', message);
  }
  // The negated test makes everything expired if a clock returns NaN.
  if (!(nowMs < Date.parse(manifest.notAfter))) {
    const message = `the manifest expired at ${manifest.notAfter}; fetch or publish a newer one`;
    throw new TamisError('ERR_TAMIS_EXPIRED', message);
  }
}

/** True if two manifests have equal content, no matter who signed them. */
export function saysTheSame(one: Partial<Signature>, other: Partial<Signature>): boolean {
  const textOf = ({ sig: _, keyId: __, ...content }: Partial<Signature>) => canonicalJson(content);
  return textOf(one) === textOf(other);
}
