// The keys of tests/vectors/interop, and the 2,000 probes of each `*.expected.txt`.
import { readFileSync } from 'node:fs';

const folder = new URL('../../vectors/interop/keys/', import.meta.url);
/** @returns {string[]} */
const read = (name) => JSON.parse(readFileSync(new URL(`strings.${name}.json`, folder), 'utf8'));

export const keys = read('keys');
const others = read('others');

/**
 * In each group of five probes, the first two are keys, and the others are not.
 *
 * @type {string[]}
 */
export const probes = Array.from({ length: 400 }, (_, i) => [
  ...[14 * i, 14 * i + 7].map((at) => keys[at % keys.length]),
  ...others.slice(3 * i, 3 * i + 3),
]).flat();

/** The 2,000 probes of files whose keys are numbers. */
export const numbers = readFileSync(new URL('int64.probes.txt', folder), 'utf8')
  .trim()
  .split(/\s/)
  .map(BigInt);
