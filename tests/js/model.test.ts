/** Random histories against plain oracles: after every step all keys are found and the bytes agree. */
import { expect, test } from '@jest/globals';
import { BitArray, BloomFilter, fromBytes, hashKeys } from 'tamis';
import { digest, guava64, murmur2aFnv1a, seeds } from 'tamis/schemes';
import { KEY } from './classes.js';
import { budget } from './support/budget.js';
import { thrownBy } from './support/errors.js';
import { fc } from './support/fast-check.js';
import { schemes } from './support/schemes.js';

interface BloomModel {
  keys: Set<string>;
  /** The keys that may be absent after a clear() or an intersect(). */
  exact: boolean;
}
interface BloomReal {
  filter: BloomFilter;
  readonly held: BitArray[];
}

/** Compares bytes as toEqual does, without its cost. */
function same(bytes: Uint8Array, expected: Uint8Array): void {
  if (Buffer.compare(bytes, expected) !== 0) expect(bytes).toEqual(expected);
}

const CAPACITY = 60;
/** A small universe, so that histories meet the same key again. */
const keyOf = (i: number): string => (i % 5 === 0 ? `cl\u00e9-${i}` : `key-${i}`);
const one = fc.nat(150).map(keyOf);
const many = fc.array(one, { maxLength: 12 });

type Options = ConstructorParameters<typeof BloomFilter>[0];
const variants: readonly (readonly [string, Options])[] = [
  ['mcg', { capacity: CAPACITY }],
  ['keyed', { capacity: CAPACITY, secret: KEY }],
  ['seeds', { capacity: CAPACITY, scheme: seeds, seed: 3n }],
  ['digest', { capacity: CAPACITY, scheme: digest }],
  ['murmur2a-fnv1a', { capacity: CAPACITY, scheme: murmur2aFnv1a }],
  ['guava64', { capacity: CAPACITY, scheme: guava64 }],
];

function bloomCommands(options: Options): fc.Arbitrary<fc.Command<BloomModel, BloomReal>>[] {
  const { secret } = options as { secret?: Uint8Array };
  const load = { schemes, ...(secret && { secret }) };
  const built = (keys: Iterable<string>): BloomFilter => {
    const filter = new BloomFilter(options);
    filter.addMany(keys);
    return filter;
  };

  /** Checks everything that must hold after each command. */
  const command = (
    name: string,
    run: (model: BloomModel, real: BloomReal) => void,
  ): fc.Command<BloomModel, BloomReal> => ({
    check: () => true,
    run(model, real) {
      run(model, real);
      const { filter } = real;
      const keys = [...model.keys];
      same(filter.hasMany(keys), new Uint8Array(keys.length).fill(1));
      filter.validate();
      const bytes = filter.toBytes();
      using copy = BloomFilter.fromBytes(bytes, load);
      same(copy.toBytes(), bytes);
      expect(filter.fillRatio).toBeLessThanOrEqual(1);
      if (model.exact) {
        using twin = built(keys);
        same(bytes.subarray(64), twin.toBytes().subarray(64));
        if (keys.length === 0) expect(filter.count).toBe(0);
      }
    },
    toString: () => name,
  });

  return [
    one.map((key) =>
      command(`add ${key}`, (model, { filter }) => {
        const absent = !filter.has(key);
        const before = filter.count;
        expect(filter.add(key)).toBe(absent);
        expect(filter.count).toBe(before + (absent ? 1 : 0));
        model.keys.add(key);
      }),
    ),
    many.map((keys) =>
      command(`addMany ${keys.join()}`, (model, { filter }) => {
        const before = filter.count;
        const fresh = filter.addMany(keys);
        expect(filter.count).toBe(before + fresh);
        for (const key of keys) model.keys.add(key);
      }),
    ),
    many.map((keys) =>
      command(`ask ${keys.join()}`, (model, { filter }) => {
        const before = filter.toBytes();
        const answers = filter.hasMany(keys);
        for (const [i, key] of keys.entries()) {
          expect(filter.has(key)).toBe(answers[i] === 1);
          if (model.keys.has(key)) expect(answers[i]).toBe(1);
        }
        if (filter.scheme === 'mcg') {
          same(filter.hasHashes(hashKeys(keys, secret && { secret })), answers);
        }
        same(filter.toBytes(), before);
      }),
    ),
    many.map((keys) =>
      command(`merge ${keys.join()}`, (model, { filter }) => {
        using other = built(keys);
        const counts = [filter.count, other.count] as const;
        const { count } = filter.merge(other);
        expect(count).toBeGreaterThanOrEqual(Math.max(...counts));
        expect(count).toBeLessThanOrEqual(counts[0] + counts[1]);
        for (const key of keys) model.keys.add(key);
      }),
    ),
    many.map((keys) =>
      command(`intersect ${keys.join()}`, (model, { filter }) => {
        using other = built(keys);
        const smaller = Math.min(filter.count, other.count);
        const { count, fillRatio } = filter.intersect(other);
        expect(count).toBeLessThanOrEqual(smaller);
        if (fillRatio > 0) expect(count).toBeGreaterThan(0);
        const both = new Set(keys);
        model.keys = new Set([...model.keys].filter((key) => both.has(key)));
        model.exact = false;
      }),
    ),
    fc.constant(
      command('clear', (model, { filter }) => {
        filter.clear();
        model.keys.clear();
        model.exact = true;
      }),
    ),
    fc.constant(
      command('save and load', (_model, real) => {
        const bytes = real.filter.toBytes();
        real.filter.dispose();
        real.filter = BloomFilter.fromBytes(bytes, load);
      }),
    ),
    fc.nat().map((at) =>
      command(`load damaged at ${at}`, (_model, { filter }) => {
        const before = filter.toBytes();
        const damaged = before.slice();
        const bit = at % (8 * damaged.length);
        damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7));
        thrownBy(() => fromBytes(damaged, load));
        same(filter.toBytes(), before);
      }),
    ),
    fc.constant(
      command('go on with a clone', (_model, real) => {
        const copy = real.filter.clone();
        real.filter.addMany(['only in the first']);
        real.filter.dispose();
        real.filter = copy;
      }),
    ),
    fc.constant(
      command('an empty copy takes its place', (model, real) => {
        const bytes = real.filter.toBytes();
        const copy = real.filter.emptyCopy();
        expect(real.filter.toBytes()).toEqual(bytes);
        expect(copy.merge(real.filter).toBytes()).toEqual(bytes);
        copy.clear();
        real.filter.dispose();
        real.filter = copy;
        model.keys.clear();
        model.exact = true;
      }),
    ),
    fc.integer({ min: 1, max: 4 }).map((size) =>
      command(`memory grows by ${size}`, (_model, { held }) => {
        if (held.length > 6) for (const bits of held.splice(0)) bits.dispose();
        held.push(new BitArray(size * 2 ** 21));
      }),
    ),
  ];
}

