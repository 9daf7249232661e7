// Reads, makes and writes signing keys, in the form of `openssl genpkey -algorithm ed25519`.

import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { access, constants, readFile } from 'node:fs/promises';
import { dirname, isAbsolute, relative } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { SigningKeys } from 'tamis/url';
import type { Options } from '../frame/command.js';
import { CommandError, codeOf, prefixError, tellAbout, UsageError } from '../frame/errors.js';
import type { Terminal } from '../frame/terminal.js';
import { STANDARD_INPUT } from './lists.js';

export const signingOptions = {
  sign: {
    value: 'PEM',
    help: 'the file of the signing key (Ed25519), as "openssl genpkey -algorithm ed25519" writes it, or - for standard input',
  },
  'create-key': {
    help: 'writes a new signing key to the file of --sign if that is missing, unless the command is refused; only its owner can read it',
  },
} as const satisfies Options;

/** A pair of signing keys; the public key is in hexadecimal. */
export interface KeyPair extends SigningKeys {
  readonly publicKey: string;
  /** True if the pair is new. Then `save` writes its file. */
  readonly isNew: boolean;
  /** Writes a new pair's file right before the first signature is published, so a refused command leaves no file. */
  save(): void;
}

/**
 * Loads the pair from a private key (PKCS#8 PEM). If the file is missing and `create` is true, it makes a new pair.
 * Throws if the file is inside `folder`, which is served to everybody.
 */
export async function loadKeyPair(
  path: string,
  create: boolean,
  folder: string,
  terminal: Terminal,
): Promise<KeyPair> {
  const way = relative(folder, path);
  if (way && path !== STANDARD_INPUT && !way.startsWith('..') && !isAbsolute(way)) {
    throw new CommandError(
      `--sign ${path}: expected a file outside of ${folder}, which everybody can read`,
    );
  }
  if (create && path === STANDARD_INPUT) {
    throw new UsageError('--create-key: expected --sign FILE, where the new key is written, not -');
  }
  const pem = await readPem(path, terminal, 'create-key', create);
  const key = pem ? parseKey(pem, path, createPrivateKey) : await newKeyFor(path);
  const der = key.export({ format: 'der', type: 'pkcs8' });
  const { subtle } = globalThis.crypto;
  return {
    privateKey: await subtle.importKey('pkcs8', new Uint8Array(der), 'Ed25519', false, ['sign']),
    publicKey: publicKeyOf(key),
    isNew: pem === undefined,
    save: () => pem ?? writeKey(path, key),
  };
}

/** Reads the private or public key in a file, and returns the public key in hexadecimal. */
export async function readPublicKey(path: string, terminal: Terminal): Promise<string> {
  const pem = (await readPem(path, terminal, 'create', false)) as Buffer;
  return publicKeyOf(parseKey(pem, path, createPublicKey));
}

/** Writes a new signing key to a file, which must not exist, and returns the public key. */
export async function createKey(path: string): Promise<string> {
  const key = await newKeyFor(path);
  writeKey(path, key);
  return publicKeyOf(key);
}

/** Reads a PEM file; undefined if it is missing and `mayLack`. `option` names the option that makes the file. */
async function readPem(
  path: string,
  { stdin }: Terminal,
  option: string,
  mayLack: boolean,
): Promise<Buffer | undefined> {
  if (path === STANDARD_INPUT) return buffer(stdin);
  return readFile(path).catch((error) => {
    if (codeOf(error) !== 'ENOENT') throw prefixError(path, error);
    if (mayLack) return undefined;
    throw new CommandError(`${path}: no such file; --${option} makes a new signing key there`);
  });
}

function parseKey(
  pem: Buffer,
  path: string,
  parse: typeof createPrivateKey | typeof createPublicKey,
): KeyObject {
  // Describes the input for the message, without the content of a key.
  const [, label] = /-----BEGIN ([A-Z ]{1,40})-----/.exec(pem.toString('latin1')) ?? [];
  let came = pem.toString('latin1').trim() === '' ? 'nothing' : (label ?? 'no PEM');
  // The label is checked, because OpenSSL would accept a certificate and use its public key.
  const isRight = label === 'PRIVATE KEY' || (label === 'PUBLIC KEY' && parse === createPublicKey);
  try {
    const key = isRight && parse(pem);
    if (key && key.asymmetricKeyType === 'ed25519') return key;
    if (key) came = `a key of type ${key.asymmetricKeyType}`;
  } catch {
    // The message of OpenSSL would not help the user.
    came = `a damaged ${label}: keep its line breaks`;
  }
  const name = path === STANDARD_INPUT ? 'standard input' : path;
  const kind = parse === createPrivateKey ? 'private key as PEM (PKCS#8)' : 'key as PEM';
  throw new CommandError(`${name}: expected an Ed25519 ${kind}, got ${came}`);
}

const publicKeyOf = (key: KeyObject): string =>
  Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url').toString('hex');

/** Makes a key. Throws if its file could not be written, so that a long command fails at its start. */
async function newKeyFor(path: string): Promise<KeyObject> {
  await tellAbout(path, () => access(dirname(path), constants.W_OK));
  return generateKeyPairSync('ed25519').privateKey;
}

/** Writes a key to a file that only the owner may read. Throws if the file exists. */
function writeKey(path: string, key: KeyObject): void {
  try {
    const pem = key.export({ format: 'pem', type: 'pkcs8' });
    writeFileSync(path, pem, { flag: 'wx', flush: true, mode: 0o600 });
  } catch (error) {
    throw prefixError(path, error);
  }
}
