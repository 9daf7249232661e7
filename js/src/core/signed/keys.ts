// The Ed25519 keys that sign, and those that are believed.

import { mustBe, rangeError, TamisError, typeError } from '../errors.js';
import { pin } from '../key-types.js';
import type { Reader } from '../options.js';
import { isBytes } from '../tags.js';
import { bytesOfHex, sha256Hex, webCrypto } from './bytes.js';
import { hexadecimal } from './fields.js';

/** A CryptoKey. Node's types have no global of that name, and both give it by this road. */
type CryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** An Ed25519 public key: a CryptoKey, its 32 bytes, or those in lower-case hexadecimal. */
export type PublicKey = CryptoKey | Uint8Array | string;

/** What signs: the private key, and the public one that belongs to it. */
export interface SigningKeys {
  readonly privateKey: CryptoKey;
  readonly publicKey: PublicKey;
}

/** A public key that is trusted, and the id by which signatures name it. */
export interface TrustedKey {
  readonly id: string;
  readonly publicKey: CryptoKey;
}

export const algorithm = 'Ed25519';
const mostKeys = 16;

/** An Ed25519 key that can do what it is for; Uint8Arrays and strings have no algorithm. */
export function canDo(cryptoKey: unknown, usage: 'sign' | 'verify'): cryptoKey is CryptoKey {
  const { algorithm: found, usages } = Object(cryptoKey) as Partial<CryptoKey>;
  return found?.name === algorithm && usages?.includes(usage) === true;
}

/** The key, if it can be one. Throws TypeError, RangeError, UNSUPPORTED. */
export async function trustKey(given: PublicKey, name: string): Promise<TrustedKey> {
  const subtle = webCrypto();
  let bytes: Uint8Array | undefined;
  if (typeof given === 'string') bytes = bytesOfHex(hexadecimal(64)(given, name));
  else if (isBytes(given)) bytes = pin(given, name);
  else if (!canDo(given, 'verify')) throw mustBe('an Ed25519 public key', name, given);
  if (bytes && bytes.length !== 32) {
    throw rangeError(`${name} must have 32 bytes, got ${bytes.length}`);
  }
  try {
    const publicKey = bytes
      ? await subtle.importKey('raw', bytes as Uint8Array<ArrayBuffer>, algorithm, true, ['verify'])
      : (given as CryptoKey);
    const raw = new Uint8Array(await subtle.exportKey('raw', publicKey));
    return { id: (await sha256Hex(raw)).slice(0, 16), publicKey };
  } catch (cause) {
    if ((cause as Error | null)?.name === 'NotSupportedError') {
      throw new TamisError('ERR_TAMIS_UNSUPPORTED', 'signed lists need Ed25519 in WebCrypto', {
        cause,
      });
    }
    throw typeError(`${name} must be an Ed25519 public key that can be exported`);
  }
}

/** The keys in a form that can be asked often. */
export async function trustKeys(publicKeys: readonly PublicKey[]): Promise<readonly TrustedKey[]> {
  return Promise.all(publicKeys.map((one, i) => trustKey(one, `publicKeys[${i}]`)));
}

/** The list of keys, not yet looked into. */
export const publicKeysReader: Reader<readonly PublicKey[]> = (value, name) => {
  if (!Array.isArray(value)) throw mustBe('an array', name, value);
  if (value.length < 1 || value.length > mostKeys) {
    throw rangeError(`${name} must have 1 to ${mostKeys} keys, got ${value.length}`);
  }
  return [...value];
};

/** What signs, not yet looked into. */
export const signingKeysReader: Reader<SigningKeys> = (value, name) => {
  const { privateKey, publicKey } = Object(value) as Partial<SigningKeys>;
  if (privateKey !== undefined && publicKey !== undefined) return { privateKey, publicKey };
  throw mustBe('{ privateKey, publicKey }', name, value);
};
