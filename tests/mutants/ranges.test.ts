/** Faults of ranges in cpp/format, the second implementation. Golden files and rows of FORMAT.md show each of them. */

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const program = fileURLToPath(new URL('ranges.py', import.meta.url));
const found = JSON.parse(execFileSync('python3', ['-B', program], { encoding: 'utf8' })) as [
  module: string,
  other: string,
  missed: string[],
][];

test.each(found)('%s: %s', (_module, _other, missed) => {
  expect(missed).toEqual([]);
});

test('there are some of each form', () => {
  expect(found.length).toBeGreaterThan(5);
});
