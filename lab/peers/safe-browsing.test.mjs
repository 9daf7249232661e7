// The peer of Safe Browsing v5: google.protobuf, and an encoder of lists in Python. Neither shares code with tamis. Run by
// `npm run test:peers`.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  makeMessages,
  riceDecode,
  sha256,
  startReader,
  vectorsOf,
} from './safe-browsing-messages.mjs';
import { commandOf, skip } from './safe-browsing-server.mjs';

const valuesOf = (hex, width) =>
  (hex.match(new RegExp(`.{${2 * width}}`, 'g')) ?? []).map((piece) => BigInt(`0x${piece}`));

describe('google.protobuf', { skip }, () => {
  let reader;
  before(() => {
    reader = startReader();
  });
  after(() => reader.stop());

  test('has the numbers and the types that are published, by bytes made by hand', async () => {
    const fixed = (value) => `0${value}${'00'.repeat(7)}`;
    const sized = (tag, hex) => `${tag}${(hex.length / 2).toString(16).padStart(2, '0')}${hex}`;
    const rice = { entries_count: 2, encoded_data: 'ff' };
    const short = { ...rice, first_value: 1, rice_parameter: 3 };
    const long = { ...rice, first_value: '1', rice_parameter: 35 };
    const sixteen = { ...rice, first_value_hi: '1', first_value_lo: '2', rice_parameter: 99 };
    const parts = ['first', 'second', 'third', 'fourth'].map((part, i) => [
      `first_value_${part}_part`,
      String(i + 1),
    ]);
    const thirtyTwo = { ...rice, ...Object.fromEntries(parts), rice_parameter: 227 };
    const hex32 = '0801100318022201ff';
    const hex256 = `080111${fixed(2)}19${fixed(3)}21${fixed(4)}28e30130023a01ff`;
    const lists = [
      ['0a027365', { name: 'se' }],
      ['1201bb', { version: 'bb' }],
      ['1801', { partial_update: true }],
      [sized('22', hex32), { additions_four_bytes: short }],
      [sized('2a', hex32), { compressed_removals: short }],
      [sized('32', '08051007'), { minimum_wait_duration: { seconds: '5', nanos: 7 } }],
      ['3a01aa', { sha256_checksum: 'aa' }],
      [
        sized('42', '0a01011201022201783003'),
        {
          metadata: { threat_types: [1], likely_safe_types: [2], description: 'x', hash_length: 3 },
        },
      ],
      [sized('4a', '0801102318022201ff'), { additions_eight_bytes: long }],
      [sized('52', `080111${fixed(2)}186320022a01ff`), { additions_sixteen_bytes: sixteen }],
      [sized('5a', hex256), { additions_thirty_two_bytes: thirtyTwo }],
    ];
    for (const [hex, list] of lists) {
      assert.deepEqual(await reader.read('B', sized('0a', hex)), { hash_lists: [list] }, hex);
    }
    const found = sized('0a', `0a01cc${sized('12', '0802120101')}`);
    assert.deepEqual(await reader.read('S', `${found}${sized('12', '08051007')}`), {
      full_hashes: [{ full_hash: 'cc', full_hash_details: [{ threat_type: 2, attributes: [1] }] }],
      cache_duration: { seconds: '5', nanos: 7 },
    });
  });

  test('merges, overrides and skips as the protobuf encoding says', async () => {
    const list = (hex) => `0a${(hex.length / 2).toString(16).padStart(2, '0')}${hex}`;
    const cases = [
      ['320208053202100a', { minimum_wait_duration: { seconds: '5', nanos: 10 } }],
      ['2202080122021005', { additions_four_bytes: { first_value: 1, rice_parameter: 5 } }],
      ['220208014a021023', { additions_eight_bytes: { rice_parameter: 35 } }],
      ['18011800', {}],
      ['32021801', { minimum_wait_duration: {} }],
      ['3200', { minimum_wait_duration: {} }],
      ['0805', {}],
      ['0a01ff', null],
      ['0a0541', null],
    ];
    for (const [hex, fields] of cases) {
      assert.deepEqual(await reader.read('B', list(hex)), fields && { hash_lists: [fields] }, hex);
    }
  });

  test('reads the same random messages for the same seed, and says of each line what is read', () => {
    const made = makeMessages(2000, 7);
    assert.equal(made, makeMessages(2000, 7));
    assert.notEqual(made, makeMessages(2000, 8));
    const lines = made.trimEnd().split('\n');
    assert.equal(lines.length, 2000);
    const of = (pattern) => lines.filter((line) => pattern.test(line)).length;
    assert(of(/ null$/) > 400 && of(/ g /) > 50 && of(/"nanos":-/) > 50 && of(/thirty_two/) > 50);
  });
});

describe('the Rice encoder in Python', { skip }, () => {
  const program = `import sys
sys.path.insert(0, sys.argv[1])
from safe_browsing_rice import encode
for line in sys.stdin:
    width, parameter, *values = map(int, line.split())
    _, parameter, count, data = encode(values, width, parameter or None)
    print(parameter, count, data.hex())
`;

  /** The parameter, number of deltas and data of each list `{ width, parameter?, values }`. */
  function encode(lists) {
    const [env, words] = commandOf('');
    const args = [...words.slice(0, -1), '-c', program, join(import.meta.dirname, 'programs')];
    const input = lists.map(({ width, parameter = 0, values }) =>
      [width, parameter, ...values].join(' '),
    );
    return execFileSync(env, args, { input: input.join('\n'), encoding: 'utf8' })
      .split('\n')
      .map((line) => line.split(' '));
  }

  test('writes the vectors of Chromium', () => {
    const vectors = vectorsOf('rice-v5.txt')
      .filter(([parameter, , , , expected]) => parameter !== 'skipped:' && expected !== 'corrupt')
      .map(([parameter, first, , data, expected]) => {
        const width = first.length / 2;
        return { width, parameter, values: valuesOf(expected, width), data };
      });
    assert(vectors.length > 20);
    const encoded = encode(vectors);
    for (const [i, { parameter, values, data }] of vectors.entries()) {
      assert.deepEqual(encoded[i], [parameter, String(values.length - 1), data]);
      assert.deepEqual(riceDecode(values[0], Number(parameter), values.length - 1, data), values);
    }
  });

  test('takes the best parameter, and writes random lists of each width', () => {
    const best = vectorsOf('rice-best.txt').map(([hex, parameter, data]) => ({
      width: 4,
      values: valuesOf(hex, 4),
      expected: [parameter, data],
    }));
    const random = [4, 8, 16, 32].flatMap((width) =>
      [1, 2, 3, 50, 1000].map((count) => {
        const hashes = Array.from({ length: count }, (_, i) => sha256(`${width} ${count} ${i}`));
        const values = [...new Set(hashes.map((hash) => hash.slice(0, 2 * width)))].sort();
        return { width, values: values.map((hex) => BigInt(`0x${hex}`)) };
      }),
    );
    const encoded = encode([...best, ...random]);
    for (const [i, { values, expected }] of [...best, ...random].entries()) {
      const [parameter, count, data] = encoded[i];
      if (expected) assert.deepEqual([parameter, data], expected);
      assert.deepEqual(riceDecode(values[0], Number(parameter), Number(count), data), values);
    }
  });
});
