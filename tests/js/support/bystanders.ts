/** Filters that no test uses. After each test they must be unchanged. */
import { afterEach, expect } from '@jest/globals';
import { BloomFilter, type PackedKeys } from 'tamis';

import { utf8 } from './keys.js';

export const members = Array.from({ length: 2000 }, (_, i) => `member-${i}`);
const bystanders = Array.from({ length: 20 }, () => BloomFilter.from(members, { fpr: 1e-6 }));

afterEach(() => {
  for (const filter of bystanders) {
    expect(filter.hasMany(members).includes(0)).toBe(false);
    filter.validate();
  }
});

export const filterOf = () => BloomFilter.from(members.slice(0, 100), { fpr: 1e-6 });

export async function* given<T>(...values: T[]): AsyncGenerator<T> {
  yield* values;
}

/** Three keys, two of which are members of filterOf(). */
export const packed = (bytes: Uint8Array, starts: Uint32Array, ends: Uint32Array): PackedKeys => ({
  bytes,
  starts,
  ends,
  length: 3,
});
export const words = utf8('member-1member-2stranger');
export const starts = Uint32Array.of(0, 8, 16);
export const ends = Uint32Array.of(8, 16, 24);
