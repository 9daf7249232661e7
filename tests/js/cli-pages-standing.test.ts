/**
 * The manifest in a folder when tamis shard, manifest or manifest --renew writes the next one. The new manifest must
 * follow it. The old one must be trusted, and the files must be the pages that it names.
 */
import { generateKeyPairSync, sign } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { folder, get, put, run, tamis, textOf } from './support/cli.js';
import { isSigned, type Manifest, manifestOf, sumsOf } from './support/page-folders.js';

afterEach(() => {
  jest.restoreAllMocks();
});

const name = ['--name', 'list'];
const keys = Array.from({ length: 9000 }, (_, i) => `key-${i}`);

/** Runs a command that must be refused and must leave the manifest as it is. */
async function refused(args: readonly string[]): Promise<string> {
  const before = get('out/manifest.json');
  const { code, out, err } = await tamis(args);
  expect({ args, code, out }).toEqual({ args, code: 2, out: '' });
  expect(err).not.toMatch(/^\s+at /m);
  expect(get('out/manifest.json').equals(before)).toBe(true);
  return err;
}

const change = (fields: Partial<Manifest>): void =>
  put('out/manifest.json', JSON.stringify({ ...manifestOf('out'), ...fields }));

const signed = ['--sign', 'k.pem'];
const renew = ['manifest', 'out', '--renew', ...name];
const shard = ['shard', 'keys', '-o', 'out', '--pages', '2', ...name];
const manifest = ['manifest', 'built', '-o', 'out', ...name];

/** The parts of the keys, in `built`. */
async function build(): Promise<void> {
  const lines = (await run(['hash', '--pages', '2', 'keys'])).trimEnd().split('\n').sort();
  await run(['pages', '--pages', '2', '-o', 'built', ...name], textOf(lines));
}

const badSignature =
  /^tamis: out\/manifest\.json: not signed with --sign \(ERR_TAMIS_BAD_SIGNATURE\): pass --old-key HEX, use another folder, or remove it\n$/;
const noSignature =
  /^tamis: out\/manifest\.json: it is not signed \(ERR_TAMIS_BAD_SIGNATURE\): use another folder, or remove it\n$/;

/** Publishes the keys with a signature, and returns the public key. */
async function publish(key: string): Promise<string> {
  const out = await run([...shard, '--sign', key, '--create-key', '--json']);
  return JSON.parse(out).publicKey;
}

beforeEach(() => {
  put('keys', textOf(keys));
});

test.each([
  ['renew', renew],
  ['shard', shard],
  ['manifest', manifest],
])('%s without --sign does not follow what was signed', async (_, args) => {
  await publish('k.pem');
  await build();
  expect(await refused(args)).toMatch(
    /^tamis: out\/manifest\.json: it is signed: pass --sign, use another folder, or remove it\n$/,
  );
});

describe('what signs follows what was signed', () => {
  /** A signed manifest of the same folder, by another key. */
  function signAnew(fields: Partial<Manifest>): void {
    const { privateKey } = generateKeyPairSync('ed25519');
    const { sig: _, ...said } = { ...manifestOf('out'), ...fields, keyId: '0123456789abcdef' };
    const sorted = Object.fromEntries(Object.entries(said).sort(([a], [b]) => (a < b ? -1 : 1)));
    const bytes = Buffer.from(`tamis-pages-1\n${JSON.stringify(sorted)}`);
    const sig = sign(null, bytes, privateKey).toString('hex');
    put('out/manifest.json', JSON.stringify({ ...sorted, sig }));
  }

  test.each([
    ['renew', renew],
    ['shard', shard],
    ['manifest', manifest],
  ])('%s', async (_, args) => {
    await publish('k.pem');
    await build();
    const whole = get('out/manifest.json');
    // One manifest is edited, one has another key's signature, and one has none.
    for (const fields of [
      { keys: 42 },
      { seq: 2 ** 53 - 2 },
      { created: '2500-01-01T00:00:00.000Z' },
    ]) {
      put('out/manifest.json', whole);
      const notAfter = '2600-01-01T00:00:00.000Z';
      change({ ...fields, notAfter });
      expect(await refused([...args, ...signed])).toMatch(badSignature);
      put('out/manifest.json', whole);
      signAnew({ ...fields, notAfter });
      expect(await refused([...args, ...signed])).toMatch(badSignature);
      const { sig: __, keyId: ___, ...unsigned } = manifestOf('out');
      put('out/manifest.json', JSON.stringify(unsigned));
      expect(await refused([...args, ...signed])).toMatch(noSignature);
    }
    put('out/manifest.json', whole);
    await run([...args, ...signed]);
  });

  test('another set of the same key, whose name was edited', async () => {
    await run(['shard', 'keys', '-o', 'out', '--name', 'other', ...signed, '--create-key']);
    change({ name: 'list' });
    expect(await refused([...renew, ...signed])).toMatch(badSignature);
  });

  test('after a change of keys, with --old-key', async () => {
    const old = await publish('old.pem');
    const other = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x as string;
    const otherKey = ['--old-key', Buffer.from(other, 'base64url').toString('hex')];
    for (const args of [renew, shard]) {
      const own = [...args, ...signed, '--create-key'];
      expect(await refused([...own, ...otherKey])).toMatch(badSignature);
    }
    const own = [...signed, '--create-key', '--json', ...otherKey, '--old-key', old];
    const { publicKey } = JSON.parse(await run([...renew, ...own]));
    expect(isSigned('out', publicKey)).toBe(true);
    await run([...shard, ...signed]);
    expect(await refused([...renew, '--old-key', old])).toMatch(
      /--old-key needs --sign PEM: without it no signature is checked\n/,
    );
  });

  test('where nobody signs, a manifest that nobody signed counts', async () => {
    await run(shard);
    const { seq } = manifestOf('out');
    // Far above the seconds of the clock.
    change({ seq: seq + 1e6 });
    await run(renew);
    expect(manifestOf('out').seq).toBe(seq + 1e6 + 1);
    await run(shard);
    expect(manifestOf('out').seq).toBe(seq + 1e6 + 2);
    change({ seq: 2 ** 53 - 1 });
    for (const args of [renew, shard]) {
      expect(await refused(args)).toMatch(/: no sequence can follow 9007199254740991: remove/);
    }
  });
});

