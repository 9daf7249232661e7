/** tamis hash, pages, manifest and shard: every way from the same keys leads to the same files. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { BloomierMap } from 'tamis';
import { RemoteFilter } from 'tamis/remote';
import { isLong } from '../js/support/budget.js';
import { folder, get, KEY, put, output as run, tamis, textOf } from '../js/support/cli.js';
import {
  answersOf,
  checkFolder,
  fileOf,
  isSigned,
  manifestOf,
  pageBytes,
  pageOf,
  rootOf,
  sumsOf,
} from '../js/support/page-folders.js';

const keysOf = (count: number, prefix = 'key'): string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}-${i}`);

/** The keys in an order that looks random. */
const shuffle = <T>(items: readonly T[], step = 7919): T[] =>
  items.map((_, i) => items[(i * step + 13) % items.length] as T);

const named = ['--name', 'list'];

/** Runs a command that warns of few keys per page, and returns its output. */
async function runSmall(args: readonly string[], input: string | Uint8Array = ''): Promise<string> {
  const { code, out, err } = await tamis(args, input);
  expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('warning:') });
  expect(err).toMatch(/warning: [\d,]+ keys a page, fewer than 4,096/);
  return out;
}

/** The sorted records of `tamis hash`, then its closing line. */
async function records(keys: readonly string[], ...options: string[]): Promise<string[]> {
  const out = await run(['hash', ...options, '-'], textOf(keys));
  return [...new Set(out.trimEnd().split('\n'))].sort();
}

const keys = keysOf(30_000);

