// google.protobuf, which reads the messages of Safe Browsing v5 for the tests beside this one. Run by `npm run test:peers`.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startReader } from './safe-browsing-messages.mjs';
import { skip } from './safe-browsing-server.mjs';

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
});
