/** The tables of cpp/FORMAT.md on the sizes of tables and pages, on routes, trees and Redis, by both languages. */

import { describe, expect, test } from '@jest/globals';
import { BinaryFuseFilter, RibbonFilter } from 'tamis';

import { PageBuilder } from '../../js/src/pages/builder/page-builder.js';
import { table } from './support/format.js';
import { sha256 } from './support/golden-pages.js';
import { run } from './support/python.js';
import { blockOf, placeOf } from './support/routes.js';

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
    // The package predicts the table of the first attempt. Tables of later attempts have the same shape.
    rows.forEach(([n, a, attempt, segments, log]) => {
      if (Number(attempt) > 2) return;
      const arity = (a === '-' ? (Number(n) < 100_000 ? 3 : 4) : Number(a)) as 3 | 4;
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