describe('roads', () => {
  test('shard, shard with less memory, and hash, sort, pages, manifest give the same parts', async () => {
    put('keys', textOf(keys));
    await run(['shard', ...named, 'keys', '-o', 'a']);
    const manifest = checkFolder('a');
    expect(manifest).toMatchObject({
      name: 'list',
      type: 'ribbon',
      hash: 'fast',
      seed: '0',
      keys: 30_000,
      pages: 3,
    });
    expect(answersOf('a', keys.slice(0, 200))).toEqual(new Array(200).fill(true));

    // Other orders, repeats, several lists, gzip, little memory.
    put('one', textOf(shuffle([...keys, ...keys.slice(0, 5000)])));
    await run(['shard', ...named, 'one', '-o', 'b', '--memory', '1MB']);
    expect(sumsOf('b')).toEqual(sumsOf('a'));
    put('two.gz', gzipSync(textOf(keys.slice(0, 20_000))));
    put('three', textOf(shuffle(keys.slice(15_000))));
    await run(['shard', ...named, 'two.gz', 'three', '-o', 'c', '--memory', '3MB']);
    expect(sumsOf('c')).toEqual(sumsOf('a'));
    await run(['shard', ...named, '-', '-o', 'd'], textOf(keys));
    expect(sumsOf('d')).toEqual(sumsOf('a'));

    const lines = await records(shuffle(keys), '--pages', '3');
    expect(lines.length).toBe(30_001);
    const built = await run(['pages', ...named, '--pages', '3', '-o', 'e'], textOf(lines));
    expect(built).toBe('e: 3 pages, 0 to 2, of 30,000 distinct keys\n');
    await run(['manifest', ...named, 'e']);
    expect(sumsOf('e')).toEqual(sumsOf('a'));
    const when = { seq: 0, created: '', notAfter: '' };
    expect({ ...manifestOf('e'), ...when }).toEqual({ ...manifest, ...when });
  });

  test('several runs of pages over ranges, of records that are sorted by page alone', async () => {
    put('keys', textOf(keys));
    await runSmall(['shard', ...named, 'keys', '-o', 'a', '--pages', '50']);
    expect(manifestOf('a').pages).toBe(50);
    checkFolder('a');
    const lines = await records(keys, '--pages', '50');
    const inRange = (from: number, to: number): string[] =>
      shuffle(lines.filter((line) => line.startsWith('~') || isIn(line, from, to))).sort(
        (one, other) =>
          one.slice(0, 8) < other.slice(0, 8) ? -1 : one.slice(0, 8) > other.slice(0, 8) ? 1 : 0,
      );
    const isIn = (line: string, from: number, to: number): boolean => {
      const page = Number.parseInt(line.slice(0, 8), 16);
      return page >= from && page < to;
    };
    for (const [from, to] of [
      [33, 50],
      [0, 1],
      [1, 33],
    ] as const) {
      const range = `${from}:${to}`;
      put('part', textOf(inRange(from, to)));
      const own = ['--range', range, '--run', 'one', '--json'];
      const args = ['pages', ...named, 'part', '--pages', '50', '-o', 'parts', ...own];
      const told = JSON.parse(await run(args));
      expect(told).toMatchObject({ first: from, last: to - 1, pages: to - from });
    }
    await runSmall(['manifest', ...named, 'parts', '-o', 'b']);
    expect(sumsOf('b')).toEqual(sumsOf('a'));
    expect(readdirSync(join(folder, 'b')).sort()).toEqual(
      ['manifest.json', ...Object.keys(sumsOf('b'))].sort(),
    );
    // Nothing is left of what was built on the way.
    expect(readdirSync(join(folder, 'a'))).not.toContain('.spill');
  });

  test('--files page writes a file for each page, of the same bytes', async () => {
    put('keys', textOf(keys));
    await run(['shard', ...named, 'keys', '-o', 'a']);
    await run(['shard', ...named, 'keys', '-o', 'b', '--files', 'page']);
    const { parts, pagesPerPart, ...rest } = checkFolder('b');
    const { seq, created, notAfter } = rest;
    const whole = manifestOf('a');
    const when = { seq, created, notAfter };
    expect({ ...whole, parts, pagesPerPart, ...when }).toEqual(manifestOf('b'));
    expect([parts, pagesPerPart]).toEqual([3, 1]);
    const name = (page: number) => `list.${whole.root.slice(0, 16)}.${page}.page`;
    expect(Object.keys(sumsOf('b'))).toEqual([0, 1, 2].map(name));
    for (let page = 0; page < 3; page++) {
      expect(pageBytes('b', page).equals(pageBytes('a', page))).toBe(true);
    }

    const lines = await records(keys, '--pages', '3');
    await run(['pages', ...named, '--pages', '3', '-o', 'c'], textOf(lines));
    await run(['manifest', ...named, 'c', '-o', 'd', '--files', 'page']);
    expect(sumsOf('d')).toEqual(sumsOf('b'));
    // A renewal leaves the files as they are.
    await run(['manifest', ...named, 'd', '--renew']);
    expect(manifestOf('d').pagesPerPart).toBe(1);
    const { code, err } = await tamis(['manifest', ...named, 'a', '--renew', '--files', 'page']);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('--files page needs') });

    const asked: string[] = [];
    const filter = await RemoteFilter.open('https://host.example/manifest.json', {
      name: manifestOf('b').name,
      publicKeys: null,
      // This server knows no ranges.
      fetch: async (url) => {
        asked.push(url);
        return new Response(get(join('b', url.split('/').at(-1) as string)) as never);
      },
    });
    expect(await filter.hasMany(keys)).toEqual(new Uint8Array(keys.length).fill(1));
    expect(asked).toHaveLength(4);
    filter.close();
  });

  test.each(['binary-fuse', 'exact', 'bloomier'])('of type %s', async (type) => {
    const others = keysOf(40_000, 'other');
    const values = keys.map((key, i) => `${key}\t${i % 8}`);
    const shape = { 'binary-fuse': ['--fingerprint-bits', '16'], bloomier: ['--value-bits', '3'] };
    const own = (shape as Record<string, string[]>)[type] ?? [];
    const lines = type === 'bloomier' ? values : keys;
    put('keys', textOf(lines));
    put('mixed', textOf(shuffle([...lines, ...lines.slice(7, 700)])));
    put('others', textOf(others));
    const exclude = type === 'exact' ? ['--exclude', 'others'] : [];
    await run(['shard', ...named, 'keys', '-o', 'a', '--type', type, ...own, ...exclude]);
    const { pages, keys: count } = checkFolder('a');
    expect({ isSeveral: pages > 1, count }).toEqual({ isSeveral: true, count: 30_000 });

    const small = ['--memory', '1MB', ...own, ...exclude];
    await run(['shard', ...named, 'mixed', '-o', 'b', '--type', type, ...small]);
    expect(sumsOf('b')).toEqual(sumsOf('a'));

    const hashing = ['--pages', String(pages), '--type', type];
    const sorted = await records(shuffle(lines), ...hashing, ...exclude);
    expect(sorted.length).toBe(type === 'exact' ? 70_001 : 30_001);
    await run(['pages', ...named, ...hashing, ...own, '-o', 'c'], textOf(sorted));
    await run(['manifest', ...named, 'c']);
    expect(sumsOf('c')).toEqual(sumsOf('a'));

    if (type === 'bloomier') {
      for (const [i, key] of keys.slice(0, 300).entries()) {
        const bytes = fileOf(pageBytes('a', pageOf(key, manifestOf('a'))));
        const map = BloomierMap.fromBytes(bytes);
        expect(map.get(key)).toBe(i % 8);
        map.dispose();
      }
      return;
    }
    expect(answersOf('a', keys.slice(0, 200))).toEqual(new Array(200).fill(true));
    if (type !== 'exact') return;
    expect(answersOf('a', others.slice(0, 200))).toEqual(new Array(200).fill(false));
  });

  test('with a seed and a secret key', async () => {
    put('keys', textOf(keys));
    put('key', KEY);
    const own = ['--seed', '0xfffffffffffffff7', '--secret-file', 'key'];
    await run(['shard', ...named, 'keys', '-o', 'a', ...own]);
    const manifest = checkFolder('a', KEY);
    expect(manifest).toMatchObject({ hash: 'keyed', seed: String(2n ** 64n - 9n) });
    // The id of the key, as the header of each page has it.
    expect(manifest.keyCheck).toBe(
      pageBytes('a', 0).readBigUInt64LE(24).toString(16).padStart(16, '0'),
    );
    expect(answersOf('a', keys.slice(0, 100), KEY)).toEqual(new Array(100).fill(true));
    const sorted = await records(keys, '--pages', '3', ...own);
    await run(['pages', ...named, '--pages', '3', '-o', 'b', ...own], textOf(sorted));
    await run(['manifest', ...named, 'b']);
    expect(sumsOf('b')).toEqual(sumsOf('a'));
    // Another seed sends keys elsewhere.
    const other = await records(keys, '--pages', '3', '--secret-file', 'key');
    expect(other).not.toEqual(sorted);
  });

  test('keys of any bytes as base64, and of other encodings', async () => {
    const odd = Array.from({ length: 50 }, (_, i) => `line ${i}\nand\tanother`);
    const lines = odd.map((key) => Buffer.from(key).toString('base64'));
    put('keys', textOf(lines));
    await run(['shard', ...named, 'keys', '-o', 'a', '--input', 'base64']);
    expect(answersOf('a', odd)).toEqual(odd.map(() => true));
    // Url-safe alphabets and missing padding give the same keys.
    put('url', textOf(odd.map((key) => Buffer.from(key).toString('base64url'))));
    await run(['shard', ...named, 'url', '-o', 'b', '--input', 'base64']);
    expect(sumsOf('b')).toEqual(sumsOf('a'));
    put('hex', textOf(odd.map((key) => Buffer.from(key).toString('hex'))));
    await run(['shard', ...named, 'hex', '-o', 'c', '--keys', 'bytes']);
    expect(sumsOf('c')).toEqual(sumsOf('a'));
    const out = await run(['hash', '--pages', '1', '--input', 'base64', 'keys']);
    const sorted = out.trimEnd().split('\n').sort();
    await run(['pages', ...named, '--pages', '1', '-o', 'd'], textOf(sorted));
    await run(['manifest', ...named, 'd']);
    expect(sumsOf('d')).toEqual(sumsOf('a'));
  });
});

