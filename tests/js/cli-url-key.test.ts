/** Signing keys on the command line: tamis url key, --sign - and the file that --create-key makes. */
import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { folder, get, hosts, output, put, refused, tamis } from './support/cli.js';
import { listOf, manifest, NO_VERSION, PEM, PUBLIC } from './support/cli-url.js';

const PUBLIC_PEM = createPublicKey(PEM).export({ format: 'pem', type: 'spki' });
const PRIVATE = 'expected an Ed25519 private key as PEM (PKCS#8)';

describe('url key', () => {
  test('prints the public key of a private and of a public PEM', async () => {
    put('k.pem', PEM);
    put('public.pem', PUBLIC_PEM);
    for (const path of ['k.pem', 'public.pem']) {
      expect(await output(['url', 'key', path])).toBe(`${PUBLIC}\n`);
      expect(await output(['url', 'key', '-'], get(path))).toBe(`${PUBLIC}\n`);
      expect(JSON.parse(await output(['url', 'key', path, '--json']))).toEqual({
        ...{ file: path, publicKey: PUBLIC, createdKey: false },
      });
    }
  });

  test('--create makes a key for its owner alone, and replaces none', async () => {
    const publicKey = (await output(['url', 'key', 'k.pem', '--create'])).trim();
    const pem = get('k.pem');
    expect(createPrivateKey(pem).asymmetricKeyType).toBe('ed25519');
    expect(statSync(join(folder, 'k.pem')).mode & 0o777).toBe(0o600);
    expect(await output(['url', 'key', 'k.pem'])).toBe(`${publicKey}\n`);
    expect(await refused(['url', 'key', 'k.pem', '--create'])).toBe(
      'tamis: k.pem: a file of this name exists\n',
    );
    expect(get('k.pem').equals(pem)).toBe(true);
    const made = JSON.parse(await output(['url', 'key', 'new.pem', '--create', '--json']));
    expect(made).toMatchObject({ file: 'new.pem', createdKey: true });
    expect(made.publicKey).not.toBe(publicKey);
  });

  test('what is no key is one line of error', async () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey;
    const locked = createPrivateKey(PEM).export({
      ...{ format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'x' },
    });
    const damaged = 'a damaged PRIVATE KEY: keep its line breaks';
    const cases: [string | Buffer, string][] = [
      ['', 'nothing'],
      ['host.example\n', 'no PEM'],
      [rsa.export({ format: 'pem', type: 'spki' }), 'a key of type rsa'],
      [locked, 'ENCRYPTED PRIVATE KEY'],
      [PEM.toString().replace('MC4C', 'MC4D'), damaged],
      [PEM.toString().replaceAll('\n', ' '), damaged],
      [`-----BEGIN CERTIFICATE-----\nMC4C\n-----END CERTIFICATE-----\n${PEM}`, 'CERTIFICATE'],
    ];
    for (const [text, came] of cases) {
      put('k.pem', text);
      const message = `expected an Ed25519 key as PEM, got ${came}\n`;
      expect(await refused(['url', 'key', 'k.pem'])).toBe(`tamis: k.pem: ${message}`);
      expect(await refused(['url', 'key', '-'], text)).toBe(`tamis: standard input: ${message}`);
    }
    expect(await refused(['url', 'key', 'none.pem'])).toBe(
      'tamis: none.pem: no such file; --create makes a new signing key there\n',
    );
    const wrong: [string[], RegExp][] = [
      [[], /^tamis: url key: expected one PEM/],
      [['-', '--create'], /^tamis: --create: expected a FILE, .* not -\n/],
      [['k', '--create-key'], /^tamis: unknown option --create-key: did you mean --create\?\n/],
      [['nowhere/k', '--create'], /^tamis: nowhere\/k: no such file or folder\n$/],
    ];
    for (const [args, message] of wrong) {
      expect(await refused(['url', 'key', ...args])).toMatch(message);
    }
    expect(existsSync(join(folder, '-'))).toBe(false);
  });
});

test('a key in the place of a file is not printed', async () => {
  const pem = PEM.toString();
  for (const args of [
    ['url', 'key', pem],
    ['url', 'publish', 'bad.tamis', '--to', 'pub', '--name', 'bad', '--sign', pem],
    ['shard', 'keys', '-o', 'out', '--name', 'list', `--sign=${pem}`, '--create-key'],
  ]) {
    const err = await refused(args);
    expect(err).toMatch(/expected the name of a file, got a key: pass - and its text on standard/);
    expect(err).not.toContain('BEGIN');
  }
});

test('a key in the folder that is served is refused', async () => {
  put('bad.tamis', listOf(['evil.example']).toBytes());
  put('keys', 'a\n');
  const made = ['--create-key', '--sign', 'pub/k.pem'];
  const commands = [
    ['url', 'publish', 'bad.tamis', '--to', 'pub', '--name', 'bad'],
    ['shard', 'keys', '-o', 'pub', '--name', 'list'],
    ['manifest', 'pub', '--name', 'list'],
  ];
  for (const args of commands) {
    expect(await refused([...args, ...made])).toMatch(
      /^tamis: --sign pub\/k\.pem: expected a file outside of pub, which everybody can read\n/,
    );
  }
  expect(existsSync(join(folder, 'pub', 'k.pem'))).toBe(false);
});

