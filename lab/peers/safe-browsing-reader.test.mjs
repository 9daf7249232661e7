// Compares the client's message reader with google.protobuf: both must find the same fields and refuse the same
// messages. google.protobuf must also read bytes that were made by hand. Run by `npm run test:peers`.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
// Imported from its module, because no entry point of the package exports it.
import { readHashLists, readSearch } from '../../dist/safe-browsing/messages.js';
import { skip } from './safe-browsing-clients.mjs';
import {
  additionsField,
  firstOf,
  lineOf,
  makeMessages,
  startReader,
} from './safe-browsing-messages.mjs';

const hexOf = (bytes) => Buffer.from(bytes).toString('hex');

/** Converts a duration to what the reader returns. */
const msOf = ({ seconds = '0', nanos = 0 }) => 1000 * Number(seconds) + nanos / 1e6;

function deltasOf(rice, width) {
  const { rice_parameter = 0, entries_count = 0, encoded_data = '' } = rice;
  const firstValue = firstOf(rice, width)
    .toString(16)
    .padStart(2 * width, '0');
  return {
    firstValue,
    parameter: rice_parameter,
    entriesCount: entries_count,
    data: encoded_data,
  };
}

/** A list as `readHashLists` should return it, with bytes in hexadecimal. */
function listOf(fields) {
  const width = [4, 8, 16, 32].find((bytes) => additionsField(fields, bytes) !== undefined);
  const removals = fields.compressed_removals;
  return {
    name: fields.name ?? '',
    version: fields.version ?? '',
    isPartial: fields.partial_update ?? false,
    additions: width && {
      prefixBytes: width,
      deltas: deltasOf(additionsField(fields, width), width),
    },
    removals: removals && deltasOf(removals, 4),
    waitMs: msOf(fields.minimum_wait_duration ?? {}),
    sha256: fields.sha256_checksum,
  };
}

const hashOf = ({ full_hash = '', full_hash_details = [] }) => ({
  hash: full_hash,
  details: full_hash_details.map(({ threat_type = 0, attributes = [] }) => ({
    threat: threat_type,
    attributes,
  })),
});

const readers = {
  B: {
    read: readHashLists,
    expected: ({ hash_lists = [] }) => hash_lists.map(listOf),
  },
  S: {
    read: readSearch,
    expected: ({ full_hashes = [], cache_duration }) => ({
      hashes: full_hashes.map(hashOf),
      cacheMs: cache_duration && msOf(cache_duration),
    }),
  },
};

/** A copy of the value with hexadecimal instead of bytes. */
function inHex(value) {
  if (value instanceof Uint8Array) return hexOf(value);
  if (Array.isArray(value)) return value.map(inHex);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inHex(one)]));
}

test('reads 100,000 random messages as google.protobuf does', { skip }, () => {
  const counts = { read: 0, refused: 0, groups: 0 };
  for (const line of makeMessages(100_000, 31).trimEnd().split('\n')) {
    const { type, bytes, hasGroup, fields } = lineOf(line);
    const { read, expected } = readers[type];
    // No message of Safe Browsing has a group, and the reader refuses groups.
    if (fields === null || hasGroup) {
      assert.throws(() => read(bytes), { code: 'ERR_TAMIS_CORRUPT' }, line);
      counts[hasGroup ? 'groups' : 'refused']++;
    } else {
      assert.deepEqual(inHex(read(bytes)), expected(fields), line);
      counts.read++;
    }
  }
  assert(counts.read > 50_000 && counts.refused > 20_000 && counts.groups > 2000, counts);
});

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
      const { fields } = await reader.read('B', sized('0a', hex));
      assert.deepEqual(fields, { hash_lists: [list] }, hex);
    }
    const found = sized('0a', `0a01cc${sized('12', '0802120101')}`);
    const { fields } = await reader.read('S', `${found}${sized('12', '08051007')}`);
    assert.deepEqual(fields, {
      full_hashes: [{ full_hash: 'cc', full_hash_details: [{ threat_type: 2, attributes: [1] }] }],
      cache_duration: { seconds: '5', nanos: 7 },
    });
  });
});