describe('records', () => {
  test('are page and hash in hexadecimal of fixed width', async () => {
    const out = await run(['hash', '--pages', '83334'], '\nalice\r\n');
    expect(out).toMatch(/^[0-9a-f]{8}\t[0-9a-f]{16}\n~\t[0-9a-f]{32}\t0{15}1\n$/);
    const page = pageOf('alice', { pages: 83_334, seed: '0' });
    expect(Number.parseInt(out.slice(0, 8), 16)).toBe(page);
    const most = await run(['hash', '--pages', String(2 ** 31)], 'alice\n');
    expect(Number.parseInt(most.slice(0, 8), 16)).toBe(
      pageOf('alice', { pages: 2 ** 31, seed: '0' }),
    );
    expect(most.slice(8, 26)).toBe(out.slice(8, 26));
  });

  test('of nothing are a closing line, which an engine may have for a worker', async () => {
    const out = await run(['hash', '--pages', '9'], '');
    expect(out).toMatch(/^~\t[0-9a-f]{32}\t0{16}\n$/);
    const own = ['--range', ':9', '--run', 'one'];
    await run(['pages', ...named, '--pages', '9', '-o', 'p', ...own], out);
  });

  test('come in any pieces', async () => {
    put('keys', textOf(keys));
    const out = await run(['hash', '--pages', '1', 'keys']);
    const sorted = Buffer.from(textOf(out.trimEnd().split('\n').sort()));
    put('sorted', sorted);
    await run(['pages', ...named, 'sorted', '--pages', '1', '-o', 'a']);
    await run(['pages', ...named, '--pages', '1', '-o', 'b'], sorted);
    for (const where of ['a', 'b']) await run(['manifest', ...named, where]);
    expect(sumsOf('a')).toEqual(sumsOf('b'));
  });
});

