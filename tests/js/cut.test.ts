// The cutter of js/scripts/wasm: the numbers that it writes, and what it makes of a small module that Emscripten links.

import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { answers, cutBy, link, plan, scripts, start, types } from './support/linked.js';

const { name, number, patch, Reader, signed, sized, vector } = await import(`${scripts}binary.mjs`);
const { readLinked } = await import(`${scripts}linked.mjs`);
const { whole } = await import(`${scripts}cut.mjs`);

describe('numbers and names', () => {
  test('are read as they were written', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 32 - 1), fc.integer(), fc.string(), (count, value, text) => {
        const bytes = Buffer.concat([number(count), signed(value), name(text), sized(name(text))]);
        const reader = new Reader(bytes);
        const size = number(Buffer.byteLength(text)).length + Buffer.byteLength(text);
        expect([reader.number(), reader.signed(), reader.name()]).toEqual([count, value, text]);
        expect([reader.number(), reader.name(), reader.at]).toEqual([size, text, bytes.length]);
        expect(() => reader.byte()).toThrow('ends too early');
      }),
    );
  });

  test('are of the fewest bytes, and one is patched into five', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 32 - 1), (value) => {
        expect(number(value)).toHaveLength(Math.max(1, Math.ceil((32 - Math.clz32(value)) / 7)));
        const bytes = Buffer.alloc(7, 0xee);
        patch(bytes, 1, value);
        expect(bytes[0]).toBe(0xee);
        const reader = new Reader(bytes, 1);
        expect([reader.number(), reader.at, bytes[6]]).toEqual([value, 6, 0xee]);
      }),
    );
  });

  test('are nothing else', () => {
    for (const value of [undefined, -1, Number.NaN]) {
      expect(() => number(value)).toThrow(`${value} is no index`);
      expect(() => patch(Buffer.alloc(5), 0, value)).toThrow(`${value} is no index`);
    }
  });

  test('vectors have their length in front', () => {
    const reader = new Reader(vector([number(300), number(1)]));
    expect(reader.vector(() => reader.number())).toEqual([300, 1]);
    expect(() => new Reader(Buffer.of(1)).expect(0, 'an end')).toThrow('an end expected');
  });
});

let linked: Buffer<ArrayBuffer>;
beforeAll(() => {
  linked = link();
});

describe('a module that is cut', () => {
  test('is a base, a part per type, and what two and what all types share', () => {
    const needs = [...cutBy(linked)].map(([part, made]) => [part, [...made.needs].sort()]);
    expect(Object.fromEntries(needs)).toEqual({
      base: [],
      ribbon: ['retrieval'],
      exact: ['retrieval', 'weights'],
      cuckoo: ['filters', 'weights'],
      retrieval: ['filters'],
      weights: [],
      filters: [],
    });
  });

  const orders = types.flatMap((first, i) => {
    const rest = types.toSpliced(i, 1);
    return [
      [first, ...rest],
      [first, ...rest.toReversed()],
    ];
  });
  test.each(orders)('answers when its parts come as %s, %s, %s', (...order) => {
    const { call, load, nameOf } = start(cutBy(linked));
    expect(call('_started')).toBe(5);
    const asked = new Map<string, number>();
    for (const next of order) {
      load(next);
      asked.set(next, 0);
      // The counters of loaded parts go on: no later part overwrites their data.
      for (const [i, type] of types.entries()) {
        const times = (asked.get(type) ?? -2) + 1;
        expect(call('_ask', i + 1)).toBe(times > 0 ? 1000 * times + answers[type] : -1);
        if (times < 1) continue;
        expect(nameOf(i + 1)).toBe(type);
        asked.set(type, times);
      }
      expect(call('_only')).toBe(asked.has('cuckoo') ? (asked.get('cuckoo') ?? 0) + 1 : undefined);
    }
    // The code that runs when a part is loaded ran exactly once.
    expect(call('_started')).toBe(1115);
  });

  test('refuses a part that comes before what it needs', () => {
    const { call, load } = start(cutBy(linked));
    expect(() => load('ribbon', [])).toThrow(WebAssembly.LinkError);
    expect(call('_ask', 1)).toBe(-1);
  });

  test('may be in one piece', () => {
    const wasm = whole(readLinked(linked), plan);
    const { call, nameOf } = start(new Map([['base', { wasm, needs: [] }]]));
    for (const [i, type] of types.entries())
      expect([call('_ask', i + 1), nameOf(i + 1)]).toEqual([1000 + answers[type], type]);
    expect(call('_started')).toBe(1115);
  });

  test('leaves out what nobody needs, and joins parts by another name', () => {
    const partOf = (part: string) => ({ base: part, ribbon: part, exact: 'ribbon' })[part];
    const { call, load } = start(cutBy(linked, { partOf }));
    load('ribbon');
    expect([1, 2, 3].map((type) => call('_ask', type))).toEqual([1507, 1528, -1]);
    const wasm = whole(readLinked(linked), { partOf });
    expect(start(new Map([['base', { wasm, needs: [] }]])).call('_ask', 3)).toBe(-1);
  });

  test('has in its base what the others of a part there share', () => {
    expect([...cutBy(linked, { families: {}, baseUsers: ['ribbon'] }).keys()].sort()).toEqual(
      ['base', 'cuckoo', 'exact', 'filters', 'ribbon'].sort(),
    );
  });
});
