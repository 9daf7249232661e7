// A manifest: a JSON object that a publisher signs and a client believes (cpp/FORMAT.md, sections 7.3 and 7.4).

import { mustBe, rangeError, show, TamisError, typeError } from '../errors.js';
import { isWellFormed, lengthOfBytes } from '../key-types.js';
import { isBytes } from '../tags.js';
import { bytesOfHex, hexOf, webCrypto } from './bytes.js';
import { hexadecimal, readRecord } from './fields.js';
import { algorithm, canDo, type SigningKeys, type TrustedKey, trustKey } from './keys.js';

/** What signing adds to an object. */
export interface Signature {
  /** Which key signed: the id of its public key, 16 digits of hexadecimal. */
  readonly keyId: string;
  /** The Ed25519 signature, 64 bytes in hexadecimal. */
  readonly sig: string;
}

/** One kind of manifest: the word that is signed with it, and its fields. */
export interface ManifestKind<Fields extends object> {
  readonly kind: string;
  /** The fields of an object. Throws TypeError and RangeError. */
  readonly readFields: (value: unknown) => Fields;
}

/** A manifest has some hundred bytes, and about 250 more for each file that it names. */
export const maxManifestBytes = 2 ** 21;

/** The member `sig`, with its comma. */
const sigBytes = 137;

const readSignature = readRecord<Signature>({
  keyId: hexadecimal(16),
  sig: hexadecimal(128),
});

/** Deeper than any manifest, and far from the end of the stack. */
const maxDepth = 32;

/**
 * The one text of a JSON value: RFC 8785, in cpp/FORMAT.md section 7.3. Throws TypeError for what no JSON has,
 * RangeError for more than 32 levels.
 */
function canonicalJson(value: unknown, depth = 0): string {
  if (depth > maxDepth) throw rangeError(`JSON deeper than ${maxDepth} levels`);
  if (Array.isArray(value)) {
    return `[${Array.from(value, (item) => canonicalJson(item, depth + 1)).join()}]`;
  }
  if (typeof value === 'object' && value !== null) {
    const object = value as Record<string, unknown>;
    const members = Object.keys(object)
      // By UTF-16 code units, as the RFC has it.
      .sort()
      .map((name) => `${canonicalJson(name)}:${canonicalJson(object[name], depth + 1)}`);
    return `{${members.join()}}`;
  }
  // A lone surrogate has no UTF-8, so no bytes to sign.
  const isValue =
    value === null ||
    typeof value === 'boolean' ||
    (typeof value === 'number' && Number.isFinite(value)) ||
    (typeof value === 'string' && isWellFormed(value));
  if (!isValue) throw typeError(`expected a JSON value, got ${show(value)}`);
  return JSON.stringify(value);
}

/** The text that is signed, behind the kind. */
function textToSign(manifest: object): string {
  const { sig: _, ...rest } = manifest as { sig?: unknown };
  return canonicalJson(rest);
}

/** The bytes that are signed. */
const encode = (kind: string, text: string): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(`${kind}\n${text}`);

/** What `read` gives; its TypeError or RangeError, of data that came from elsewhere, is CORRUPT. */
function readUntrusted<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    const why = (cause as Error | undefined)?.message ?? String(cause);
    throw new TamisError('ERR_TAMIS_CORRUPT', `not a manifest: ${why}`, { cause });
  }
}

/**
 * The manifest of these fields, to be written with JSON.stringify. Members beyond the fields are kept and
 * signed. Throws TypeError and RangeError for fields and keys that are wrong, UNSUPPORTED without Ed25519.
 */