test('tamis/remote looks keys up in what shard wrote', async () => {
  put('keys', textOf(keys));
  const options = ['--sign', 'k.pem', '--create-key', '--json', '-o', 'a'];
  const { publicKey } = JSON.parse(await run(['shard', ...named, 'keys', ...options]));
  let requests = 0;
  const fetch = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    requests++;
    const file = get(`a/${new URL(String(url)).pathname.slice(1)}`);
    const range = /^bytes=(\d+)-(\d+)$/.exec(new Headers(init?.headers).get('range') ?? '');
    if (range === null) return new Response(new Uint8Array(file));
    const body = new Uint8Array(file.subarray(Number(range[1]), Number(range[2]) + 1));
    return new Response(body, { status: 206 });
  };
  const seen = await RemoteFilter.open('https://host.example/manifest.json', {
    name: manifestOf('a').name,
    publicKeys: [publicKey],
    fetch,
  });
  expect(await seen.has(keys[7] as string)).toBe(true);
  expect(requests).toBe(2);
  const asked = [...keys.slice(0, 2000), 'not there'];
  const answers = await seen.hasMany(asked);
  expect(Array.from(answers.subarray(0, 2000))).toEqual(new Array(2000).fill(1));
  expect(requests).toBeLessThanOrEqual(1 + manifestOf('a').pages);
  seen.close();
});

describe('manifest', () => {
  test('is signed, has a higher number each time, and is renewed without the pages', async () => {
    put('keys', textOf(keys));
    const sign = ['--sign', 'k.pem', '--name', 'leaked.v1', '--lifetime', '2d'];
    const told = JSON.parse(
      await run(['shard', 'keys', '-o', 'a', ...sign, '--create-key', '--json']),
    );
    const first = checkFolder('a');
    expect(first.name).toBe('leaked.v1');
    expect(first.seq).toBe(Math.floor(Date.parse(first.created) / 1000));
    expect(Date.parse(first.notAfter) - Date.parse(first.created)).toBe(2 * 24 * 3600 * 1000);
    expect(isSigned('a', told.publicKey)).toBe(true);
    expect(told).toMatchObject({ createdKey: true, root: first.root, bytes: 3 * first.stride });
    expect(JSON.stringify(first).length).toBeLessThan(1000);

    const sums = sumsOf('a');
    const again = ['--sign', 'k.pem', '--name', 'leaked.v1'];
    await run(['manifest', 'a', '--renew', ...again]);
    const second = manifestOf('a');
    expect(second).toMatchObject({ name: 'leaked.v1', root: first.root });
    expect(second.seq).toBeGreaterThan(first.seq);
    expect(isSigned('a', told.publicKey)).toBe(true);
    expect(sumsOf('a')).toEqual(sums);

    // A changed list has files with other names. The files for clients of the old manifest stay.
    put('keys', textOf([...keys, 'one more']));
    await run(['shard', 'keys', '-o', 'a', ...again]);
    const third = checkFolder('a');
    expect(third).toMatchObject({ name: 'leaked.v1', keys: 30_001 });
    expect(third.seq).toBeGreaterThan(second.seq);
    expect(third.root).not.toBe(first.root);
    expect(readdirSync(join(folder, 'a'))).toEqual(expect.arrayContaining(Object.keys(sums)));
  });

  test('of nobody has no signature', async () => {
    put('keys', textOf(keys));
    expect(await run(['shard', ...named, 'keys', '-o', 'a'])).toMatch(
      /public key +none: it is unsigned/,
    );
    expect(Object.keys(manifestOf('a'))).not.toContain('sig');
  });

  test('a page of no keys is a page', async () => {
    put('keys', 'alone\n');
    await run(['shard', ...named, 'keys', '-o', 'a']);
    expect(checkFolder('a').pages).toBe(1);
    const lines = await records(['alone'], '--pages', '5');
    await run(['pages', ...named, '--pages', '5', '-o', 'b'], textOf(lines));
    await runSmall(['manifest', ...named, 'b']);
    expect(checkFolder('b')).toMatchObject({ pages: 5, keys: 1 });
    expect(answersOf('b', ['alone', 'not there'])).toEqual([true, false]);
  });

  // It writes 16 MB: two seconds, of what pages-layout.test.ts computes.
  (isLong ? test : test.skip)('more than 16 MiB of pages are several parts', async () => {
    put('keys', textOf(keys));
    await runSmall(['shard', ...named, 'keys', '-o', 'a', '--pages', '29000']);
    const { stride, pagesPerPart, parts, pages, root } = manifestOf('a');
    expect({ parts, pagesPerPart }).toEqual({
      parts: 2,
      pagesPerPart: Math.floor(2 ** 24 / stride),
    });
    const sizes = Object.keys(sumsOf('a')).map((file) => get(`a/${file}`).length);
    expect(sizes).toEqual([pagesPerPart * stride, (pages - pagesPerPart) * stride]);
    for (const page of [0, pagesPerPart - 1, pagesPerPart, pages - 2, pages - 1]) {
      expect(rootOf(pageBytes('a', page), page, pages)).toBe(root);
    }
    expect(answersOf('a', keys.slice(0, 50))).toEqual(new Array(50).fill(true));
  });
});
