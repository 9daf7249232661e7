// Imports and checks Ed25519 keys, for signing and for verification.

import { mustBe, rangeError, TamisError, typeError } from '../errors.js';
import { isBytes, pin } from '../key-types.js';
import type { Reader } from '../options.js';
import { bytesOfHex, sha256Hex, webCrypto } from './bytes.js';
import { hexadecimal } from './fields.js';

/** A CryptoKey. Node's types have no global of that name, but they and the DOM's types have importKey. */
type CryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** An Ed25519 public key: a CryptoKey, its 32 bytes, or these bytes in lower-case hexadecimal. */
export type PublicKey = CryptoKey | Uint8Array | string;

/** A pair of keys for signing: the private key, and its public key. */
export interface SigningKeys {
  readonly privateKey: CryptoKey;
  readonly publicKey: PublicKey;
}

/** A trusted public key, and the id that names it in signatures. */
export interface TrustedKey {
  readonly id: string;
  readonly publicKey: CryptoKey;
}

export const algorithm = 'Ed25519';
const mostKeys = 16;

/** True if a value is an Ed25519 CryptoKey with the wanted usage. It is false for bytes and strings. */
export function canDo(cryptoKey: unknown, usage: 'sign' | 'verify'): cryptoKey is CryptoKey {
  const { algorithm: keyAlgorithm, usages }: Partial<CryptoKey> = Object(cryptoKey);
  return keyAlgorithm?.name === algorithm && usages?.includes(usage) === true;
}

/** Imports a public key. Throws TypeError, RangeError and ERR_TAMIS_UNSUPPORTED. */
export async function trustKey(source: PublicKey, name: string): Promise<TrustedKey> {
  const subtle = webCrypto();
  let bytes: Uint8Array | undefined; // undefined for a CryptoKey
  if (typeof source === 'string') bytes = bytesOfHex(hexadecimal(64)(source, name));
  else if (isBytes(source)) bytes = pin(source, name);
  else if (!canDo(source, 'verify')) throw mustBe('an Ed25519 public key', name, source);
  if (bytes && bytes.length !== 32) {
    throw rangeError(`${name} must have 32 bytes, got ${bytes.length}`);
  }
  try {
    const publicKey = bytes
      ? await subtle.importKey('raw', bytes as Uint8Array<ArrayBuffer>, algorithm, true, ['verify'])
      : (source as CryptoKey);
    const raw = new Uint8Array(await subtle.exportKey('raw', publicKey));
    return { id: (await sha256Hex(raw)).slice(0, 16), publicKey };
  } catch (cause) {
    if (Object(cause).name === 'NotSupportedError') {
      throw new TamisError('ERR_TAMIS_UNSUPPORTED', 'signed lists need Ed25519 in WebCrypto', {
        cause,
      });
    }
    throw typeError(`${name} must be an Ed25519 public key that can be exported`);
  }
}

/** Imports the trusted keys once, for many checks. */
export async function trustKeys(publicKeys: readonly PublicKey[]): Promise<readonly TrustedKey[]> {
  return Promise.all(publicKeys.map((one, i) => trustKey(one, `publicKeys[${i}]`)));
}

/** Reads an option with a list of keys, which are not checked yet. */
export const publicKeysReader: Reader<readonly PublicKey[]> = (value, name) => {
  if (!Array.isArray(value)) throw mustBe('an array', name, value);
  if (value.length < 1 || value.length > mostKeys) {
    throw rangeError(`${name} must have 1 to ${mostKeys} public keys, got ${value.length}`);
  }
  return [...value];
};

/** Reads an option with a signing pair, which is not checked yet. */
export const signingKeysReader: Reader<SigningKeys> = (value, name) => {
  const { privateKey, publicKey }: Partial<SigningKeys> = Object(value);
  if (privateKey !== undefined && publicKey !== undefined) return { privateKey, publicKey };
  throw mustBe('{ privateKey, publicKey }', name, value);
};
