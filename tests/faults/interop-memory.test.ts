/** The memory that a decode takes: a large file of each binary format, in a process of its own. */
import { expect, test } from '@jest/globals';

import { runModule } from '../js/support/child.js';

test.each([
  'guava',
  'goBloom',
  'spark',
  'dataSketches',
  'redisBitmap',
  'redisBloom',
  'parquet',
  'redisCuckoo',
  'binaryFuse',
  'packed',
])('%s grows the memory by at most twice its bytes', async (name) => {
  const out = await runModule(
    `import { measure } from './tests/js/support/foreign-files.mjs';
    console.log(JSON.stringify(await measure('${name}')));`,
  );
  const { bytes, grown } = JSON.parse(out) as { bytes: number; grown: number };
  expect(bytes).toBeGreaterThan(8e6);
  // It is the core's memory, in which the filter lies.
  expect(grown).toBeGreaterThan(0.9 * bytes);
  expect(grown).toBeLessThanOrEqual(2 * bytes + 65_536);
});

test.each(['redisBloom', 'parquet'])(
  '%s leaves nothing of a file that is refused',
  async (name) => {
    const out = await runModule(
      `import { measureRefusals } from './tests/js/support/foreign-files.mjs';
    console.log(JSON.stringify(await measureRefusals('${name}', 20)));`,
    );
    const { bytes, grown, codes } = JSON.parse(out) as {
      bytes: number;
      grown: number;
      codes: string[];
    };
    expect(codes).toEqual(['ERR_TAMIS_CORRUPT']);
    // The bytes were there before they were refused.
    expect(grown).toBeGreaterThan(0.9 * bytes);
    expect(grown).toBeLessThanOrEqual(2 * bytes);
  },
);
