/** Promises of every structure about its bytes, copies and figures, over the class list. */
import { inspect } from 'node:util';

import { describe, expect, test } from '@jest/globals';
import * as tamis from 'tamis';
import { fromBytesOf, fromStreamOf } from 'tamis';

import { filterCases, KEY, members, OTHER_KEY, structureCases } from '../js/classes.js';
import { classesOf } from '../js/support/all-classes.mjs';
import { expectSame } from '../js/support/bytes.js';
import { runModule } from '../js/support/child.js';
import { codeExpected } from '../js/support/container.js';
import { expectCode } from '../js/support/errors.js';
import { randomStrings } from '../js/support/keys.js';

const classes = classesOf(tamis);

describe.each(structureCases.map((one) => [one.label, one] as const))('%s', (_label, one) => {
  test.each([0, 1, 2, 3, 21, 64, 1000])('its bytes come back byte for byte, n = %d', async (n) => {
    const made = one.make(n);
    const bytes = made.toBytes();
    expect(codeExpected(bytes, { ...one.load, asked: one.type })).toBe('DEEP');
    expect(bytes.length).toBe(made.toBytes().length);
    const loaded = one.Class.fromBytes(bytes, one.load);
    expectSame(loaded.toBytes(), bytes);
    expect(loaded.toJSON()).toEqual(made.toJSON());
    expect(loaded.sizeBytes).toBe(made.sizeBytes);
    loaded.validate();

    const any = fromBytesOf(classes, bytes, one.load);
    expect(any).toBeInstanceOf(one.Class);
    expect(any.type).toBe(one.type);
    expectSame(any.toBytes(), bytes);

    const streamed = await fromStreamOf(classes, new Blob([bytes]).stream(), one.load);
    expect(streamed).toBeInstanceOf(one.Class);
    expectSame(streamed.toBytes(), bytes);
  });

  test('the same content gives the same bytes, every time', () => {
    expectSame(one.make(100).toBytes(), one.make(100).toBytes());
    expect(one.make(100).toBytes()).not.toEqual(one.make(99).toBytes());
  });

  test('a clone has all of it and shares none of it', () => {
    const made = one.make(50);
    const bytes = made.toBytes();
    const copy = made.clone();
    expect(copy).toBeInstanceOf(one.Class);
    expectSame(copy.toBytes(), bytes);
    made.dispose();
    expectSame(copy.toBytes(), bytes);
    copy.validate();
  });

  test('is not cloned as an empty object, alone or inside another', () => {
    const made = one.make(5);
    const { port1, port2 } = new MessageChannel();
    for (const value of [made, { nested: [made] }, new Map([[1, made]])]) {
      for (const send of [structuredClone, (sent: unknown) => port1.postMessage(sent)]) {
        expect(() => send(value)).toThrow(expect.objectContaining({ name: 'DataCloneError' }));
      }
    }
    for (const port of [port1, port2]) port.close();
    expect(Reflect.ownKeys(made)).toEqual([]);
    expect(made).toEqual(one.make(5));
  });

  test('validate is silent, and changes nothing', () => {
    const made = one.make(77);
    const bytes = made.toBytes();
    expect(made.validate()).toBeUndefined();
    expectSame(made.toBytes(), bytes);
  });

  test('toJSON and inspect give figures, never bits', () => {
    const made = one.make(5000);
    const json = JSON.stringify(made);
    expect(JSON.parse(json)).toMatchObject({ type: one.type });
    expect(json.length).toBeLessThan(600);
    expect(json).not.toMatch(/[01]{64}/);
    expect(made.sizeBytes).toBeGreaterThan(600);
    const shown = inspect(made);
    expect(shown.length).toBeLessThan(600);
    expect(shown).toContain(one.className);
    expect(shown).not.toMatch(/[01]{64}/);
    for (const [name, figure] of Object.entries(JSON.parse(json) as object)) {
      if (name === 'periodMs' && figure === null) continue;
      expect(['string', 'number', 'boolean']).toContain(typeof figure);
    }
  });

  test('rejects the bytes of every other type', () => {
    for (const other of structureCases) {
      if (other.type === one.type || other.load.secret !== one.load.secret) continue;
      const bytes = other.make(3).toBytes();
      const error = expectCode(() => one.Class.fromBytes(bytes, one.load), 'WRONG_TYPE');
      expect(error.message).toMatch(/type/);
    }
  });

  test('a key in hand must be the key', () => {
    const bytes = one.make(10).toBytes();
    expectCode(() => one.Class.fromBytes(bytes, { secret: OTHER_KEY }), 'WRONG_KEY');
    if (one.load.secret === undefined) {
      expectCode(() => one.Class.fromBytes(bytes, { secret: KEY }), 'WRONG_KEY');
    } else {
      expectCode(() => one.Class.fromBytes(bytes), 'KEY_REQUIRED');
      expectCode(() => fromBytesOf(classes, bytes), 'KEY_REQUIRED');
      const key = Buffer.from(one.load.secret).toString('latin1');
      expect(Buffer.from(bytes).toString('latin1')).not.toContain(key);
    }
  });
});

describe.each(filterCases.map((one) => [one.label, one] as const))('%s', (_label, one) => {
  test('emptyCopy is a partner: the same options, no content', () => {
    const filter = one.make(60);
    const partner = filter.emptyCopy();
    expect(partner).toBeInstanceOf(one.Class);
    expect(partner.count).toBe(0);
    expectSame(partner.toBytes(), one.create(60).toBytes());
    partner.addMany(members(60));
    expectSame(partner.toBytes(), filter.toBytes());
  });

  test('clear leaves what was made', () => {
    const filter = one.make(60);
    filter.clear();
    expect(filter.count).toBe(0);
    expectSame(filter.toBytes(), one.create(60).toBytes());
    expect(filter.has(members(1)[0] as string)).toBe(false);
  });

  test('a loaded filter goes on as the first would have', () => {
    const filter = one.create(700);
    filter.addMany(members(100));
    const loaded = one.Class.fromBytes(filter.toBytes(), one.load) as typeof filter;
    const more = randomStrings(100, 'more');
    expect(loaded.addMany(more)).toBe(filter.addMany(more));
    expectSame(loaded.toBytes(), filter.toBytes());
    const copy = filter.clone();
    expect(copy.addMany(members(300))).toBe(loaded.addMany(members(300)));
    expectSame(copy.toBytes(), loaded.toBytes());
    expect(filter.toBytes()).not.toEqual(copy.toBytes());
  });
});

test('objects of a class keep their shape from one garbage collection to the next', async () => {
  const out = await runModule(
    `
    import { BloomFilter, ExactFilter } from 'tamis';
    // V8 compiles code for one shape. For a second shape it would drop that code, and look up both from then on.
    const makers = [
      () => new BloomFilter({ capacity: 10 }),
      () => ExactFilter.from({ include: ['a'], exclude: ['b'] }),
    ];
    const wait = () => new Promise((resolve) => setTimeout(resolve, 0));
    for (const make of makers) (() => make())();
    const isAlike = [];
    for (const make of makers) {
      const early = make();
      globalThis.gc();
      await wait();
      globalThis.gc();
      isAlike.push(%HaveSameMap(early, make()));
    }
    console.log(isAlike.join());
  `,
    ['--expose-gc', '--allow-natives-syntax'],
  );
  expect(out.trim()).toBe('true,true');
});
