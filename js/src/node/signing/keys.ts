// The key pair that signs lists: a file that `openssl genpkey -algorithm ed25519` writes too.

import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import type { SigningKeys } from 'tamis/url';
import { CommandError, codeOf, tellAbout } from '../frame/errors.js';

/** What signs, its public key in hexadecimal. */
export interface KeyPair extends SigningKeys {
  readonly publicKey: string;
  /** Whether the file was made now. */
  readonly isNew: boolean;
}

/** The pair whose private key, as PKCS#8 PEM, is in a file; made where there is none and `create`. */
export function loadKeyPair(path: string, create: boolean): Promise<KeyPair> {
  return tellAbout(path, async () => {
    const isNew = create && (await makeKey(path));
    const privateKey = parsePrivateKey(await readFile(path), path);
    const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
    const der = privateKey.export({ format: 'der', type: 'pkcs8' });
    const { subtle } = globalThis.crypto;
    return {
      privateKey: await subtle.importKey('pkcs8', new Uint8Array(der), 'Ed25519', false, ['sign']),
      publicKey: Buffer.from(x, 'base64url').toString('hex'),
      isNew,
    };
  });
}

/** Writes a new key that its owner alone may read; false where there is a file already. */
async function makeKey(path: string): Promise<boolean> {
  const { privateKey } = generateKeyPairSync('ed25519');
  try {
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' });
    await writeFile(path, pem, { flag: 'wx', flush: true, mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function parsePrivateKey(bytes: Buffer, path: string): KeyObject {
  try {
    const privateKey = createPrivateKey(bytes);
    if (privateKey.asymmetricKeyType === 'ed25519') return privateKey;
  } catch {
    // OpenSSL's words for it help nobody.
  }
  throw new CommandError(`${path}: expected an Ed25519 private key as PEM (PKCS#8)`);
}
