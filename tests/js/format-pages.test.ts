/**
 * cpp/FORMAT.md on pages: the golden folders, which Python wrote, by the package's client and by the reader in Python.
 * cli-pages-golden.test.ts has the package write them.
 */

import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, jest, test } from '@jest/globals';
import * as readers from 'tamis/read';
import { RemoteFilter, RemoteMap } from 'tamis/remote';

import { isLong } from './support/budget.js';
import {
  absent,
  excludedOf,
  type GoldenPages,
  goldenPages,
  keysOf,
  numbersOf,
  sha256,
} from './support/golden-pages.js';
import { BASE, FakeHost } from './support/pages.js';
import { run } from './support/python.js';

const names = goldenPages.map((set) => [set.name, set] as const);
test.each(names)('the golden folder %s has not changed', (_name, set) => {
  expect(readdirSync(set.folder).sort()).toEqual(Object.keys(set.files).sort());
  for (const [file, digest] of Object.entries(set.files)) {
    expect(sha256(readFileSync(join(set.folder, file))).toString('hex')).toBe(digest);
  }
});

/** A question to the reader in Python: a folder, a time, a name, a public key, a secret key, and keys. */
interface Question {
  readonly folder: string;
  readonly name: string;
  readonly now?: string;
  readonly publicKey?: string | undefined;
  readonly secret?: string | undefined;
  readonly ask?: readonly string[];
}
/** Returns the lines that the reader prints for each question, or the code that it exits with. */
function read(questions: readonly Question[]): (string | string[])[] {
  const program = `
import contextlib, io, json, read_pages
for args, lines in json.load(sys.stdin):
    sys.stdin, out = io.StringIO(lines), io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            read_pages.main(*args)
        print(json.dumps(out.getvalue().split()))
    except SystemExit as end:
        print(json.dumps(end.code))
`;
  const asked = questions.map(({ folder, now = '2026-11-24', name, ...more }) => [
    [
      folder,
      String(Date.parse(now)),
      name,
      more.publicKey ?? '-',
      ...(more.secret ? [more.secret] : []),
    ],
    (more.ask ?? []).map((key) => `${Buffer.from(key).toString('hex')}\n`).join(''),
  ]);
  return run(program, [JSON.stringify(asked)]).map((line) => JSON.parse(line));
}

/** Returns the answers of the package's client for the keys, on the day after `created`; or its code. */
async function lookUp({ folder, name, publicKey, secret, ask = [] }: Question) {
  const host = new FakeHost();
  for (const file of readdirSync(folder)) host.files.set(file, readFileSync(join(folder, file)));
  const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-11-24'));
  const options = {
    name,
    publicKeys: publicKey === undefined ? null : [publicKey],
    ...(secret === undefined ? {} : { secret: new Uint8Array(Buffer.from(secret, 'hex')) }),
    fetch: host.fetch,
    retries: 0,
  };
  const { type } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  const types = [readers.RibbonFilter, readers.BinaryFuseFilter, readers.ExactFilter];
  try {
    if (type === 'bloomier') {
      const map = await RemoteMap.open(`${BASE}manifest.json`, options);
      const { values, found } = await map.getMany(ask);
      return [...values].map((value, i) => (found[i] === 1 ? String(value) : '-'));
    }
    const filter = await RemoteFilter.open(`${BASE}manifest.json`, { ...options, types });
    return [...(await filter.hasMany(ask))].map((answer) => String(Number(answer)));
  } catch (error) {
    return (error as { readonly code: string }).code;
  } finally {
    clock.mockRestore();
  }
}

const copies: string[] = [];
afterAll(() => {
  for (const folder of copies) rmSync(folder, { recursive: true });
});

/** Each key of the set, the excluded ones and others, and the answers. */
function answersOf(set: GoldenPages): { ask: string[]; answers: string[] } {
  const isMap = set.manifest.type === 'bloomier';
  const present = numbersOf(set).map((key) => String(isMap ? key % 2 ** set.valueBits : 1));
  const excluded = excludedOf(set).map(() => '0');
  return {
    ask: [...keysOf(set), ...excludedOf(set), ...absent],
    answers: [...present, ...excluded, ...[...set.answers].map(String)],
  };
}

test.each(names)("the package's client answers for every key of %s", async (_, set) => {
  const { ask, answers } = answersOf(set);
  expect(await lookUp({ ...set, ask })).toEqual(answers);
});

describe('a page alone', () => {
  const file = readFileSync(new URL('../vectors/v1/ribbon-16-bits.tamis', import.meta.url));
  const few = goldenPages[1] as GoldenPages;

  /** The folder of one page. */
  function folderOf(leaf: Uint8Array): string {
    const root = sha256(leaf).toString('hex');
    const [stride, pagesPerPart] = [leaf.length, Math.floor(2 ** 24 / leaf.length)];
    const manifest = { ...few.manifest, keys: 28, pages: 1, stride, pagesPerPart, root };
    const folder = mkdtempSync(join(tmpdir(), 'tamis-pages-'));
    copies.push(folder);
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
    writeFileSync(join(folder, `${few.name}.${root.slice(0, 16)}.0.pages`), leaf);
    return folder;
  }

  test('may fill its leaf, ends in it, and has nothing but zeros behind it', async () => {
    expect(file.length).toBe(128);
    const leaves = [
      file,
      Buffer.concat([file, Buffer.alloc(64)]),
      file.subarray(0, 64),
      Buffer.concat([file, Buffer.alloc(63), Buffer.of(1)]),
    ];
    const questions = leaves.map((leaf) => ({
      folder: folderOf(leaf),
      name: few.name,
      ask: ['', 'key0'],
    }));
    const right = [['1', '0'], ['1', '0'], 'ERR_TAMIS_CORRUPT', 'ERR_TAMIS_CORRUPT'];
    expect(read(questions)).toEqual(right);
    const found = [];
    for (const question of questions) found.push(await lookUp(question));
    expect(found).toEqual(right);
  });
});

