// Spark's filters by its own jars, in both versions of the format. Run by `npm run test:peers`.
import { describe } from 'node:test';
import { spark } from 'tamis/interop';
import { checkBothWays, checkMillion } from './checks.mjs';
import { programOf } from './peer.mjs';

const size = { capacity: 3000, fpr: 0.01 };
const sizeOf = ({ capacity, fpr }) => [capacity, fpr];
const million = { capacity: 1e6, fpr: 0.01 };

/** The types of keys. `putLong` takes whole numbers of all widths. */
const KEYS = {
  utf8: {},
  bytes: {},
  int64: { encoding: 'long' },
  int32: { encoding: 'long', keyOf: BigInt },
};

describe('Spark', () => {
  const versions = [
    { name: 'spark-3.5', version: 1, seeds: [0] },
    { name: 'spark-4.1', version: 1, seeds: [0] },
    { name: 'spark-4.1', version: 2, seeds: [0, 12345, -7] },
    { name: 'spark-4.2', version: 2, seeds: [0, -(2 ** 31)] },
  ];
  for (const { name, version, seeds } of versions) {
    const peer = programOf(name);
    for (const seed of seeds) {
      const seeded = version === 2 ? { seed } : {};
      for (const [type, keys] of Object.entries(KEYS)) {
        checkBothWays(`V${version} of ${type}, seed ${seed}`, {
          peer,
          codec: spark,
          type,
          ...keys,
          parameters: [type, ...sizeOf(size), version, seed],
          asked: [type],
          options: { ...size, version, ...seeded },
        });
      }
    }
    checkMillion(`V${version}`, {
      peer,
      codec: spark,
      parameters: ['utf8', ...sizeOf(million), version, 0],
      asked: ['utf8'],
      options: { ...million, version },
    });
  }
});