export async function signFields<Fields extends object>(
  { kind, readFields }: ManifestKind<Fields>,
  fields: Fields,
  keys: SigningKeys,
  what: string,
): Promise<Fields & Signature> {
  // As it will be read: a getter or a toJSON has its say once, before the signature.
  let plain: Fields;
  try {
    plain = JSON.parse(JSON.stringify(fields) ?? 'null');
  } catch {
    throw typeError(`${what}: expected fields that JSON can hold`);
  }
  readFields(plain);
  const { privateKey, publicKey } = Object(keys) as SigningKeys;
  const trusted = await trustKey(publicKey, 'publicKey');
  if (!canDo(privateKey, 'sign')) {
    throw mustBe('an Ed25519 private key', 'privateKey', privateKey);
  }
  const unsigned = { ...plain, keyId: trusted.id };
  const bytes = encode(kind, textToSign(unsigned));
  // Without the words in front, and with a signature: what nobody would open is not signed.
  if (bytes.length - kind.length - 1 + sigBytes > maxManifestBytes) {
    throw rangeError(`a manifest has at most ${maxManifestBytes} bytes`);
  }
  const signature = await webCrypto().sign(algorithm, privateKey, bytes);
  if (!(await webCrypto().verify(algorithm, trusted.publicKey, signature, bytes))) {
    throw typeError('publicKey must belong to privateKey');
  }
  return { ...unsigned, sig: hexOf(new Uint8Array(signature)) };
}

/** The object in a text or in bytes, not yet looked into. Throws TOO_LARGE and CORRUPT. */
function parseManifest(input: string | Uint8Array | object): object {
  const size = isBytes(input) ? lengthOfBytes(input) : typeof input === 'string' && input.length;
  if (Number(size) > maxManifestBytes) {
    throw new TamisError('ERR_TAMIS_TOO_LARGE', `a manifest has at most ${maxManifestBytes} bytes`);
  }
  return readUntrusted(() => {
    const text = isBytes(input) ? new TextDecoder('utf-8', { fatal: true }).decode(input) : input;
    return (typeof text === 'string' ? JSON.parse(text) : text) as object;
  });
}

/**
 * The manifest in a text, in its bytes or in a parsed object, if one of the keys signed it and its fields
 * are right. Its time and its place in a history are not looked at. Throws CORRUPT, BAD_SIGNATURE, TOO_LARGE.
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
    const message = `the manifest's keyId ${keyId} is that of none of publicKeys`;
    throw new TamisError('ERR_TAMIS_BAD_SIGNATURE', message);
  }
  const bytes = encode(kind, text);
  if (!(await webCrypto().verify(algorithm, signer.publicKey, bytesOfHex(sig), bytes))) {
    const message = 'the signature is wrong';
    throw new TamisError('ERR_TAMIS_BAD_SIGNATURE', message);
  }
  // Copied from what was signed, so that an object that changes later is none of ours.
  const signed = JSON.parse(text);
  return { ...signed, ...readUntrusted(() => readFields(signed)), keyId, sig };
}

/** The same, whoever signed it or nobody: its fields alone are looked at. Throws CORRUPT and TOO_LARGE. */
export function openUnsigned<Fields extends object>(
  { readFields }: ManifestKind<Fields>,
  input: string | Uint8Array | object,
): Fields & Partial<Signature> {
  const value = parseManifest(input);
  return readUntrusted(() => readFields(value));
}

/** What the manifests of a history have. */
interface Dated extends Partial<Signature> {
  readonly seq: number;
  readonly notAfter: string;
}

/** Throws ROLLBACK for an older one than `newest`, or another with its number, and EXPIRED. */
export function expectCurrent(manifest: Dated, newest: Dated | undefined, nowMs: number): void {
  if (newest !== undefined && manifest.seq <= newest.seq && !saysTheSame(manifest, newest)) {
    const message = `the manifest has seq ${manifest.seq}, after one with ${newest.seq}`;
    throw new TamisError('ERR_TAMIS_ROLLBACK', message);
  }
  // Not nowMs >= end: a clock that gives NaN finds everything expired.
  if (!(nowMs < Date.parse(manifest.notAfter))) {
    const message = `the manifest expired at ${manifest.notAfter}`;
    throw new TamisError('ERR_TAMIS_EXPIRED', message);
  }
}

/** Whether two manifests say the same, whoever signed. */
export function saysTheSame(one: Partial<Signature>, other: Partial<Signature>): boolean {
  const textOf = ({ sig: _, keyId: __, ...said }: Partial<Signature>) => canonicalJson(said);
  return textOf(one) === textOf(other);
}
