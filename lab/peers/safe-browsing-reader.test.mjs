// The client's reader of messages against google.protobuf: the same fields, and the same refusals. Run by
// `npm run test:peers`.
import assert from 'node:assert/strict';
import { test } from 'node:test';
// The reader comes from its module, since no entry of the package exports it.
import { readHashLists, readSearch } from '../../dist/safe-browsing/messages.js';
import { additionsField, firstOf, lineOf, makeMessages } from './safe-browsing-messages.mjs';
import { skip } from './safe-browsing-server.mjs';

const hexOf = (bytes) => Buffer.from(bytes).toString('hex');

/** A duration as the reader returns it. */
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

/** One list as `readHashLists` should return it, with bytes in hexadecimal. */
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

/** The same value with hexadecimal in the place of bytes. */
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
