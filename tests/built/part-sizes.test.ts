/**
 * The size of each part of the wasm, beside the size that was recorded for its compiler. Link-time optimisation
 * may move code from a part to the base, and then every import pays for it.
 */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { readParts, sizesOf } = await import(`${root}js/scripts/wasm/parts.mjs`);
const { emscripten, parts } = readParts(`${root}build/parts`);
const sizes: Record<string, number> = sizesOf(parts);
const recorded: Record<string, Record<string, number>> = JSON.parse(
  readFileSync(`${root}tests/vectors/part-sizes.json`, 'utf8'),
);

test(`by Emscripten ${emscripten} each is within 2 % or 40 bytes of its record`, () => {
  const expected = recorded[emscripten];
  if (expected === undefined) {
    console.log(`Emscripten ${emscripten} has no record; the sizes are`, sizes);
    return;
  }
  expect(Object.keys(sizes).sort()).toEqual(Object.keys(expected).sort());
  // Another zlib compresses a small part to up to 35 bytes more or less. Code that moves to the base is more than that.
  const far = Object.entries(expected)
    .map(([file, size]) => ({ file, size: sizes[file] as number, recorded: size }))
    .filter(({ size, recorded }) => Math.abs(size - recorded) > Math.max(40, 0.02 * recorded));
  expect(far).toEqual([]);
});
