/** Refusals of tamis hash, pages, manifest and shard. Each names the fault, and nothing is published. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { folder, get, KEY, output, put, tamis, textOf } from './support/cli.js';
import { pageOf } from './support/page-folders.js';

const keys = Array.from({ length: 400 }, (_, i) => `key-${i}`);

async function refused(args: readonly string[], input = ''): Promise<string> {
  const { code, out, err } = await tamis(args, input);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).not.toMatch(/^\s+at /m);
  return err;
}

const name = ['--name', 'list'];
const pages = ['pages', '--pages', '4', '-o', 'p', ...name];
const manifest = ['manifest', 'p', ...name];
/** The closing line of no records. */
const nothing = `~\t${'0'.repeat(32)}\t${'0'.repeat(16)}\n`;

const isClosing = (line: string): boolean => line.startsWith('~');

/** The sorted records of the keys in 4 pages, then the closing line. */
async function records(...options: string[]): Promise<string[]> {
  const { out, code } = await tamis(['hash', '--pages', '4', ...options], textOf(keys));
  expect(code).toBe(0);
  return out.trimEnd().split('\n').sort();
}

/** Builds the pages of a range into p. */
async function build(from: number, to: number, ...options: string[]): Promise<void> {
  const seed = options.includes('--seed') ? options.slice(options.indexOf('--seed')) : [];
  await buildOf(await records(...seed), from, to, ...options);
}

/** The same, of records. */
async function buildOf(
  lines: readonly string[],
  from: number,
  to: number,
  ...options: string[]
): Promise<void> {
  const own = lines.filter((line) => {
    const page = Number.parseInt(line.slice(0, 8), 16);
    return isClosing(line) || (page >= from && page < to);
  });
  const range = ['--range', `${from}:${to}`, '--run', 'one'];
  await output([...pages, ...range, ...options], textOf(own));
}

const nothingIn = (name: string): void =>
  expect(existsSync(join(folder, name)) ? readdirSync(join(folder, name)) : []).toEqual([]);

describe('records', () => {
  const good = `00000000\t${'0'.repeat(16)}`;
  test.each([
    ['no record', 'alice'],
    ['upper case', `00000000\t${'A'.repeat(16)}`],
    ['a short page', `0000000\t${'a'.repeat(16)}`],
    ['a short hash', `00000000\t${'a'.repeat(15)}`],
    ['a blank for the tab', `00000000 ${'a'.repeat(16)}`],
    ['a third field', `${good}\t1`],
    ['a CR', `${good}\r`],
    ['nothing', ''],
  ])('%s: the error names the line', async (_, line) => {
    const lines = await records();
    const input = textOf([...lines.slice(0, 6), line, ...lines.slice(6)]);
    expect(await refused(pages, input)).toMatch(
      /^tamis: standard input: line 7: .*expected a page/,
    );
    put('r', input);
    expect(await refused([...pages, 'r'])).toMatch(/^tamis: r: line 7: /);
    nothingIn('p');
  });

  test('cut short at the end', async () => {
    const lines = await records();
    const input = textOf(lines.slice(0, -1)).slice(0, -1);
    expect(await refused(pages, input)).toMatch(/line 400: .*expected a page of 8 hex digits/);
    nothingIn('p');
  });

  test('without a value, or with another third field than the type has', async () => {
    const map = ['--type', 'bloomier', '--value-bits', '2'];
    expect(await refused([...pages, ...map], textOf(await records()))).toMatch(
      /line 1: .* a value of/,
    );
    const flags = (await records()).map((line) => (isClosing(line) ? line : `${line}\t2`));
    expect(await refused([...pages, '--type', 'exact'], textOf(flags))).toMatch(/line 1: .*1 or 0/);
    nothingIn('p');
  });

  test('not sorted, of another --pages or --seed, or outside --range', async () => {
    const lines = await records();
    const reversed = [...lines.slice(0, -1).reverse(), ...lines.slice(-1)];
    expect(await refused(pages, textOf(reversed))).toMatch(
      /line \d+: page \d comes after \d: sort the lines by page/,
    );
    const elsewhere = await records('--seed', '1');
    expect(await refused(pages, textOf(elsewhere))).toMatch(
      /line \d+: the hash belongs to page \d, not \d: pass the --pages and --seed of tamis hash/,
    );
    expect(await refused([...pages, '--range', '1:4', '--run', 'one'], textOf(lines))).toMatch(
      /line 1: page 0 is not in --range/,
    );
    nothingIn('p');
  });

  test('a value that the map has no bits for, and a key with two values', async () => {
    const map = ['--type', 'bloomier', '--value-bits', '2'];
    const run = async (lines: string[]): Promise<string> => {
      const { out } = await tamis(['hash', '--pages', '4', '--type', 'bloomier'], textOf(lines));
      return refused([...pages, ...map], textOf(out.trimEnd().split('\n').sort()));
    };
    expect(await run(['a\t3', 'b\t4'])).toMatch(/page \d: a value must be at most 3, got 4/);
    expect(await run(['a\t3', 'b\t1', 'a\t2'])).toMatch(/page \d: 1 key with two values/);
    put('keys', 'a\t3\nb\t1\na\t2\n');
    expect(await refused(['shard', 'keys', '-o', 's', ...name, ...map])).toMatch(
      /1 key with two values/,
    );
    put('keys', 'a\n');
    put('others', 'b\na\n');
    const exact = ['--type', 'exact', '--exclude', 'others'];
    expect(await refused(['shard', 'keys', '-o', 's2', ...name, ...exact])).toMatch(
      /page 0: 1 key in both lists \(ERR_TAMIS_CONFLICT\)/,
    );
  });
});

