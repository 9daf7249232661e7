// Reads and makes the file of a signing key pair, as of `openssl genpkey -algorithm ed25519`.

import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import type { SigningKeys } from 'tamis/url';
import type { Options } from '../frame/command.js';
import { CommandError, codeOf, tellAbout } from '../frame/errors.js';

export const signingOptions = {
  sign: {
    value: 'PEM',
    help: 'the file of the signing key (Ed25519), as "openssl genpkey -algorithm ed25519" writes it',
  },
  'create-key': { help: 'makes that file if there is none; its owner alone may read it' },
} as const satisfies Options;

/** A signing pair, with its public key in hexadecimal. */
export interface KeyPair extends SigningKeys {
  readonly publicKey: string;
  /** True if the file was made by this call. */
  readonly isNew: boolean;
}

/** Reads the pair from a file with the private key as PKCS#8 PEM; makes the file if it is missing and `create`. */
export function loadKeyPair(path: string, create: boolean): Promise<KeyPair> {
  return tellAbout(path, async () => {
    const isNew = create && (await makeKey(path));
    const pem = await readFile(path).catch((error) => {
      if (codeOf(error) !== 'ENOENT') throw error;
      throw new CommandError(`${path}: no such file; --create-key makes a new signing key there`);
    });
    const privateKey = parsePrivateKey(pem, path);
    const { x: publicKey = '' } = privateKey.export({ format: 'jwk' }); // in base64url
    const der = privateKey.export({ format: 'der', type: 'pkcs8' });
    const { subtle } = globalThis.crypto;
    return {
      privateKey: await subtle.importKey('pkcs8', new Uint8Array(der), 'Ed25519', false, ['sign']),
      publicKey: Buffer.from(publicKey, 'base64url').toString('hex'),
      isNew,
    };
  });
}

/** Writes a new key that only its owner may read; returns false if the file exists. */
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
    // OpenSSL's message would not help the user.
  }
  throw new CommandError(`${path}: expected an Ed25519 private key as PEM (PKCS#8)`);
}
