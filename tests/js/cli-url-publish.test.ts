/** tamis url publish and check: a folder that any static host can serve, and what it answers. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, webcrypto } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { BloomFilter } from 'tamis';
import { fileStorage, publishList, UrlListBuilder } from 'tamis/url';

import { folder, get, hosts, put, refused, tamis } from './support/cli.js';
import {
  again,
  listOf,
  manifest,
  NO_VERSION,
  open,
  PEM,
  PUBLIC,
  publish,
  serve,
  servers,
} from './support/cli-url.js';
import { seams } from './support/seams.js';

/** Publishes into `pub` at the given time. */
async function publishAt(ms: number) {
  const der = createPrivateKey(PEM).export({ format: 'der', type: 'pkcs8' });
  const privateKey = await webcrypto.subtle.importKey('pkcs8', der, 'Ed25519', false, ['sign']);
  return publishList(listOf(hosts), {
    name: 'bad',
    storage: fileStorage(join(folder, 'pub')),
    signingKeys: { privateKey: privateKey as CryptoKey, publicKey: PUBLIC },
    ...seams({ now: () => ms }),
  });
}

const WAITING = 'tamis: pub/publish.lock: waiting: another process is at work, or was killed\n';

describe('url publish', () => {
  test('writes nothing where the clock was put back by more than the lifetime', async () => {
    const hour = 3600_000;
    const { created } = await publishAt(Date.now() + 48 * hour);
    const { code, out, err } = await publish(hosts, '--lifetime', '36h');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^tamis: the clock says 2\d{3}-[^\n]*ERR_TAMIS_INVALID_OPTION\)\n/);
    expect(err).toContain(`the last version was made ${created}`);
    expect(await manifest()).toMatchObject({ created });
    expect(await publish(hosts, '--lifetime', '3d')).toMatchObject({ code: 0, err: '' });
    expect((await manifest()).created < created).toBe(true);
  });

  test('writes a folder that a client follows', async () => {
    const { code, out, err } = await publish(hosts);
    expect({ code, err }).toEqual({ code: 0, err: NO_VERSION });
    const seq = /^pub\/manifest\.json: bad, version 2\d{3}-\S+Z\n {2}sequence +(\d{10,})\n/.exec(
      out,
    );
    expect(seq).not.toBeNull();
    expect(out).toMatch(/^ {2}entries +500$/m);
    expect(out).toMatch(/^ {2}deltas +none$/m);
    expect(out).toMatch(/^ {2}jumps +none$/m);
    expect(out).toMatch(new RegExp(`^ {2}public key +${PUBLIC}$`, 'm'));
    const { snapshot, created, notAfter, ...first } = await manifest();
    expect(Number(seq?.[1])).toBe(first.seq);
    expect(first.seq).toBe(Math.floor(Date.parse(created) / 1000));
    expect(Date.parse(notAfter) - Date.parse(created)).toBe(7 * 24 * 3600 * 1000);
    expect(readdirSync(join(folder, 'pub')).sort()).toEqual(
      ['files.json', 'manifest.json', snapshot.url].sort(),
    );

    const checker = await open(await serve());
    const next = [...hosts, 'new.example'];
    const options = ['--json', '--lifetime', '36h', '--version', 'two'];
    const second = await publish(next, ...options);
    const { deltas, ...later } = await manifest();
    expect(second.err).toBe('');
    expect(later.seq).toBeGreaterThan(first.seq);
    expect(JSON.parse(second.out)).toEqual({
      folder: 'pub',
      name: 'bad',
      seq: later.seq,
      version: 'two',
      entries: 501,
      snapshotBytes: listOf(next).toBytes().length,
      deltas: 1,
      deltaBytes: deltas[0]?.bytes,
      hasJumps: true,
      notAfter: expect.any(String),
      publicKey: PUBLIC,
      createdKey: false,
    });
    expect(checker.check('https://new.example/')).toBe('safe');
    expect(await checker.update()).toMatchObject({ by: 'jump', to: 'two' });
    expect(checker.check('https://new.example/')).toBe('maybe');
    checker.close();
    expect((await again('--max-deltas', '0')).out).toMatch(/^ {2}jumps +from older versions$/m);
    expect(await manifest()).toMatchObject({ deltas: [], jumps: 'jump-' });
    await again('--jumps', '0');
    expect((await manifest()).jumps).toBeUndefined();
    const report = 'https://lists.example/wrong?url={url}';
    await again('--label', 'Bad places', '--severity', '7', '--report-to', report);
    expect(await manifest()).toMatchObject({ label: 'Bad places', severity: 7, report });
  });

  test('--create-key makes a key for its owner alone, once', async () => {
    put('bad.tamis', listOf(hosts).toBytes());
    expect(await again()).toEqual({
      code: 2,
      out: '',
      err: 'tamis: k.pem: no such file; --create-key makes a new signing key there\n',
    });
    expect(existsSync(join(folder, 'pub'))).toBe(false);
    const { out } = await again('--create-key');
    const before = await manifest(/public key +(\w+)/.exec(out)?.[1]);
    const pem = get('k.pem');
    const { x } = createPublicKey(pem).export({ format: 'jwk' });
    const publicKey = Buffer.from(x as string, 'base64url').toString('hex');
    expect(out).toMatch(
      new RegExp(`^ {2}public key +${publicKey}\\n {2}signing key +k\\.pem, a new one$`, 'm'),
    );
    expect(statSync(join(folder, 'k.pem')).mode & 0o777).toBe(0o600);
    const { code, out: json } = await again('--create-key', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(json)).toMatchObject({ publicKey, createdKey: false });
    expect(JSON.parse(json).seq).toBeGreaterThan(before.seq);
    expect(get('k.pem').equals(pem)).toBe(true);
  });

  test('what is no key of Ed25519 is one line of error', async () => {
    const { privateKey } = generateKeyPairSync('x25519');
    const publicKey = createPublicKey(PEM).export({ format: 'pem', type: 'spki' });
    const wrong = [
      ['', 'nothing'],
      ['text', 'no PEM'],
      [publicKey, 'PUBLIC KEY'],
      [privateKey.export({ format: 'pem', type: 'pkcs8' }), 'a key of type x25519'],
    ] as const;
    put('bad.tamis', listOf(hosts).toBytes());
    for (const [text, came] of wrong) {
      put('k.pem', text);
      expect(await again('--create-key')).toEqual({
        code: 2,
        out: '',
        err: `tamis: k.pem: expected an Ed25519 private key as PEM (PKCS#8), got ${came}\n`,
      });
      expect(get('k.pem').toString()).toBe(text);
    }
    expect(existsSync(join(folder, 'pub'))).toBe(false);
  });

  test('refuses to go over what it did not publish, and options that are wrong', async () => {
    await publish(hosts);
    const before = get('pub/manifest.json');
    const { seq } = await manifest();
    const cases: [string[], RegExp][] = [
      [['--name', 'other'], /^tamis: pub: .*'bad', not for 'other' \(ERR_TAMIS_INCOMPATIBLE\)\n$/],
      [['--name', '\u00e9'], /name must be .*ERR_TAMIS_INVALID_OPTION/],
      [['--max-deltas', '5000'], /maxDeltas must be .*ERR_TAMIS_INVALID_OPTION/],
      [['--jumps', '1025'], /jumps must be .*ERR_TAMIS_INVALID_OPTION/],
      [['--jumps', 'all'], /--jumps all: expected a whole number/],
      [['--severity', '11'], /severity must be .*ERR_TAMIS_INVALID_OPTION/],
      [['--report-to', 'http://a.example/{url}'], /report must be .*ERR_TAMIS_INVALID_OPTION/],
      [['--lifetime', '0d'], /--lifetime 0d: expected minutes, hours or days/],
      [
        ['--sign', 'other.pem', '--create-key'],
        /^tamis: pub: .*ERR_TAMIS_BAD_SIGNATURE\); .* pass --old-key HEX with the old public key, which tamis url key prints\n$/,
      ],
      [['--to', 'k.pem'], /^tamis: k\.pem: a file of this name exists\n$/],
    ];
    for (const [options, message] of cases) {
      const { code, out, err } = await again(...options);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toMatch(message);
      const created = await again(...options, '--sign', 'other.pem', '--create-key');
      expect(created).toMatchObject({ code: 2, out: '' });
      // A command that is refused makes no key.
      expect(existsSync(join(folder, 'other.pem'))).toBe(false);
    }
    expect(get('pub/manifest.json').equals(before)).toBe(true);
    const other = ['--sign', 'other.pem', '--create-key'];
    const changed = await again(...other, '--old-key', PUBLIC.toUpperCase());
    expect(changed).toMatchObject({ code: 0, err: '' });
    expect(Number(/^ {2}sequence +(\d+)$/m.exec(changed.out)?.[1])).toBeGreaterThan(seq);
    put('pub/manifest.json', '{}');
    expect((await again()).err).toMatch(/^tamis: pub: .*ERR_TAMIS_CORRUPT\)\n$/);
  });

  test('several at once follow one another', async () => {
    put('k.pem', PEM);
    const runs = await Promise.all(
      [1, 2, 3, 4].map((i) => {
        put(`${i}.tamis`, listOf(hosts.slice(i)).toBytes());
        const args = ['--to', 'pub', '--sign', 'k.pem', '--name', 'bad', '--json'];
        return tamis(['url', 'publish', `${i}.tamis`, ...args]);
      }),
    );
    const seqs = runs.map(({ out }) => JSON.parse(out).seq).sort();
    expect(new Set(seqs).size).toBe(4);
    // One of them was the first. On a slow machine the others say that they wait.
    expect(runs.map(({ err }) => err.replace(WAITING, '')).sort()).toEqual([
      '',
      '',
      '',
      NO_VERSION,
    ]);
    const { seq, snapshot, deltas } = await manifest();
    expect([seq, deltas.length]).toEqual([seqs[3], 3]);
    expect(get(`pub/${snapshot.url}`)).toHaveLength(snapshot.bytes);
    expect(readdirSync(join(folder, 'pub')).filter((name) => /lock|tmp/.test(name))).toEqual([]);
  });

  test('goes on where one was killed', async () => {
    await publish(hosts);
    put('pub/publish.lock', '');
    utimesSync(join(folder, 'pub', 'publish.lock'), 0, 0);
    const begun = `0.${webcrypto.randomUUID()}`;
    const half = `snapshot-${'0'.repeat(64)}.tamis.${begun}.tmp`;
    put(`pub/${half}`, 'half');
    put('pub/mine.tmp', 'mine');
    expect(await again()).toMatchObject({ code: 0, err: '' });
    const left = readdirSync(join(folder, 'pub'));
    expect(left).toContain('mine.tmp');
    expect(left).not.toContain(half);
    expect(left).not.toContain('publish.lock');
  });
});

