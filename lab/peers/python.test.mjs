// Checks bloomfilter-py from PyPI, which reads and writes Guava's files. Run by `npm run test:peers`.
import { describe } from 'node:test';
import { guava } from 'tamis/interop';
import { checkBothWays } from './checks.mjs';
import { programOf } from './peer.mjs';

describe('bloomfilter-py', () => {
  const peer = programOf('bloomfilter-py');
  for (const strategy of ['mitz64', 'mitz32']) {
    for (const type of ['utf8', 'bytes', 'int32', 'int64']) {
      for (const fpr of [0.01, 0.0005]) {
        const options = { fpr, strategy };
        const how = { peer, codec: guava, type, more: [strategy], options };
        checkBothWays(`${strategy} of ${type}, ${fpr}`, how);
      }
    }
  }
});