describe('lists', () => {
  test('of a map: every line needs a tab and a number', async () => {
    for (const line of ['b', 'b\t', 'b\tx', 'b\t-1', `b\t${2 ** 32}`, '\t']) {
      const args = ['hash', '--pages', '4', '--type', 'bloomier'];
      const { code, err } = await tamis(args, `a\t1\n\n${line}\n`);
      expect(code).toBe(2);
      expect(err).toMatch(/line 3: key: expected a key, a tab and a value below 2\^32/);
    }
  });

  test('of base64: a line that is none', async () => {
    put('keys', 'YWxpY2U=\nno base64\n');
    expect(await refused(['shard', 'keys', '-o', 's', ...name, '--input', 'base64'])).toMatch(
      /^tamis: keys: line 2: key no base64: expected base64, as --input requires/,
    );
  });

  test('that are empty, or not there', async () => {
    put('empty', '\n\n');
    put('one', 'a\n');
    expect(await refused(['shard', 'empty', '-o', 's', ...name])).toMatch(/empty: an empty list/);
    expect(await refused(['shard', '-', '-o', 's', ...name])).toMatch(/an empty list/);
    expect(await refused(['shard', 'none', '-o', 's', ...name])).toMatch(/none: no such file/);
    expect(await refused(['shard', 'one', '-o', 's', ...name, '--sign', 'k.pem'])).toMatch(
      /k\.pem: no such file; --create-key makes a new signing key there\n/,
    );
    expect(existsSync(join(folder, 's/manifest.json'))).toBe(false);
    // One of several may be empty.
    const both = ['shard', 'empty', 'one', '-o', 's', ...name];
    expect(await tamis(both)).toMatchObject({ code: 0, err: '' });
  });
});