test('says that it waits for another one', async () => {
  await publish(hosts);
  put('pub/publish.lock', '');
  const args = ['url', 'publish', 'bad.tamis', '--to', 'pub', '--sign', 'k.pem', '--name', 'bad'];
  const lock = join(folder, 'pub', 'publish.lock');
  const { code, out, err } = await tamis(args, '', () => rmSync(lock));
  expect({ code, err }).toEqual({
    code: 0,
    err: WAITING,
  });
  expect(out).toMatch(/^ {2}sequence +\d+$/m);
  expect(existsSync(lock)).toBe(false);
});

describe('url check', () => {
  const disguised = `https://eve@WWW.${hosts[3]}:81/%61?b`;

  test('answers each URL in order, and exits as grep does', async () => {
    put('bad.tamis', listOf(hosts).toBytes());
    const check = (args: string[], input?: string) =>
      tamis(['url', 'check', 'bad.tamis', ...args], input);
    expect(await check([disguised, 'https://good.example/', 'mailto:eve'])).toEqual({
      code: 0,
      out:
        `maybe    ${disguised}  by ${hosts[3]}/\n` +
        'safe     https://good.example/\ninvalid  mailto:eve\n',
      err: 'tamis: 1 URL is invalid, and not known to be safe\n',
    });
    expect(await check(['good.example', 'http://a.example/x'])).toEqual({
      code: 1,
      out: 'safe     good.example\nsafe     http://a.example/x\n',
      err: '',
    });
    expect(
      await check(['--json', 'one.example', '-'], `\r\n${disguised}\n\nx\u001b[31m\n`),
    ).toEqual({
      code: 0,
      out:
        '{"url":"one.example","verdict":"safe","expressions":[]}\n' +
        `{"url":"${disguised}","verdict":"maybe","expressions":["${hosts[3]}/"]}\n` +
        '{"url":"x\\u001b[31m","verdict":"invalid","expressions":[]}\n',
      err: 'tamis: 1 URL is invalid, and not known to be safe\n',
    });
    expect((await check([], 'http://x\u0007y.example\n')).out).toMatch(/^\w+ +http:\/\/x\\x07y/);
    expect(await check([], '')).toMatchObject({ code: 2, out: '' });
    expect((await check([], '')).err).toMatch(/standard input: an empty list: expected a URL/);
    const all = await check([], hosts.map((host) => `http://${host}/\n`).join(''));
    expect(all.out.match(/^maybe /gm)).toHaveLength(500);
    const listed = new UrlListBuilder().addHosts(['a.example']).addUrls(['b.a.example/c']);
    put('bad.tamis', listed.build().toBytes());
    const both = await check(['b.a.example/c']);
    expect(both.out).toBe('maybe    b.a.example/c  by b.a.example/c and a.example/\n');
  });

  test('says of no URL that is invalid that it is safe, by no exit code either', async () => {
    put('bad.tamis', listOf(hosts).toBytes());
    const check = (args: string[], input?: string) =>
      tamis(['url', 'check', 'bad.tamis', ...args], input);
    expect(await check(['good.example', 'mailto:eve', 'mailto:you'])).toEqual({
      code: 2,
      out: 'safe     good.example\ninvalid  mailto:eve\ninvalid  mailto:you\n',
      err: 'tamis: 2 URLs are invalid, and not known to be safe\n',
    });
    const json = await check(['--json'], 'mailto:eve\n');
    expect({ ...json, out: JSON.parse(json.out) }).toEqual({
      code: 2,
      out: { url: 'mailto:eve', verdict: 'invalid', expressions: [] },
      err: 'tamis: 1 URL is invalid, and not known to be safe\n',
    });
    expect((await check(['mailto:eve', disguised])).code).toBe(0);
  });

  test('asks a folder, its manifest and a web server, each byte as it was signed', async () => {
    await publish(hosts);
    const server = await serve();
    const places = ['pub', 'pub/manifest.json', `${server}/pub/manifest.json`];
    const ask = (place: string, key = PUBLIC, name = 'bad') =>
      tamis(['url', 'check', place, '--public-key', key, '--name', name, hosts[0] as string]);
    for (const place of places) {
      expect(await ask(place)).toEqual({
        code: 0,
        out: `maybe    ${hosts[0]}  by ${hosts[0]}/\n`,
        err: '',
      });
      const foreign = await ask(place, 'a'.repeat(64));
      expect(foreign).toMatchObject({ code: 2, out: '' });
      expect(foreign.err).toMatch(/ERR_TAMIS_BAD_SIGNATURE/);
      // The same key may have signed another list. This one has no hit for the hosts of that list.
      const other = await ask(place, PUBLIC, 'worse');
      expect(other).toMatchObject({ code: 2, out: '' });
      expect(other.err).toMatch(/'bad', not for 'worse' \(ERR_TAMIS_INCOMPATIBLE\)\n$/);
      expect(await refused(['url', 'check', place, '--public-key', PUBLIC, 'a.example'])).toEqual(
        expect.stringContaining(': expected --name NAME'),
      );
    }
    const { snapshot } = await manifest();
    const file = `pub/${snapshot.url}`;
    const good = get(file);
    const damaged = Buffer.from(good);
    damaged[100] = (damaged[100] as number) ^ 1;
    for (const bytes of [damaged, good.subarray(1), Buffer.concat([good, Buffer.of(0)])]) {
      put(file, bytes);
      for (const place of places) {
        const { code, out, err } = await ask(place);
        expect({ code, out }).toEqual({ code: 2, out: '' });
        expect(err).toMatch(
          /^tamis: .*(not the file that the manifest names|more than \d+ bytes)\n$/,
        );
      }
    }
    rmSync(join(folder, file));
    expect((await ask('pub')).err).toMatch(/snapshot-\w+\.tamis: no such file or folder\n$/);
    expect((await ask(places[2] as string)).err).toMatch(
      /snapshot-\w+\.tamis: the server answered 404/,
    );
  });

  test('believes no list past its time', async () => {
    put('k.pem', PEM);
    await publishAt(0);
    const signed = ['--public-key', PUBLIC, '--name', 'bad'];
    const { code, err } = await tamis(['url', 'check', 'pub', ...signed, 'a.example']);
    expect(code).toBe(2);
    expect(err).toMatch(/^tamis: pub: the manifest expired at 1970-01-08.*ERR_TAMIS_EXPIRED\)\n$/);
  });

  test('what gives no list is one line of error', async () => {
    mkdirSync(join(folder, 'empty'));
    put('text', 'a\n');
    put('text.json', 'a\n');
    put('bloom', BloomFilter.from(['a']).toBytes());
    const server = await serve();
    servers[0]?.close().closeAllConnections();
    const key = ['--public-key', PUBLIC, '--name', 'bad'];
    const cases: [string, string[], RegExp][] = [
      ['none', [], /^tamis: none: no such file or folder\n$/],
      ['text', [], /^tamis: text: .*: run tamis url build first, which makes a list from text\n$/],
      ['bloom', [], /^tamis: bloom: not a URL list, which tamis url build writes\n$/],
      ['empty', key, /^tamis: .*empty\/manifest\.json: no such file or folder\n$/],
      ['text.json', key, /^tamis: text\.json: not a manifest.*ERR_TAMIS_CORRUPT\)\n$/],
      [`${server}/manifest.json`, key, /^tamis: http\S+: no answer \(ECONNREFUSED\)\n$/],
      ['http://', key, /^tamis: http:\/\/: Invalid URL\n$/],
    ];
    for (const [place, options, message] of cases) {
      const err = await refused(['url', 'check', place, ...options, 'a.example']);
      expect(err).toMatch(message);
    }
  });
});
