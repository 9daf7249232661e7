/** Rice-Golomb deltas: the published vectors, and bad input. */
import { describe, expect, test } from '@jest/globals';
import { type RiceWidth, riceDecode, riceEncode } from 'tamis/url';

import { expectCode, expectOption } from './support/errors.js';
import { fromHex, toHex, vectorWords } from './support/url-vectors.js';

function outcome(act: () => Uint8Array): string {
  try {
    return toHex(act());
  } catch (error) {
    expect((error as { code?: string }).code).toBe('ERR_TAMIS_CORRUPT');
    return 'corrupt';
  }
}

const deltas = (parameter: string, first: string, count: string, data: string) => ({
  firstValue: fromHex(first),
  parameter: Number(parameter),
  entriesCount: Number(count),
  data: fromHex(data),
});

describe('published vectors', () => {
  test('of version 5', () => {
    for (const [parameter, first, count, data, expected] of vectorWords('rice-v5.txt')) {
      if (parameter === 'skipped:') continue;
      const found = deltas(parameter as string, first as string, count as string, data as string);
      expect(outcome(() => riceDecode(found))).toBe(expected);
    }
  });

  test('of version 4', () => {
    for (const [kind, parameter, first, count, data, expected] of vectorWords('rice-v4.txt')) {
      const protocol = kind === 'prefixes' ? 'v4-prefixes' : 'v4-integers';
      const found = deltas(parameter as string, first as string, count as string, data as string);
      expect(outcome(() => riceDecode(found, { protocol }))).toBe(expected);
    }
  });

  test('of the best coding', () => {
    for (const [values, parameter, data = ''] of vectorWords('rice-best.txt')) {
      const bytes = fromHex(values as string);
      const found = riceEncode(bytes, 32);
      expect(found.parameter).toBe(Number(parameter));
      expect(found.entriesCount).toBe(bytes.length / 4 - 1);
      expect(toHex(found.data)).toBe(data);
      expect(riceDecode(found)).toEqual(bytes);
    }
  });
});

test('a Uint32Array is coded as its numbers', () => {
  const coded = riceEncode(Uint32Array.of(5, 0x01020304, 0xffffffff));
  expect(toHex(riceDecode(coded))).toBe('0000000501020304ffffffff');
});

describe('bad input', () => {
  test.each<[string, Uint8Array | Uint32Array, number]>([
    ['no integer', new Uint8Array(0), 32],
    ['half an integer', new Uint8Array(6), 32],
    ['a repeat', Uint32Array.of(1, 1), 32],
    ['a repeat of 64 bits', new Uint8Array(16), 64],
    ['a repeat of 256 bits', new Uint8Array(64), 256],
    ['falling', Uint32Array.of(2, 1), 32],
    ['words of 64 bits', Uint32Array.of(1, 2), 64],
    ['another width', new Uint8Array(8), 16],
  ])('%s', (_name, values, width) => {
    expectOption(() => riceEncode(values, width as RiceWidth), RangeError);
  });

  test('other types', () => {
    expectOption(() => riceEncode([1, 2] as unknown as Uint32Array), TypeError);
    expectOption(() => riceDecode(undefined as never), TypeError);
    const coded = riceEncode(Uint32Array.of(1, 2));
    expectOption(() => riceDecode({ ...coded, data: 'x' as never }), TypeError);
    expectOption(() => riceDecode({ ...coded, parameter: 2 ** 40 }), RangeError);
    expectOption(() => riceDecode({ ...coded, firstValue: new Uint8Array(5) }), RangeError);
    expectOption(() => riceDecode(coded, { protocol: 'v6' as 'v5' }), RangeError);
  });

  test('a count that the data cannot hold takes no memory', () => {
    const coded = riceEncode(Uint32Array.of(1, 2));
    expectCode(() => riceDecode({ ...coded, entriesCount: 0xffffffff }), 'CORRUPT');
  });
});