describe('manifest', () => {
  test('of no parts, and of pages without any key', async () => {
    expect(await refused(['manifest', 'none', ...name])).toMatch(/none: no such file or folder/);
    put('x', '');
    expect(await refused(['manifest', '.', ...name])).toMatch(/no parts of tamis pages/);
    expect(await tamis(pages, nothing)).toMatchObject({ code: 0 });
    expect(await refused(manifest)).toMatch(/p: the pages have no keys/);
    expect(existsSync(join(folder, 'p/manifest.json'))).toBe(false);
  });

  test('pages that are missing, or there twice', async () => {
    const lines = await records();
    await buildOf(lines, 1, 2);
    expect(await refused(manifest)).toMatch(/p: page 0 is missing: run tamis pages/);
    await buildOf(lines, 0, 1);
    expect(await refused(manifest)).toMatch(/p: pages 2 to 3 are missing/);
    await buildOf(lines, 3, 4);
    expect(await refused(manifest)).toMatch(/p: page 2 is missing/);
    await buildOf(lines, 1, 4);
    expect(await refused(manifest)).toMatch(
      /part-0000000001-0000000003.part: page 1 is also in p\/part-0000000001-0000000001.part/,
    );
    expect(readdirSync(join(folder, 'p'))).not.toContain('manifest.json');
  });

  test.each([
    ['seed', ['--seed', '5'], /seed is 5 here and 0 in/],
    ['bits', ['--fingerprint-bits', '9'], /fingerprintBits is 9 here and 8 in/],
    ['type', ['--type', 'binary-fuse'], /type is binary-fuse here and ribbon in/],
    ['key', ['--secret-file', 'key'], /hash is keyed here and fast in/],
  ])('parts of another %s', async (_, options, message) => {
    put('key', KEY);
    const lines = await records();
    await buildOf(lines, 0, 2);
    const others = options.includes('--seed') ? await records(...options) : lines;
    await buildOf(others, 2, 4, ...options);
    expect(await refused(manifest)).toMatch(message);
  });

  test('parts that were made with two secret keys', async () => {
    put('key', KEY);
    put('other', KEY.toReversed());
    const lines = await records('--secret-file', 'key');
    for (const [file, from, to] of [
      ['key', 0, 2],
      ['other', 2, 4],
    ] as const) {
      await buildOf(lines, from, to, '--secret-file', file);
    }
    expect(await refused(manifest)).toMatch(/keyCheck is [0-9a-f]{16} here and [0-9a-f]{16} in/);
  });

  test('parts of another number of pages', async () => {
    await build(0, 4);
    const own = ['--range', '4:9', '--run', 'one'];
    const args = ['pages', '--pages', '9', '-o', 'p', ...own, ...name];
    expect(await tamis(args, nothing)).toMatchObject({ code: 0 });
    expect(await refused(manifest)).toMatch(/pages is 9 here and 4 in/);
  });

  test('files that were cut, or are no parts', async () => {
    await build(0, 4);
    const part = 'p/part-0000000000-0000000003.part';
    const whole = get(part);
    /** The part with another text behind its pages, of the same length. */
    const changed = (from: string, to: string): Buffer =>
      Buffer.from(whole.toString('latin1').replace(from, to), 'latin1');
    const cuts = [0, 15, 100, whole.length - 1].map((length) => whole.subarray(0, length));
    const longer = Buffer.concat([whole, whole.subarray(-16)]);
    const others = [changed('"last":3', '"last":2'), changed('{"format"', '["format"')];
    for (const wrong of [...cuts, longer, whole.subarray(1), ...others]) {
      put(part, wrong);
      expect(await refused(manifest)).toMatch(/\.part: not a complete part of tamis pages/);
    }
    put(part, changed('"type":"ribbon"', '"type":"bloomy"'));
    expect(await refused(manifest)).toMatch(/\.part: /);
    expect(readdirSync(join(folder, 'p'))).not.toContain('manifest.json');
  });
});

test('a page that is too full names a larger --pages', async () => {
  // Out of many keys, only those of one page: a bad hash or an attacker would produce such keys.
  const crowd = Array.from({ length: 40_000 }, (_, i) => `key-${i}`);
  const page = crowd.filter((key) => pageOf(key, { pages: 8, seed: '0' }) === 3);
  put('keys', textOf(page));
  const message =
    /page 3 is too full: [\d,]+ keys take [\d,]+ bytes, and there are [\d,]+: give a larger --pages, such as 13/;
  expect(await refused(['shard', 'keys', '-o', 's', '--pages', '8', ...name])).toMatch(message);
  const { out } = await tamis(['hash', '--pages', '8', 'keys']);
  const sorted = textOf(out.trimEnd().split('\n').sort());
  expect(await tamis(['pages', '--pages', '8', '-o', 'p', ...name], sorted)).toMatchObject({
    code: 0,
  });
  expect(await refused(manifest)).toMatch(message);
  expect(readdirSync(join(folder, 'p'))).not.toContain('manifest.json');
});

