// Checks filters of Guava, DataSketches and parquet-java, with their own jars. Run by `npm run test:peers`.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withFunnel } from 'tamis';
import { dataSketches, encodings, guava, parquet } from 'tamis/interop';
import { checkBothWays, checkMillion, sameBytes } from './checks.mjs';
import { linesOf } from './keys.mjs';
import { programOf } from './peer.mjs';

/** Capacities and rates. For some of them, Guava from 33.4 on uses another number of hashes. */
const guavaSizes = [
  [1, 0.01],
  [1, 0.3],
  [1, 1e-6],
  [3, 0.01],
  [10, 0.9],
  [10, 0.5],
  [1000, 1e-9],
  [3000, 0.01],
];

/** The sizing rule of each Guava version. Debian's Guava is older than 33.4. */
const guavas = { guava: '33.3', 'guava-33.3': '33.3', 'guava-33.4': '33.4', 'guava-33.8': '33.4' };

/** The oldest and the newest version, whose files are read and written with each strategy and for each type of keys. */
const whole = ['guava', 'guava-33.8'];

for (const [name, version] of Object.entries(guavas)) {
  describe(`Guava, ${name}`, () => {
    const peer = programOf(name);
    for (const [capacity, fpr] of guavaSizes) {
      test(`${capacity} keys at ${fpr}: the same hashes and bits`, { skip: peer.skip }, () => {
        const made = guava.create({ capacity, fpr, guava: version });
        made.add('ada');
        const dump = peer.build(linesOf('utf8', ['ada']), 'utf8', capacity, fpr, 'mitz64');
        const { hashes, bits } = guava.decode(dump);
        assert.deepEqual([made.hashes, made.bits], [hashes, bits]);
        sameBytes(guava.encode(made), dump);
      });
    }
    for (const strategy of whole.includes(name) ? ['mitz64', 'mitz32'] : []) {
      for (const type of ['utf8', 'utf16', 'bytes', 'int32', 'int64']) {
        checkBothWays(`${strategy} of ${type}`, {
          peer,
          codec: guava,
          type,
          more: [strategy],
          options: { strategy, guava: version },
        });
      }
      const options = { strategy, guava: version };
      checkMillion(strategy, { peer, codec: guava, more: [strategy], options });
    }
  });
}

test('Guava takes other hashes for some sizes from 33.4 on', () => {
  const hashesOf = (version) =>
    guavaSizes.map(([capacity, fpr]) => guava.create({ capacity, fpr, guava: version }).hashes);
  assert.notDeepEqual(hashesOf('33.3'), hashesOf('33.4'));
});

describe('DataSketches', () => {
  const peer = programOf('datasketches');
  const cases = { utf8: 7n, int64: 2n ** 64n - 5n };
  for (const [type, seed] of Object.entries(cases)) {
    checkBothWays(`${type}, seed ${seed}`, {
      peer,
      codec: dataSketches,
      type,
      more: [BigInt.asIntN(64, seed)],
      options: { seed },
      // No filter of this library contains the empty string.
      added: (key) => key !== '',
      members: type === 'utf8' ? 799 : 800,
    });
  }
  checkMillion('utf8', { peer, codec: dataSketches, more: [1], options: { seed: 1n } });
});

/** The blocks without the header. Blocks have 32 bytes, and the header fewer; the jar writes only blocks. */
const blocksOf = (file) => file.subarray(file.length % 32);

describe('parquet-java', () => {
  const peer = programOf('parquet-java');
  const withHeader = (options) => {
    const file = parquet.encode(parquet.create(options));
    const header = file.subarray(0, file.length % 32);
    return { open: (blocks) => Buffer.concat([header, blocks]), seal: blocksOf };
  };
  for (const type of ['utf8', 'bytes', 'int32', 'int64']) {
    for (const fpr of [0.01, 0.0005]) {
      const options = { capacity: 3000, fpr };
      const parts = withHeader(options);
      checkBothWays(`${type}, ${fpr}`, { peer, codec: parquet, type, options, ...parts });
    }
  }
  const million = withHeader({ capacity: 1e6, fpr: 0.01 });
  checkMillion('utf8', { peer, codec: parquet, ...million });

  const edges = {
    float: { encoding: 'FLOAT', lines: ['0.0', '-0.0', 'NaN'], keyOf: Number },
    double: { encoding: 'DOUBLE', lines: ['0.0', '-0.0', 'NaN'], keyOf: Number },
    uint32: { encoding: 'INT32', lines: ['7', '4294967295'], keyOf: (text) => Number(text) | 0 },
  };
  for (const [type, { encoding, lines, keyOf }] of Object.entries(edges)) {
    test(`${peer.name}, ${type}: ${lines}`, { skip: peer.skip }, () => {
      const options = { capacity: 100, fpr: 1e-6 };
      const { open } = withHeader(options);
      // Each is a different key, even the two zeros.
      for (const line of lines) {
        const dump = peer.build([line], type, options.capacity, options.fpr);
        const filter = withFunnel(parquet.decode(open(dump)), encodings[encoding]);
        const answers = lines.map((other) => filter.has(keyOf(other)));
        assert.deepEqual(
          answers,
          lines.map((other) => other === line),
        );
      }
    });
  }
});
