/** BitArray: exact, one bit for each index. */
import { describe, expect, test } from '@jest/globals';
import { BitArray } from 'tamis';
import { BitArray as ReadBits } from 'tamis/read';
import { expectCode, expectOption, thrownBy } from './support/errors.js';
import { random } from './support/keys.js';

const pattern = (length: number, seed: number): { bits: BitArray; text: string } => {
  const next = random(seed);
  const bits = new BitArray(length);
  let text = '';
  for (let i = 0; i < length; i++) {
    const on = next() % 3 === 0;
    if (on) bits.set(i);
    text += on ? '1' : '0';
  }
  return { bits, text };
};

describe.each([0, 1, 7, 8, 63, 64, 65, 127, 128, 1000])('of %d bits', (length) => {
  test('gives the indices of what is set, in order', () => {
    const { bits, text } = pattern(length, 3);
    expect([...bits]).toEqual([...text].flatMap((bit, i) => (bit === '1' ? [i] : [])));
    for (let i = 0; i < length; i++) bits.set(i);
    expect([...bits]).toEqual([...text].map((_, i) => i));
    const empty = new BitArray(length);
    expect([empty.length, ...empty]).toEqual([length]);
    expect(empty.merge(bits).intersect(bits)).toBe(empty);
    expect(bits.toBitString(length >> 1)).toBe('1'.repeat(length - (length >> 1)));
    expect(thrownBy(() => bits.toBitString(0, length + 1))).toBeInstanceOf(RangeError);
  });

  test('an index outside is a RangeError, and changes nothing', () => {
    const { bits, text } = pattern(length, 9);
    for (const i of [-1, length, length + 64, 2 ** 32, 2 ** 53, 0.5, NaN, Infinity, -Infinity]) {
      for (const action of ['set', 'unset', 'toggle', 'has'] as const) {
        expect(thrownBy(() => bits[action](i))).toBeInstanceOf(RangeError);
      }
    }
    for (const i of ['0', 0n, null, undefined, {}, [0]]) {
      for (const action of ['set', 'unset', 'toggle', 'has'] as const) {
        expect(thrownBy(() => bits[action](i as number))).toBeInstanceOf(TypeError);
      }
    }
    expect(bits.toString()).toBe(text);
  });
});

test('an array that changes while it is read gives what is set when it comes there', () => {
  const bits = new BitArray(400).set(3).set(70).set(300);
  const seen: number[] = [];
  for (const i of bits) {
    seen.push(i);
    if (i === 3) bits.unset(70).set(71).set(2).set(399);
    if (i === 300) bits.unset(300).unset(399).merge(new BitArray(400).set(350));
  }
  expect(seen).toEqual([3, 71, 300, 350]);
  const each = bits[Symbol.iterator]();
  expect(each.next()).toEqual({ value: 2, done: false });
  bits.dispose();
  expectCode(() => each.next(), 'DISPOSED');
  expectCode(() => [...bits], 'DISPOSED');
});

test('clear empties the array, and refuses an index: unset is for one bit', () => {
  const bits = new BitArray(100).set(3).set(99);
  const before = bits.toString();
  for (const wrong of [3, 0, undefined, 'all']) {
    const act = () => (bits.clear as (index: unknown) => void)(wrong);
    expect(expectOption(act, TypeError).message).toMatch(/unset\(index\)/);
  }
  expect(bits.toString()).toBe(before);
  expect(bits.unset(3).unset(4).toString()).toBe(new BitArray(100).set(99).toString());
  bits.clear();
  expect([bits.count, bits.length, ...bits]).toEqual([0, 100]);
  expect(bits.toBytes()).toEqual(new BitArray(100).toBytes());
});

test('bits beyond 2^31 are found', () => {
  const bits = new BitArray(2 ** 32 - 5);
  const far = [2 ** 31 - 1, 2 ** 31, 2 ** 32 - 6];
  for (const i of far) bits.set(i);
  expect([...bits]).toEqual(far);
  bits.dispose();
});

test('lengths that are none', () => {
  for (const length of [-1, 1.5, NaN, Infinity, 2 ** 53]) {
    expect(thrownBy(() => new BitArray(length))).toBeInstanceOf(RangeError);
  }
  for (const length of ['8', 8n, null, undefined, {}, []]) {
    expect(thrownBy(() => new BitArray(length as number))).toBeInstanceOf(TypeError);
  }
});

test('lengths that differ do not merge', () => {
  const error = expectCode(() => new BitArray(8).merge(new BitArray(9)), 'INCOMPATIBLE');
  expect(error.message).toMatch(/length/);
  expectCode(() => new BitArray(64).intersect(new BitArray(63)), 'INCOMPATIBLE');
});

test('a key is no index, and no message shows it', () => {
  const bits = new BitArray(7).set(3);
  const ofRead = ReadBits.fromBytes(bits.toBytes());
  for (const key of ['secret', new Uint8Array(6), '3', ''] as never[]) {
    for (const array of [bits, ofRead]) {
      const { message } = expectCode(() => array.has(key), 'INVALID_OPTION');
      expect(message).not.toMatch(/secret/);
    }
  }
});
