/** The command streams of tests/cpp/contract/streams_test.cpp: wasm writes the bytes that the native build wrote. */
import { readFileSync } from 'node:fs';

import { describe, expect, test } from '@jest/globals';
import type { RotatingBloomFilter } from 'tamis';
import * as tamis from 'tamis';

import type { DeletableFilter, MergeableFilter, MutableFilter } from './classes.js';
import { filterCases } from './classes.js';
import { crc32c } from './support/crc32c.js';
import { splitmix64 } from './support/mixing.js';

interface Recorded {
  readonly type: string;
  readonly options: Readonly<Record<string, number>>;
  readonly seed: string;
  readonly crcs: readonly string[];
}
const streams = JSON.parse(
  readFileSync(new URL('../vectors/streams.json', import.meta.url), 'utf8'),
) as Recorded[];

const STEPS = 1000;
const STEPS_PER_CRC = 50;
const MASK = (1n << 64n) - 1n;
const refusals = ['FULL', 'TOMBSTONED', 'NOT_DELETABLE'].map((code) => `ERR_TAMIS_${code}`);

/** The numbers of a stream. */
class Numbers {
  readonly #seed: bigint;
  #next = 0n;

  constructor(seed: bigint) {
    this.#seed = seed;
  }
  below(n: number): number {
    const x = splitmix64((this.#seed + this.#next++ * 0x9e3779b97f4a7c15n) & MASK);
    return Number(((x >> 32n) * BigInt(n)) >> 32n);
  }
}

/** Runs an action that may be refused. A refused action changes nothing. */
function attempt(act: () => unknown): void {
  try {
    act();
  } catch (error) {
    if (!refusals.includes((error as { code: string }).code)) throw error;
  }
}

function step(filter: MutableFilter, numbers: Numbers): MutableFilter {
  const command = numbers.below(1000);
  const n = numbers.below(2 * filter.capacity);
  const key = `k${n}`;
  if (command < 600) {
    attempt(() => filter.add(key));
  } else if (command < 850) {
    if ('delete' in filter) attempt(() => (filter as DeletableFilter).delete(key));
  } else if (command < 860) {
    if ('rotate' in filter) (filter as unknown as RotatingBloomFilter).rotate();
  } else if (command < 870) {
    if (!('merge' in filter)) return filter;
    using other = filter.emptyCopy();
    for (let i = n; i < n + 10; i++) attempt(() => other.add(`k${i}`));
    (filter as MergeableFilter).merge(other);
  } else if (command < 875) {
    const again = tamis.fromBytes(filter.toBytes()) as unknown as MutableFilter;
    filter.dispose();
    return again;
  } else if (command < 877) {
    filter.clear();
  } else {
    attempt(() => filter.add(`k${n % 16}`));
  }
  return filter;
}

test.each(streams.map((stream, i) => [i, stream.type, stream] as const))(
  'stream %d, %s',
  (_i, type, { options, seed, crcs }) => {
    const { className } = filterCases.find((one) => one.type === type) as { className: string };
    const Class = (tamis as unknown as Record<string, new (options: object) => MutableFilter>)[
      className
    ] as new (
      options: object,
    ) => MutableFilter;
    let filter = new Class({ ...options, seed: BigInt(seed) });
    const numbers = new Numbers(BigInt(seed));
    const found: string[] = [];
    for (let i = 1; i <= STEPS; i++) {
      filter = step(filter, numbers);
      if (i % STEPS_PER_CRC === 0) {
        // A header with its checksum has the same checksum as any other, so that is left out.
        const bytes = [...filter.toBytes()].toSpliced(60, 4);
        found.push(crc32c(Uint8Array.from(bytes)).toString(16).padStart(8, '0'));
      }
    }
    filter.dispose();
    expect(found).toEqual(crcs);
  },
);

describe('the file', () => {
  test('has streams of every filter that changes', () => {
    const types = new Set(filterCases.map(({ type }) => type));
    expect(new Set(streams.map(({ type }) => type))).toEqual(types);
    for (const { crcs } of streams) expect(crcs.length).toBe(STEPS / STEPS_PER_CRC);
  });
});
