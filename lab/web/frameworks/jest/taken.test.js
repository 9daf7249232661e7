import { readFile } from 'node:fs/promises';
import { BloomFilter } from 'tamis';
import { RibbonFilter } from 'tamis/read';

test('a taken name', async () => {
  const taken = RibbonFilter.fromBytes(await readFile('taken.tamis'));
  expect(taken.has('ada')).toBe(true);
  expect(taken.has('zoe')).toBe(false);
  expect(BloomFilter.from(['ada']).has('ada')).toBe(true);
});
