/** The public surface of tamis, name by name: a change here is a change of the API. */
import { readFileSync } from 'node:fs';

import { beforeAll, describe, expect, test } from '@jest/globals';
import * as tamis from 'tamis';
import { BitArray, BloomFilter, TamisError } from 'tamis';
import { rowsOf } from '../../js/scripts/wasm/registry.mjs';
import { rowOf, rows } from '../js/rows.js';
import { classesOf } from '../js/support/all-classes.mjs';
import { CODES, expectCode } from '../js/support/errors.js';
import { members, statics } from '../js/support/members.js';

const manifest = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string; dependencies?: object };

const words = (text: string): string[] => text.split(' ');

const symbols = [
  `Symbol(${String((Symbol as { dispose?: symbol }).dispose?.description)})`,
  'Symbol(Symbol.toStringTag)',
  'Symbol(nodejs.util.inspect.custom)',
];
const structure = 'clone constructor dispose equals seed sizeBytes toBytes toJSON type validate';

/** The types of URLs have the ids from 32 on. */
const classNames = rowsOf('structures.def', 'TAMIS_STRUCTURE')
  .filter(([, , id]) => Number(id) < 32)
  .map(([Class]) => Class as string);

describe('exports', () => {
  test('of the package', () => {
    const functions =
      'bloomRate bloomSizing fromBytes fromBytesOf fromStream fromStreamOf funnel hashKey hashKeys init key ' +
      'keyBatchesFrom keysFromLines linesFrom missingFrom normalizeKey suggestFilter version withFunnel';
    const names = [...classNames, 'TamisError', ...words(functions)];
    expect(Object.keys(tamis).sort()).toEqual(names.sort());
    expect(Object.keys(tamis.key).sort()).toEqual(words('float64 int32 int64 utf16'));
    expect(Object.isFrozen(tamis.key)).toBe(true);
  });

  test("version is the manifest's, and nothing else is needed at run time", () => {
    expect(tamis.version).toBe(manifest.version);
    expect(Object.keys(manifest.dependencies ?? {})).toEqual([]);
  });
});

describe('classes', () => {
  // The first structure gives them their symbols.
  beforeAll(() => new BloomFilter({ capacity: 1 }).dispose());

  test('have a row each', () => {
    expect(Object.keys(rows).sort()).toEqual(classNames.sort());
  });

  test.each(classesOf(tamis).map((Class) => [Class.name as string, Class] as const))(
    '%s',
    (name, Class) => {
      const [names, own] = rowOf(name).surface;
      expect(members(Class.prototype)).toEqual(
        [...symbols, ...words(`${structure} ${names}`)].sort(),
      );
      expect(statics(Class)).toEqual(words(own).sort());
    },
  );

  test('have no members on the object itself', () => {
    for (const made of [new BloomFilter({ capacity: 1 }), new BitArray(1)]) {
      expect(members(made)).toEqual(members(made.constructor.prototype));
    }
  });

  test('name themselves', () => {
    expect([BloomFilter.name, BitArray.name, TamisError.name]).toEqual([
      'BloomFilter',
      'BitArray',
      'TamisError',
    ]);
    for (const [name, value] of Object.entries(tamis)) {
      if (typeof value === 'function' && /^[A-Z]/.test(name)) expect(value.name).toBe(name);
    }
    expect(Object.prototype.toString.call(new BloomFilter({ capacity: 1 }))).toBe(
      '[object BloomFilter]',
    );
    expect(Object.prototype.toString.call(new BitArray(1))).toBe('[object BitArray]');
  });

  test('want new', () => {
    const call = (Class: unknown) => () => (Class as (options: object) => unknown)({ capacity: 1 });
    for (const Class of classesOf(tamis)) {
      expect(call(Class)).toThrow(TypeError);
    }
  });
});

describe('errors', () => {
  test('the codes are the same in C++, in TypeScript and in the guide', () => {
    const read = (file: string): string =>
      readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
    const found = (text: string, pattern: RegExp): string[] =>
      [...text.matchAll(pattern)].map((match) => match[1] as string).sort();
    const expected = CODES.map((code) => `ERR_TAMIS_${code}`).sort();
    const cpp = found(read('cpp/include/tamis/status.def'), /^TAMIS_STATUS\(\w+,\s*"(\w+)"/gm);
    expect(cpp).toEqual(expected);
    expect(found(read('docs/guide/errors.md'), /^\| `(ERR_TAMIS_\w+)`/gm)).toEqual(expected);
    const types = found(read('js/api.txt'), /\b(ERR_TAMIS_\w+)\b/g);
    expect([...new Set(types)]).toEqual(expected);
  });

  test('TamisError is an Error with a code', () => {
    const error = expectCode(() => BloomFilter.fromBytes(new Uint8Array(80)), 'NOT_TAMIS');
    expect(error).toBeInstanceOf(TamisError);
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe('TamisError');
    expect(error.message).toMatch(/\S \S/);
    expect(error.stack).toContain('surface.test');
  });

  test('a bad option is a platform error with a code', () => {
    const error = expectCode(() => new BloomFilter({ capacity: -1 }), 'INVALID_OPTION');
    expect(error).not.toBeInstanceOf(TamisError);
    expect(error.name).toBe('RangeError');
  });
});

test('init may be awaited, again and again, or never', async () => {
  expect(await tamis.init()).toBeUndefined();
  expect(await Promise.all([tamis.init(), tamis.init()])).toEqual([undefined, undefined]);
});
