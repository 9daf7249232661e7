/** The end of memory: everything is refused or whole. Each test takes a process of its own, up to 4 GiB. */
import { expect, test } from '@jest/globals';

import { structureCases } from '../js/classes.js';
import { runModule } from '../js/support/child.js';

const names = new Set(structureCases.map(({ className }) => className));

test.each([...names, 'UrlList', 'UrlDelta'])(
  'memory full of %s, emptied and filled again',
  async (name) => {
    const source = `
      import { fillMemory } from './tests/js/support/full-memory.mjs';
      fillMemory('${name}');
      console.log('whole');`;
    expect(await runModule(source)).toBe('whole\n');
  },
);

test('what is almost as large as all memory, behind a place that is free again', async () => {
  const source = `
      import { BitArray, BloomFilter, InvertibleBloomTable } from 'tamis';
      const filter = new BloomFilter({ capacity: 1000 });
      filter.add('a key');
      new BitArray(1e6).dispose();
      const codes = new Set();
      for (let differences = 40_350_000; differences < 40_400_000; differences += 617) {
        try {
          new InvertibleBloomTable({ differences, keyBytes: 64 }).dispose();
          codes.add('made');
        } catch (error) {
          codes.add(error.code);
        }
      }
      filter.validate();
      console.log([...codes].join(), filter.has('a key'), filter.has('another'));`;
  expect(await runModule(source)).toBe('ERR_TAMIS_OUT_OF_MEMORY,ERR_TAMIS_TOO_LARGE true false\n');
});

test('long keys and large batches where memory ends', async () => {
  const source = `
      import { longKeys } from './tests/js/support/full-memory.mjs';
      longKeys();
      console.log('right');`;
  expect(await runModule(source, ['--max-old-space-size=6000'])).toBe('right\n');
});