test.each(variants)('bloom, %s', (_name, options) => {
  const commands = fc.commands(bloomCommands(options), { maxCommands: 200, size: 'max' });
  fc.assert(
    fc.property(commands, (steps) => {
      const real: BloomReal = { filter: new BloomFilter(options), held: [] };
      fc.modelRun(() => ({ model: { keys: new Set<string>(), exact: true }, real }), steps);
      real.filter.dispose();
      for (const bits of real.held) bits.dispose();
    }),
    { numRuns: budget(16, 4), endOnFailure: true },
  );
});

interface BitsModel {
  bits: Uint8Array;
}
interface BitsReal {
  array: BitArray;
}

function bitCommands(length: number): fc.Arbitrary<fc.Command<BitsModel, BitsReal>>[] {
  const index = fc.nat(length - 1);
  const pattern = fc.array(index, { maxLength: 20 });
  const built = (on: readonly number[]): BitArray => {
    const array = new BitArray(length);
    for (const i of on) array.set(i);
    return array;
  };
  const command = (
    name: string,
    run: (model: BitsModel, real: BitsReal) => void,
  ): fc.Command<BitsModel, BitsReal> => ({
    check: () => true,
    run(model, real) {
      run(model, real);
      expect(real.array.toString()).toBe(model.bits.join(''));
      expect(real.array.count).toBe(model.bits.reduce((sum, bit) => sum + bit, 0));
      real.array.validate();
      using copy = BitArray.fromBytes(real.array.toBytes());
      same(copy.toBytes(), real.array.toBytes());
    },
    toString: () => name,
  });
  return [
    index.map((i) =>
      command(`set ${i}`, (model, { array }) => {
        array.set(i);
        model.bits[i] = 1;
      }),
    ),
    index.map((i) =>
      command(`unset ${i}`, (model, { array }) => {
        array.unset(i);
        model.bits[i] = 0;
      }),
    ),
    index.map((i) =>
      command(`toggle ${i}`, (model, { array }) => {
        model.bits[i] = 1 - (model.bits[i] as number);
        expect(array.toggle(i)).toBe(model.bits[i] === 1);
      }),
    ),
    fc.constant(
      command('clear', (model, { array }) => {
        array.clear();
        model.bits.fill(0);
      }),
    ),
    index.map((i) =>
      command(`has ${i}`, (model, { array }) => {
        expect(array.has(i)).toBe(model.bits[i] === 1);
      }),
    ),
    pattern.map((on) =>
      command(`merge ${on.join()}`, (model, { array }) => {
        using other = built(on);
        array.merge(other);
        for (const i of on) model.bits[i] = 1;
      }),
    ),
    pattern.map((on) =>
      command(`intersect ${on.join()}`, (model, { array }) => {
        using other = built(on);
        array.intersect(other);
        model.bits = model.bits.map((bit, i) => (on.includes(i) ? bit : 0));
      }),
    ),
    fc.constant(
      command('save and load', (_model, real) => {
        const bytes = real.array.toBytes();
        real.array.dispose();
        real.array = BitArray.fromBytes(bytes);
      }),
    ),
    fc.constant(
      command('go on with a clone', (_model, real) => {
        const copy = real.array.clone();
        for (let i = 0; i < length; i += 3) real.array.toggle(i);
        real.array.dispose();
        real.array = copy;
      }),
    ),
  ];
}

test.each([1, 8, 64, 65, 200])('bit array of %d', (length) => {
  const commands = fc.commands(bitCommands(length), { maxCommands: 200, size: 'max' });
  fc.assert(
    fc.property(commands, (steps) => {
      const real: BitsReal = { array: new BitArray(length) };
      fc.modelRun(() => ({ model: { bits: new Uint8Array(length) }, real }), steps);
      real.array.dispose();
    }),
    { numRuns: budget(20, 5), endOnFailure: true },
  );
});