describe('--sign -', () => {
  const publish = ['url', 'publish', 'bad.tamis', '--to', 'pub', '--name', 'bad', '--sign'];

  test('url publish, shard and manifest take the signing key from standard input', async () => {
    put('bad.tamis', listOf(hosts).toBytes());
    // A variable of a shell has no line break at its end.
    expect(await tamis([...publish, '-'], PEM.toString().trim())).toMatchObject({
      ...{ code: 0, err: NO_VERSION },
    });
    expect((await manifest()).list).toBe('bad');
    put('keys', 'a\nb\n');
    const name = ['--name', 'list', '--json', '--sign', '-'];
    const shard = await output(['shard', 'keys', '-o', 'out', ...name], PEM.toString());
    expect(JSON.parse(shard)).toMatchObject({ publicKey: PUBLIC, createdKey: false });
    const renew = await output(['manifest', 'out', '--renew', ...name], PEM.toString());
    expect(JSON.parse(renew)).toMatchObject({ publicKey: PUBLIC });
  });

  test('an absent key is one line of error, and nothing is written', async () => {
    put('bad.tamis', listOf(hosts).toBytes());
    const message = `tamis: standard input: ${PRIVATE}, got`;
    expect(await refused([...publish, '-'])).toBe(`${message} nothing\n`);
    expect(await refused([...publish, '-'], PUBLIC_PEM)).toBe(`${message} PUBLIC KEY\n`);
    expect(await refused([...publish, '-', '--create-key'])).toMatch(
      /^tamis: --create-key: expected --sign FILE, where the new key is written, not -\n/,
    );
    const shard = ['shard', '-', '-o', 'pub', '--name', 'list', '--sign', '-'];
    expect(await refused(shard, PEM)).toMatch(/standard input can be read only once/);
    expect(existsSync(join(folder, 'pub'))).toBe(false);
  });
});

describe('a refused command makes no key', () => {
  const signed = ['--sign', 'new.pem', '--create-key'];

  test('url publish', async () => {
    const to = ['--to', 'pub', ...signed];
    put('hosts.txt', 'a.example\n');
    put('bad.tamis', listOf(hosts).toBytes());
    const cases: [string[], RegExp][] = [
      [['hosts.txt', '--name', 'bad'], /^tamis: hosts\.txt: .*: run tamis url build first/],
      [['bad.tamis', '--name', '\u00e9'], /name must be/],
      [['bad.tamis', '--name', 'bad', '--to', 'hosts.txt'], /a file of this name exists/],
      [['bad.tamis', '--name', 'bad', '--sign', 'nowhere/k.pem'], /nowhere\/k\.pem: no such file/],
    ];
    for (const [args, message] of cases) {
      expect(await refused(['url', 'publish', ...to, ...args])).toMatch(message);
      expect(existsSync(join(folder, 'new.pem'))).toBe(false);
    }
    const { code, err } = await tamis(['url', 'publish', 'bad.tamis', '--name', 'bad', ...to]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(existsSync(join(folder, 'new.pem'))).toBe(true);
  });

  test('and runs at once never publish by a key that no file has', async () => {
    put('bad.tamis', listOf(hosts).toBytes());
    const publish = ['url', 'publish', 'bad.tamis', '--name', 'bad', ...signed];
    const runs = await Promise.all([1, 2, 3].map((i) => tamis([...publish, '--to', `pub${i}`])));
    const publicKey = (await output(['url', 'key', 'new.pem'])).trim();
    for (const [i, { code, out, err }] of runs.entries()) {
      const isPublished = existsSync(join(folder, `pub${i + 1}`, 'manifest.json'));
      expect([code, isPublished]).toEqual(isPublished ? [0, true] : [2, false]);
      if (isPublished) expect(out).toMatch(new RegExp(`^ {2}public key +${publicKey}$`, 'm'));
      else expect(err).toBe('tamis: new.pem: a file of this name exists\n');
    }
    expect(runs.some(({ code }) => code === 0)).toBe(true);
  });

  test('shard and manifest', async () => {
    put('keys', 'a\nb\n');
    put('empty', '');
    const shard = ['shard', '-o', 'out', '--name', 'list'];
    put('k.pem', PEM);
    await output([...shard, 'keys', '--sign', 'k.pem']);
    const lines = await output(['hash', '--pages', '1', 'keys']);
    await output(['pages', '-o', 'built', '--name', 'list', '--pages', '1'], lines);
    const cases: [string[], RegExp][] = [
      [
        [...shard, 'keys'],
        /not signed with --sign \(ERR_TAMIS_BAD_SIGNATURE\): pass --old-key HEX/,
      ],
      [[...shard, 'none', '-o', 'new'], /none: no such file/],
      [[...shard, 'empty', '-o', 'new'], /empty: an empty list/],
      [['manifest', 'built', '-o', 'out', '--name', 'list'], /ERR_TAMIS_BAD_SIGNATURE/],
      [['manifest', 'out', '--renew', '--name', 'list'], /ERR_TAMIS_BAD_SIGNATURE/],
      [['manifest', 'built', '--name', 'other'], /is of the list list, not of other/],
    ];
    for (const [args, message] of cases) {
      expect(await refused([...args, ...signed])).toMatch(message);
      expect(existsSync(join(folder, 'new.pem'))).toBe(false);
    }
    const old = ['--old-key', PUBLIC];
    await output(['manifest', 'out', '--renew', '--name', 'list', ...signed, ...old]);
    const publicKey = (await output(['url', 'key', 'new.pem'])).trim();
    const changed = ['--sign', 'third.pem', '--create-key', '--old-key', publicKey];
    await output([...shard, 'keys', ...changed]);
    expect(existsSync(join(folder, 'third.pem'))).toBe(true);
    await output(['manifest', 'built', '--name', 'list', '--sign', 'fourth.pem', '--create-key']);
    expect(existsSync(join(folder, 'fourth.pem'))).toBe(true);
  });
});