describe('a renewal looks at all files', () => {
  test.each([
    ['a page', 40, 0],
    ['the zeros behind it', -40, 0],
    ['a proof', -1, 0],
    ['a page', 40, 1],
    ['a proof', -1, 1],
  ])('%s with a bit that flipped: byte %i of page %i', async (_, at, page) => {
    await publish('k.pem');
    const { stride } = manifestOf('out');
    const [part] = Object.keys(sumsOf('out')) as [string];
    const whole = get(`out/${part}`);
    const bytes = Buffer.from(whole);
    const place = page * stride + (at < 0 ? stride + at : at);
    bytes[place] = (bytes[place] as number) ^ 4;
    put(`out/${part}`, bytes);
    const err = await refused([...renew, ...signed]);
    expect(err).toMatch(`out/${part}: page ${page} is damaged: publish the pages again`);
    put(`out/${part}`, whole);
    await run([...renew, ...signed]);
  });

  test('one that is missing, cut, or of another set', async () => {
    await publish('k.pem');
    const [part] = Object.keys(sumsOf('out')) as [string];
    const whole = get(`out/${part}`);
    put(`out/${part}`, whole.subarray(1));
    expect(await refused([...renew, ...signed])).toMatch(/: expected \d+ bytes, found \d+\n$/);
    put(`out/${part}`, Buffer.alloc(whole.length));
    expect(await refused([...renew, ...signed])).toMatch(/: page 0 is damaged/);
  });

  test('of files that are a page each, of one page, and of no power of two', async () => {
    for (const [i, pages] of ['1', '3', '5'].entries()) {
      const out = ['-o', `o${i}`, '--pages', pages, '--files', i === 1 ? 'part' : 'page'];
      await run(['shard', 'keys', ...out, ...name]);
      await run(['manifest', `o${i}`, '--renew', ...name]);
      const names = readdirSync(join(folder, `o${i}`)).filter((file) => /\.pages?$/.test(file));
      const last = `o${i}/${names.sort().at(-1)}`;
      const bytes = get(last);
      bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 1;
      put(last, bytes);
      const { code, err } = await tamis(['manifest', `o${i}`, '--renew', ...name]);
      expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(/is damaged/) });
    }
  });
});

test.each([
  ['renew', renew],
  ['shard', shard],
  ['manifest', manifest],
])('%s refuses a clock that was put back by more than the lifetime', async (_, args) => {
  await publish('k.pem');
  await build();
  const { created, seq } = manifestOf('out');
  const nowMs = Date.parse(created);
  const week = 7 * 86_400_000;
  jest.spyOn(Date, 'now').mockReturnValue(nowMs - week);
  const early = new Date(nowMs - week).toISOString();
  const what = `tamis: out: the clock says ${early}, more than the lifetime before the version of ${created}: set the clock, or pass a longer --lifetime\n`;
  expect(await refused([...args, ...signed])).toBe(what);
  if (args === manifest) return;
  jest.spyOn(Date, 'now').mockReturnValue(nowMs - week + 1);
  await run([...args, ...signed]);
  expect(manifestOf('out').seq).toBe(seq + 1);
});
