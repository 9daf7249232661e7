/** normalizeKey: one form for the spellings of a key, the same in every entry and on the command line. */
import { describe, expect, test } from '@jest/globals';
import { normalizeKey } from 'tamis';
import { normalizeKey as ofRead } from 'tamis/read';

const both = { lowerCase: true, nfkc: true };

describe('normalizeKey', () => {
  test.each([
    ['ADA', 'ADA', 'ada', 'ada'],
    ['\uff21da', 'Ada', '\uff41da', 'ada'],
    ['\ufb01n', 'fin', '\ufb01n', 'fin'],
    ['E\u0301', '\u00c9', 'e\u0301', '\u00e9'],
    ['H\u0331', 'H\u0331', 'h\u0331', '\u1e96'],
    ['\u0130', '\u0130', 'i\u0307', 'i\u0307'],
    ['\u039f\u03a3', '\u039f\u03a3', '\u03bf\u03c2', '\u03bf\u03c2'],
    ['a b ', 'a b ', 'a b ', 'a b '],
  ])('%j', (text, nfkc, lowerCase, together) => {
    expect(normalizeKey(text, { nfkc: true })).toBe(nfkc);
    expect(normalizeKey(text, { lowerCase: true })).toBe(lowerCase);
    expect(normalizeKey(text, both)).toBe(together);
    expect(normalizeKey(text, { lowerCase: false })).toBe(text);
  });

  test('changes nothing the second time, at any code point and before any mark', () => {
    const unstable: string[] = [];
    const check = (text: string) => {
      const once = normalizeKey(text, both);
      // A form that neither step changes is one that a second call does not change.
      if (once.normalize('NFKC') !== once || once.toLowerCase() !== once) unstable.push(text);
    };
    const marks = Array.from({ length: 0x70 }, (_, i) => String.fromCodePoint(0x300 + i));
    for (let first = 0; first < 0x11_0000; first += 0x100) {
      const row = Array.from({ length: 0x100 }, (_, i) => String.fromCodePoint(first + i));
      check(row.join(' '));
      for (const character of row) {
        if (character.toLowerCase() === character) continue;
        check(marks.map((mark) => `a${character}${mark}\u0301`).join(' '));
      }
    }
    expect(unstable).toEqual([]);
  });

  test('is one function in tamis and tamis/read', () => {
    for (const text of ['\uff21da', 'H\u0331', '\u0130']) {
      expect(ofRead(text, both)).toBe(normalizeKey(text, both));
    }
  });

  test.each([
    [
      'ada',
      undefined,
      'normalizeKey: options must be an object { lowerCase, nfkc }, got undefined',
    ],
    ['ada', null, 'normalizeKey: options must be an object { lowerCase, nfkc }, got null'],
    [
      'ada',
      { lowercase: true },
      'normalizeKey: unknown option "lowercase"; expected lowerCase, nfkc',
    ],
    ['ada', { nfkc: 1 }, 'normalizeKey: nfkc must be a boolean, got number'],
    [new Uint8Array(3), both, 'normalizeKey: text must be a string, got object'],
  ])('refuses %j, %j', (text, options, message) => {
    expect(() => normalizeKey(text as string, options as object)).toThrow(
      expect.objectContaining({ code: 'ERR_TAMIS_INVALID_OPTION', message }),
    );
  });
});