describe('the reader in Python', () => {
  /** A copy of a folder in which something is changed. */
  function copyOf(set: GoldenPages, change: (folder: string, part: string) => void): string {
    const folder = mkdtempSync(join(tmpdir(), 'tamis-pages-'));
    copies.push(folder);
    cpSync(set.folder, folder, { recursive: true });
    change(folder, join(folder, readdirSync(folder).find((one) => one.endsWith('.pages')) ?? ''));
    return folder;
  }
  const [signed, , keyed] = goldenPages as [GoldenPages, GoldenPages, GoldenPages];
  const { stride } = signed.manifest;

  // Python is slow, so npm test asks for a fifth of them.
  const some = (all: readonly string[]) => all.filter((_, i) => isLong || i % 5 === 0);

  test('answers for every key', () => {
    const answers = read(goldenPages.map((set) => ({ ...set, ask: some(answersOf(set).ask) })));
    goldenPages.forEach((set, i) => {
      expect(answers[i]).toEqual(some(answersOf(set).answers));
    });
  });

  test('refuses other pages', () => {
    const changed = (change: (bytes: Buffer) => Uint8Array) =>
      copyOf(signed, (_, part) => writeFileSync(part, change(readFileSync(part))));
    const flipped = (at: number) =>
      changed((bytes) => {
        bytes[at] = (bytes[at] as number) ^ 1;
        return bytes;
      });
    const folders = [
      flipped(0),
      flipped(stride + 70),
      // In the zeros behind a file, and in a proof.
      flipped(2 * stride - 65),
      flipped(3 * stride - 1),
      changed((bytes) =>
        Buffer.concat([
          bytes.subarray(stride, 2 * stride),
          bytes.subarray(0, stride),
          bytes.subarray(2 * stride),
        ]),
      ),
      changed((bytes) => bytes.subarray(0, -1)),
      copyOf(signed, (_, part) => rmSync(part)),
    ];
    expect(read(folders.map((folder) => ({ ...signed, folder })))).toEqual([
      ...Array(5).fill('ERR_TAMIS_CORRUPT'),
      'ERR_TAMIS_TRUNCATED',
      'ERR_TAMIS_UNAVAILABLE',
    ]);
  });

  test('refuses other manifests', () => {
    const changed = (set: GoldenPages, more: object) =>
      copyOf(set, (folder) => {
        const path = join(folder, 'manifest.json');
        writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...more }));
      });
    const { publicKey } = signed;
    const unsigned = goldenPages[1] as GoldenPages;
    const wrong = [
      { name: '../few' },
      { type: 'bloom' },
      { hash: 'keyed' },
      { keyCheck: '0000000000000000' },
      { keyCheck: null },
      { seed: 0 },
      { seed: '00' },
      { seed: '18446744073709551616' },
      { pages: 0 },
      { pages: 5 },
      { pages: 2 ** 31 + 1 },
      { stride: unsigned.manifest.stride + 32 },
      { stride: unsigned.manifest.stride + 64 },
      { pagesPerPart: 2 },
      { parts: 2 },
      { notAfter: '2026-11-23T00:00:00.000Z' },
      { root: '0'.repeat(64) },
    ].map((more) => ({ folder: changed(unsigned, more), name: unsigned.name }));
    // No files exist for another name or root.
    const codes = wrong.map((_, i) => `ERR_TAMIS_${i === 16 ? 'UNAVAILABLE' : 'CORRUPT'}`);
    const others: [Question, string][] = [
      [{ ...signed, folder: changed(signed, { seq: 2 }) }, 'BAD_SIGNATURE'],
      [{ ...signed, publicKey: '0'.repeat(64) }, 'BAD_SIGNATURE'],
      [{ ...unsigned, publicKey }, 'CORRUPT'],
      [{ ...signed, name: unsigned.name }, 'INCOMPATIBLE'],
      [{ ...unsigned, name: signed.name }, 'INCOMPATIBLE'],
      [{ ...signed, now: signed.manifest.notAfter }, 'EXPIRED'],
      [{ ...keyed, secret: undefined }, 'KEY_REQUIRED'],
      [{ ...keyed, secret: '00'.repeat(16) }, 'WRONG_KEY'],
      [{ ...signed, secret: '00'.repeat(16) }, 'WRONG_KEY'],
    ];
    const found = read([...wrong, ...others.map(([question]) => question)]);
    expect(found).toEqual([...codes, ...others.map(([, code]) => `ERR_TAMIS_${code}`)]);
  });
});
