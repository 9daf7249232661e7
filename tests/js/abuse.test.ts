/** Any argument to any public member: the result is a value or a documented error, and nothing else. */
import { describe, expect, test } from '@jest/globals';
import * as tamis from 'tamis';
import { BloomFilter, bloomRate } from 'tamis';
import { KEY, structureCases } from './classes.js';
import { isDocumented, rejection } from './support/errors.js';
import { fc } from './support/fast-check.js';

/** The members that an instance inherits from the package's classes. */
function members(instance: object): [string, PropertyDescriptor][] {
  const found = new Map<string, PropertyDescriptor>();
  let from = Object.getPrototypeOf(instance) as object;
  for (; from !== Object.prototype; from = Object.getPrototypeOf(from) as object) {
    for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(from))) {
      if (name !== 'constructor' && !found.has(name)) found.set(name, descriptor);
    }
  }
  return [...found];
}

describe('anything at all', () => {
  const anything = fc.anything({
    withBigInt: true,
    withBoxedValues: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withTypedArray: true,
    withObjectString: true,
    withNullPrototype: true,
    withSparseArray: true,
  });
  /** Mostly well-named options with values that are off by a little. */
  const nearly = fc.record(
    Object.fromEntries(
      [
        'capacity',
        'fpr',
        'seed',
        'hash',
        'secret',
        'scheme',
        'bits',
        'hashes',
        'maxBytes',
        'count',
        'counterBits',
        'deletions',
        'regions',
        'growth',
        'tightening',
        'generations',
        'periodMs',
        'bucketSize',
        'fingerprintBits',
        'arity',
        'valueBits',
        'checkBits',
        'excluded',
        'include',
        'exclude',
        'differences',
        'keyBytes',
      ].map((name) => [
        name,
        fc.oneof(
          anything,
          fc.integer({ min: -2, max: 300 }),
          fc.double(),
          fc.bigInt(),
          fc.constantFrom('fast', 'guava', 'digest', 'mcg', KEY, undefined),
        ),
      ]),
    ),
    { requiredKeys: [] },
  );
  const argument = fc.oneof(
    anything,
    nearly,
    fc.string(),
    fc.uint8Array({ maxLength: 100 }),
    fc.integer({ min: -9, max: 1_000_000 }),
    fc.double(),
    fc.constant(() => new BloomFilter({ capacity: 4 }).toBytes()).map((give) => give()),
  );

  /** Everything that can be called, as functions of up to three arguments. */
  const targets: [string, (...args: unknown[]) => unknown][] = [];
  const callable = (value: unknown): value is (...args: unknown[]) => unknown =>
    typeof value === 'function';
  for (const [name, value] of Object.entries(tamis as Record<string, unknown>)) {
    if (!callable(value) || name === 'TamisError' || name === 'init') continue;
    if (/^[A-Z]/.test(name)) {
      const Class = value as unknown as (new (
        ...args: unknown[]
      ) => unknown) &
        Record<string, (...args: unknown[]) => unknown>;
      targets.push([`new ${name}`, (...args) => new Class(...args)]);
      for (const member of Object.getOwnPropertyNames(Class)) {
        if (['length', 'name', 'prototype'].includes(member)) continue;
        targets.push([`${name}.${member}`, (...args) => Class[member]?.(...args)]);
      }
    } else {
      targets.push([name, value]);
    }
  }
  for (const name of Object.keys(tamis.key)) {
    const encode = (tamis.key as Record<string, unknown>)[name];
    if (callable(encode)) targets.push([`key.${name}`, encode]);
  }
  // One of each class, the first of its cases.
  const classes = new Map([...structureCases].reverse().map((one) => [one.className, one]));
  const instances = [...classes.values()].reverse().map((one) => () => one.make(5));
  // A member that several classes inherit is called on one of them.
  const seen = new Set<unknown>();
  for (const create of instances) {
    for (const [member, descriptor] of members(create())) {
      const { value } = descriptor;
      if (!callable(value) || seen.has(value)) continue;
      seen.add(value);
      const name = Object.prototype.toString.call(create()).slice(8, -1);
      targets.push([`${name} ${member}`, (...args) => value.apply(create(), args)]);
    }
  }

  test('the list of what can be called is not short', () => {
    expect(targets.length).toBeGreaterThan(100);
  });

  test.each(targets)('%s gives a value or a documented error', async (_name, call) => {
    await fc.assert(
      fc.asyncProperty(argument, argument, argument, async (a, b, c) => {
        try {
          await settle(call(a, b, c));
        } catch (error) {
          if (!isDocumented(error)) throw error;
        }
      }),
      { numRuns: 80 },
    );
  });

  /** Waits for a promise, reads an async iterable to its end, disposes what was made. */
  async function settle(result: unknown): Promise<void> {
    const value: unknown = await result;
    if (typeof value !== 'object' || value === null) return;
    if (Symbol.asyncIterator in value) {
      for await (const _ of value as AsyncIterable<unknown>) break;
    }
    if ('dispose' in value && callable(value.dispose)) (value as { dispose(): void }).dispose();
  }

  test('a method borrowed by another object', async () => {
    const key = 'x'.repeat(2 ** 20); // too long for the scratch memory
    for (const create of instances) {
      for (const [member, descriptor] of members(create())) {
        const borrowed: unknown = descriptor.get ?? descriptor.value;
        if (!callable(borrowed)) continue;
        const heir = Object.create(Object.getPrototypeOf(create()) as object) as object;
        for (const thief of [undefined, null, {}, 'x', heir]) {
          if (thief === heir && member === 'type') continue; // which needs no memory
          for (const argument of [undefined, key, create()]) {
            const call = async () => settle(await borrowed.call(thief, argument));
            const { code, message } = await rejection(call());
            if (!/^ERR_TAMIS_INVALID_(OPTION|KEY)$/.test(code))
              throw new Error(`${member}: ${message}`);
          }
        }
      }
    }
    expect(new BloomFilter({ capacity: 4 }).has(key)).toBe(false);
  });

  test('the sizing functions too give numbers that can be used, or an error', () => {
    fc.assert(
      fc.property(fc.double(), fc.double(), fc.double(), (bits, hashes, count) => {
        try {
          const rate = bloomRate({ bits, hashes, count });
          return rate >= 0 && rate <= 1;
        } catch (error) {
          return isDocumented(error);
        }
      }),
    );
  });
});
