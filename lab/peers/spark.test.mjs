// Checks Spark's filters, with its own jars, in both versions of the format. Run by `npm run test:peers`.
import { describe } from 'node:test';
import { spark } from 'tamis/interop';
import { checkBothWays, checkMillion } from './checks.mjs';
import { programOf } from './peer.mjs';

/** The types of keys. `putLong` accepts whole numbers of all widths. */
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
      const options = { version, ...(version === 2 && { seed }) };
      const more = [version, seed];
      for (const [type, keys] of Object.entries(KEYS)) {
        const how = { peer, codec: spark, type, ...keys, more, options };
        checkBothWays(`V${version} of ${type}, seed ${seed}`, how);
      }
    }
    checkMillion(`V${version}`, { peer, codec: spark, more: [version, 0], options: { version } });
  }
});
