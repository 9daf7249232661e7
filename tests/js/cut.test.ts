// The cutter of js/scripts/wasm: what it makes of a small module that Emscripten links.

import { beforeAll, describe, expect, test } from '@jest/globals';
import { answers, cutBy, link, plan, scripts, start, types } from './support/linked.js';

const { readLinked } = await import(`${scripts}linked.mjs`);
const { whole } = await import(`${scripts}cut.mjs`);

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
