/** cpp/FORMAT.md on pages and Redis: the golden folders, which Python wrote, by the package and by its reader. */

import { createPublicKey, verify } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { BinaryFuseFilter, BloomierMap, ExactFilter, hashKeys, RibbonFilter } from 'tamis';

import { PageBuilder } from '../../js/src/pages/page-builder.js';
import {
  absent,
  excludedOf,
  type GoldenPages,
  goldenPages,
  keysOf,
  numbersOf,
  sha256,
} from './support/golden-pages.js';
import { run } from './support/python.js';
import { blockOf, placeOf } from './support/routes.js';

const FORMAT = readFileSync(new URL('../../cpp/FORMAT.md', import.meta.url), 'utf8');

/** The cells of the table whose head begins so. */
function table(head: string): string[][] {
  const lines = FORMAT.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${head} |`)) + 2;
  const end = lines.findIndex((line, i) => i >= start && !line.startsWith('|'));
  expect(start).toBeGreaterThan(1);
  return lines.slice(start, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}

const names = goldenPages.map((set) => [set.name, set] as const);
const secretOf = ({ secret }: GoldenPages) =>
  secret === undefined ? undefined : new Uint8Array(Buffer.from(secret, 'hex'));
const hashesOf = (set: GoldenPages, keys: readonly string[]) => {
  const key = secretOf(set);
  return hashKeys(keys, key === undefined ? {} : { key });
};

/** The page of each key, by the model. */
function pagesOf(set: GoldenPages, keys: readonly string[]): number[] {
  const { seed, pages } = set.manifest;
  return [...hashesOf(set, keys)].map((hash) => placeOf('tamis pages', hash, BigInt(seed), pages));
}

const proofBytes = ({ manifest }: GoldenPages) => 32 * Math.ceil(Math.log2(manifest.pages));

/** The structure that the package builds of the keys of a page. */
function buildPage(set: GoldenPages, page: number) {
  const inPage = (keys: readonly string[]) => {
    const pages = pagesOf(set, keys);
    return keys.filter((_, i) => pages[i] === page);
  };
  const keys = inPage(keysOf(set));
  const key = secretOf(set);
  const options = {
    seed: BigInt(set.manifest.seed),
    ...(key === undefined ? {} : ({ hash: 'keyed', key } as const)),
  };
  const { valueBits, checkBits, arity } = set;
  const bits = { ...options, fingerprintBits: checkBits };
  switch (set.manifest.type) {
    case 'bloomier': {
      const valueFor = (name: string) => Number(name.slice(3)) % 2 ** valueBits;
      const entries = keys.map((name) => [name, valueFor(name)] as const);
      return BloomierMap.from(entries, { ...options, valueBits, checkBits });
    }
    case 'exact':
      return ExactFilter.from({ include: keys, exclude: inPage(excludedOf(set)) }, options);
    case 'binary-fuse':
      return BinaryFuseFilter.from(keys, arity === undefined ? bits : { ...bits, arity });
    default:
      return RibbonFilter.from(keys, bits);
  }
}

describe.each(names)('the golden folder %s', (_name, set) => {
  test('has not changed', () => {
    expect(readdirSync(set.folder).sort()).toEqual(Object.keys(set.files).sort());
    for (const [file, digest] of Object.entries(set.files)) {
      expect(sha256(readFileSync(join(set.folder, file))).toString('hex')).toBe(digest);
    }
  });

  test('has the pages that the package builds', () => {
    expect(set.pages.length).toBe(set.manifest.pages);
    const others = pagesOf(set, absent);
    const answers: (string | number)[] = [];
    set.pages.forEach((bytes, page) => {
      const made = buildPage(set, page);
      const file = made.toBytes();
      expect(bytes.subarray(0, file.length).equals(file)).toBe(true);
      const rest = bytes.subarray(file.length, bytes.length - proofBytes(set));
      expect(rest.every((byte) => byte === 0)).toBe(true);
      absent.forEach((key, i) => {
        if (others[i] !== page) return;
        answers[i] = made instanceof BloomierMap ? (made.get(key) ?? '-') : Number(made.has(key));
      });
    });
    expect(answers).toEqual([...set.answers].map((one) => (one === '-' ? one : Number(one))));
  });

  test('has proofs that lead to the root', () => {
    set.pages.forEach((bytes, page) => {
      const end = bytes.length - proofBytes(set);
      let node = sha256(bytes.subarray(0, end));
      for (let at = end, place = page; at < bytes.length; at += 32, place >>= 1) {
        const sibling = bytes.subarray(at, at + 32);
        node = place % 2 === 0 ? sha256(node, sibling) : sha256(sibling, node);
      }
      expect(node.toString('hex')).toBe(set.manifest.root);
    });
  });

  test('is signed, or has no signature', () => {
    const { sig, ...rest } = JSON.parse(readFileSync(join(set.folder, 'manifest.json'), 'utf8'));
    expect(sig === undefined).toBe(set.publicKey === undefined);
    if (set.publicKey === undefined) return;
    const x = Buffer.from(set.publicKey, 'hex').toString('base64url');
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    // The members have no others inside.
    const signed = Buffer.from(`tamis-pages-1\n${JSON.stringify(rest, Object.keys(rest).sort())}`);
    expect(verify(null, signed, key, Buffer.from(sig, 'hex'))).toBe(true);
    expect(rest.keyId).toBe(sha256(Buffer.from(set.publicKey, 'hex')).toString('hex').slice(0, 16));
  });
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
/** What it prints for each, in lines; or the code that it exits with. */
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

describe('the reader in Python', () => {
  const copies: string[] = [];
  afterAll(() => {
    for (const folder of copies) rmSync(folder, { recursive: true });
  });

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

  test('answers for every key', () => {
    const asked = (set: GoldenPages) => [...keysOf(set), ...excludedOf(set), ...absent];
    const answers = read(goldenPages.map((set) => ({ ...set, ask: asked(set) })));
    goldenPages.forEach((set, i) => {
      const isMap = set.manifest.type === 'bloomier';
      const present = numbersOf(set).map((key) => String(isMap ? key % 2 ** set.valueBits : 1));
      const excluded = excludedOf(set).map(() => '0');
      expect(answers[i]).toEqual([...present, ...excluded, ...[...set.answers].map(String)]);
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
    // Of another name or root there are no files.
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

describe('the vectors', () => {
  const routes = table('seed | h | pages');
  const bits = table('seed | h | shards');
  const number = (hex: string | undefined) => BigInt(`0x${hex}`);

  test('of the pages', () => {
    const rows = routes.map(
      ([seed, h, pages]) => [number(h), number(seed), Number(pages)] as const,
    );
    const expected = routes.map((row) => Number(row[3]));
    expect(rows.map((row) => placeOf('tamis pages', ...row))).toEqual(expected);
    const input = routes.map((row) => row.slice(0, 3).join(' '));
    const program = `
from pages import *
for line in sys.stdin.read().split('\\n'):
    seed, h, pages = line.split()
    print(route(PAGE, int(h, 16), int(seed, 16), int(pages)))
`;
    expect(run(program, input).map(Number)).toEqual(expected);
  });

  const right = (rows: readonly string[][]) => rows.map((row) => Number(row.at(-1)));
  const rowsOf = (rows: readonly string[][]) => rows.map((row) => row.join(' '));

  test('of the sizes of retrievals', () => {
    const rows = table('n | w');
    const found = rows.map(([n, w]) =>
      RibbonFilter.sizeFor({ capacity: Number(n), fingerprintBits: Number(w) }),
    );
    expect(found).toEqual(right(rows));
    const program = `
from make_pages import *
for line in sys.stdin.read().split('\\n'):
    n, w, _ = map(int, line.split())
    print(retrieval_bytes(n, w))
`;
    expect(run(program, rowsOf(rows)).map(Number)).toEqual(right(rows));
  });

  test('of the shapes of binary-fuse', () => {
    const rows = table('n | a | attempt');
    const shapes = rows.map((row) => row.slice(3).join(' '));
    const program = `
from make_pages import *
for line in sys.stdin.read().split('\\n'):
    n, a, attempt, *_ = line.split()
    print(*fuse_shape(int(n), arity_of(int(n)) if a == '-' else int(a), int(attempt)))
`;
    expect(run(program, rowsOf(rows))).toEqual(shapes);
    // What the package foresees is the table of the first attempt. Others have its shape, too.
    rows.forEach(([n, a, attempt, segments, log]) => {
      if (Number(attempt) > 2) return;
      const arity = a === '-' ? (Number(n) < 100_000 ? 3 : 4) : Number(a);
      const options = { capacity: Number(n), fingerprintBits: 1 };
      const slots = (Number(segments) + arity - 1) * 2 ** Number(log);
      const found = BinaryFuseFilter.sizeFor(a === '-' ? options : { ...options, arity });
      expect(found).toBe(8 * Math.ceil(slots / 64));
    });
  });

  test('of the strides', () => {
    const rows = table('type | keys | excluded');
    const found = rows.map(([type, keys, excluded, pages, w]) => {
      const shape = {
        ribbon: { fingerprintBits: Number(w) },
        'binary-fuse': { fingerprintBits: Number(w) },
        bloomier: { valueBits: Number(w) - 8, checkBits: 8 },
        exact: {},
      }[type as 'exact'];
      const builder = new PageBuilder(type as 'exact', shape);
      return builder.layoutFor(Number(keys), Number(excluded), Number(pages), false).stride;
    });
    expect(found).toEqual(right(rows));
    const program = `
from make_pages import *
for line in sys.stdin.read().split('\\n'):
    kind, *more, _ = line.replace(' -', ' 0').split()
    print(stride_of(kind, *map(int, more), 0))
`;
    expect(run(program, rowsOf(rows)).map(Number)).toEqual(right(rows));
  });

  test('of the tree', () => {
    const leaves = [0, 1, 2].map((i) => sha256(Buffer.from(`page ${i}`)));
    const node = (left: Buffer, right: Buffer) => sha256(left, right);
    const [one, two, three] = leaves as [Buffer, Buffer, Buffer];
    const expected = [one, node(one, two), node(node(one, two), node(three, Buffer.alloc(32)))];
    const roots = expected.map((root, i) => [String(i + 1), root.toString('hex')]);
    expect(table('leaves | root')).toEqual(roots);
    const program = `
from pages import *
for i in range(1, 4):
    print(tree([sha256(b'page %d' % j) for j in range(i)])[-1][0].hex())
`;
    expect(run(program, [])).toEqual(roots.map(([, root]) => root));
  });

  test('of Redis', () => {
    const found = bits.map(([seed, h, shards, blocks]) => {
      const [hash, salt] = [number(h), number(seed)];
      const [block = 0, ...set] = blockOf(hash, salt, Number(blocks));
      const offsets = set.map((p) => 256 * block + p - (p % 8) + 7 - (p % 8));
      return [placeOf('tamis shards', hash, salt, Number(shards)), ...offsets].join(' ');
    });
    const expected = bits.map((row) => row.slice(4).join(' '));
    expect(found).toEqual(expected);
    const program = `
from pages import *
for line in sys.stdin.read().split('\\n'):
    seed, h, shards, blocks = line.split()
    h, seed = int(h, 16), int(seed, 16)
    offsets = [redis_offset(bit) for bit in block_bits(h, seed, int(blocks))]
    print(route(SHARD, h, seed, int(shards)), *offsets)
`;
    expect(
      run(
        program,
        bits.map((row) => row.slice(0, 4).join(' ')),
      ),
    ).toEqual(expected);
  });
});