describe('options', () => {
  test.each([
    [['hash'], /hash: expected --pages N/],
    [['hash', '--pages', '0'], /--pages 0: expected 1 to 2\^31 pages/],
    [['hash', '--pages', String(2 ** 31 + 1)], /expected 1 to 2\^31 pages/],
    [['hash', '--pages', '1', '--seed', '0x10000000000000000'], /--seed/],
    [['hash', '--pages', '1', '--exclude', 'x'], /--exclude works only with --type exact/],
    [['hash', '--pages', '1', '-', '-'], /standard input can be read only once/],
    [['hash', '--pages', '1', '--type', 'bloom'], /--type bloom: /],
    [['pages', '--pages', '1'], /pages: expected -o FOLDER, --name NAME\n/],
    [['pages', '-o', 'x'], /pages: expected --name NAME, --pages N\n/],
    [
      ['pages', '--pages', '4', '-o', 'x', ...name, '--run', 'a', '--range', '3:5'],
      /--range 3:5: expected FROM <= TO <= 4/,
    ],
    [
      ['pages', '--pages', '4', '-o', 'x', ...name, '--run', 'a', '--range', '2:2'],
      /--range 2:2: expected at least one page/,
    ],
    [
      ['pages', '--pages', '1', '-o', 'x', ...name, '--arity', '3'],
      /--arity works only with --type binary-fuse/,
    ],
    [
      ['pages', '--pages', '1', '-o', 'x', ...name, '--fingerprint-bits', '33'],
      /fingerprintBits must be/,
    ],
    [['pages', '--pages', '1', '-o', 'x', ...name, '--type', 'bloomier'], /valueBits/],
    [['shard', 'keys'], /shard: expected -o FOLDER/],
    [['shard', '-o', 'x'], /shard: expected one LIST or more/],
    [['shard', 'keys', '-o', 'x', ...name, '--type', 'exact'], /expected --exclude LIST2/],
    [['shard', 'keys', '-o', 'x', ...name, '--exclude', 'keys'], /--exclude works only/],
    [['shard', 'keys', '-o', 'x', '--memory', '10'], /--memory 10: expected at least 1MB/],
    [['shard', 'keys', '-o', 'x', '--memory', '100kB'], /--memory 100kB: expected at least 1MB/],
    [['shard', 'keys', '-o', 'x', '--name', 'a/b'], /--name \S+: expected 1 to 64 letters/],
    [['shard', 'keys', '-o', 'x', '--name', '..'], /--name \S+: expected 1 to 64 letters/],
    [['shard', 'keys', '-o', 'x'], /shard: expected --name NAME/],
    [['pages', '--pages', '1', '-o', 'x'], /pages: expected --name NAME/],
    [['manifest', 'x'], /manifest: expected --name NAME/],
    [['pages', '--pages', '1', '-o', 'x', ...name, '--hashes', '0'], /--hashes 0: expected 1/],
    [['manifest', 'x', ...name, '--renew', '-o', 'y'], /--renew works without -o/],
    [['pages', '--pages', '4', '-o', 'x', ...name, '--range', ':2'], /expected --run ID too/],
    [['pages', '--pages', '4', '-o', '-', ...name, '--json'], /-o -: .*without --json/],
    [['pages', '--pages', '4', '-o', 'x', ...name, '--run', 'a b'], /--run a b: expected 1 to 64/],
    [
      ['shard', 'keys', '-o', 'x', ...name, '--create-key'],
      /--create-key needs --sign PEM, where the new signing key is written\n/,
    ],
    [
      ['shard', 'keys', '-o', 'x', ...name, '--pages', '3'],
      /--pages 3: expected at most \d+, one per key/,
    ],
    [['manifest'], /manifest: expected one FOLDER/],
  ])('%j is a mistake that is explained', async (args, message) => {
    put('keys', 'a\nb\n');
    const err = await refused(args);
    expect(err).toMatch(message);
    expect(existsSync(join(folder, 'x/manifest.json'))).toBe(false);
  });
});
