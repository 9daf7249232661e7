import { STANDARD_INPUT } from '../files/lists.js';
import { createKey, readPublicKey } from '../files/signing-keys.js';
import { figuresAsJson } from '../frame/arguments.js';
import { command } from '../frame/command.js';
import { UsageError } from '../frame/errors.js';

export const urlKey = command({
  usage: 'url key PEM',
  summary: 'prints the public key of a signing key',
  about:
    'Prints the public key of a signing key, as 64 hexadecimal digits. Pass it to clients in publicKeys, and to commands as --public-key or --old-key.',
  operands: {
    PEM: 'the file of a private key or a public key (Ed25519), or - for standard input',
  },
  expected: [1, 1, 'one PEM, a file or - for standard input'],
  options: {
    create: {
      help: 'writes a new signing key to PEM, which must not exist; only its owner can read it',
      wrongName: 'create-key',
    },
    json: figuresAsJson,
  },
  notes: ['The public key is no secret. "openssl pkey -pubout" writes it as PEM.'],
  async run({ create, json }, [path]: readonly [string], terminal) {
    if (create && path === STANDARD_INPUT) {
      throw new UsageError('--create: expected a FILE, where the new key is written, not -');
    }
    const publicKey = create ? await createKey(path) : await readPublicKey(path, terminal);
    if (json) await terminal.printJson({ file: path, publicKey, createdKey: create });
    else await terminal.send(`${publicKey}\n`);
  },
});
