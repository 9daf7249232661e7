/** The count of what is left alive, on which every test of leaks relies. */
import { expect, test } from '@jest/globals';
import { BitArray, BloomFilter } from 'tamis';

import { leftBehind } from './support/handles.js';

test('what is left alive is counted, and what was disposed of is not', async () => {
  const kept: BitArray[] = [];
  expect(await leftBehind(() => kept.push(new BitArray(5), new BitArray(6)))).toBe(2);
  expect(await leftBehind(() => BloomFilter.from(['a']).dispose())).toBe(0);
  expect(await leftBehind(async () => kept.pop()?.dispose())).toBe(0);
  expect(kept.length).toBe(1);
});
