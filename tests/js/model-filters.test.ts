/**
 * Random histories of every filter against a multiset, from every filling: after each command no present
 * key is absent.
 */
import { describe, expect, test } from '@jest/globals';
import {
  BitArray,
  type BloomFilter,
  fromBytes,
  hashKeys,
  type RotatingBloomFilter,
  TamisError,
  type TombstoneBloomFilter,
} from 'tamis';
import type { DeletableFilter, FilterCase, MergeableFilter, MutableFilter } from './classes.js';
import { filterCases } from './classes.js';
import { binomialTails } from './support/binomial.js';
import { budget, isLong } from './support/budget.js';
import { expectSame } from './support/bytes.js';
import { HEADER, repaired } from './support/container.js';
import { expectCode, thrownBy } from './support/errors.js';
import { fc } from './support/fast-check.js';

const CAPACITY = 60;
/** A small universe, so that histories meet the same key again. */
const keyOf = (i: number): string => (i % 5 === 0 ? `cl\u00e9-${i}` : `key-${i}`);
const one = fc.nat(120).map(keyOf);
const many = fc.array(one, { maxLength: 12 });
const place = fc.nat(1000);

interface Model {
  /** Copies of each key; 1 if the filter holds no key twice. */
  readonly held: Map<string, number>;
  /** The count that follows from the answers so far. */
  count: number;
  /** For filters that forget keys: the last period in which each key was added. */
  readonly seen: Map<string, number>;
  period: number;
  fresh: number;
  /** The filter has no bit but those of its keys: false after intersect. */
  exact: boolean;
}
interface Real {
  filter: MutableFilter;
  readonly grown: BitArray[];
}

/** Makes the steps from which the histories of one case are drawn. */
class History {
  readonly #subject: FilterCase;

  constructor(subject: FilterCase) {
    this.#subject = subject;
  }

  start(filling: number): { model: Model; real: Real } {
    const model = { held: new Map(), count: 0, seen: new Map(), period: 0, fresh: 0, exact: true };
    const real = { filter: this.#subject.create(CAPACITY), grown: [] };
    for (let i = 0; i < filling; i++) this.add(model, real.filter, `filling-${i}`);
    return { model, real };
  }

  /** Records an added key; `isNew` is the filter's answer. */
  #note(model: Model, key: string, isNew: boolean): void {
    const { copies } = this.#subject.traits;
    if (copies || isNew) model.count++;
    model.held.set(key, copies ? (model.held.get(key) ?? 0) + 1 : 1);
    model.seen.set(key, model.period);
  }

  /** Adds one key. Returns false if the filter refused it; then nothing changed. */
  add(model: Model, filter: MutableFilter, key: string): boolean {
    const isAbsent = !filter.has(key);
    const bytes = filter.toBytes();
    try {
      expect(filter.add(key)).toBe(isAbsent);
    } catch (error) {
      this.#refusal(error);
      expectSame(filter.toBytes(), bytes);
      return false;
    }
    this.#note(model, key, isAbsent);
    return true;
  }

  #refusal(error: unknown): void {
    const { code } = error as { code?: string };
    const { bounded, tombstones } = this.#subject.traits;
    const isAllowed =
      (bounded && code === 'ERR_TAMIS_FULL') || (tombstones && code === 'ERR_TAMIS_TOMBSTONED');
    if (!isAllowed) throw error;
  }

  /** Adds many keys. Those before a refused key stay in. */
  addMany(model: Model, filter: MutableFilter, keys: readonly string[], isHashed: boolean): void {
    const twin = filter.clone();
    const fresh: boolean[] = [];
    try {
      for (const key of keys) fresh.push(twin.add(key));
    } catch (error) {
      this.#refusal(error);
    }
    const { secret } = this.#subject;
    const act = () =>
      isHashed ? filter.addHashes(hashKeys(keys, secret ? { secret } : {})) : filter.addMany(keys);
    if (fresh.length === keys.length) {
      expect(act()).toBe(fresh.filter(Boolean).length);
    } else {
      const error = thrownBy(act);
      this.#refusal(error);
      if (!isHashed) expect(error.index).toBe(fresh.length);
    }
    expectSame(filter.toBytes(), twin.toBytes());
    twin.dispose();
    for (const [i, isNew] of fresh.entries()) this.#note(model, keys[i] as string, isNew);
  }

  delete(model: Model, filter: DeletableFilter, key: string): void {
    const bytes = filter.toBytes();
    const isHeld = model.held.has(key);
    const isThere = filter.has(key);
    // The key was never added and seems present: its delete would remove bits of other keys.
    if (!isHeld && isThere) return;
    let isGone = false;
    try {
      isGone = filter.delete(key);
      expect(isGone).toBe(isThere);
    } catch (error) {
      if (!this.#subject.traits.locks) throw error;
      expect((error as { code: string }).code).toBe('ERR_TAMIS_NOT_DELETABLE');
    }
    if (!isGone) {
      expectSame(filter.toBytes(), bytes);
      return;
    }
    model.count--;
    const copies = model.held.get(key) as number;
    if (copies === 1) model.held.delete(key);
    else model.held.set(key, copies - 1);
  }

  forget(model: Model): void {
    model.held.clear();
    model.seen.clear();
    model.count = 0;
    model.exact = true;
  }

  /** Checks everything that must hold. */
  check(model: Model, { filter }: Real): void {
    const { traits, load, create } = this.#subject;
    let keys = [...model.held.keys()];
    if (traits.forgets) {
      const { generations } = filter as unknown as RotatingBloomFilter;
      keys = keys.filter((key) => (model.seen.get(key) as number) > model.period - generations);
    }
    const found = filter.hasMany(keys).reduce((sum, answer) => sum + answer, 0);
    if (traits.tombstones) {
      const { falseNegativeRate } = filter as unknown as TombstoneBloomFilter;
      const { upper } = binomialTails(keys.length - found, keys.length, falseNegativeRate);
      if (found < keys.length) expect(upper).toBeGreaterThan(1e-9);
    } else {
      expect(found).toBe(keys.length);
    }
    if (!traits.forgets) expect(filter.count).toBe(Math.max(0, model.count));
    filter.validate();
    const bytes = filter.toBytes();
    using copy = this.#subject.Class.fromBytes(bytes, load);
    expectSame(copy.toBytes(), bytes);
    // Of a union, the count of keys may be an estimate.
    if (traits.merges && !traits.copies && model.exact) {
      using twin = create(CAPACITY);
      twin.addMany(keys);
      expectSame(bytes.subarray(HEADER), twin.toBytes().subarray(HEADER));
    }
  }

  commands(): fc.Arbitrary<fc.Command<Model, Real>>[] {
    const { traits, load, create, secret, type } = this.#subject;
    const command = (
      name: string,
      run: (model: Model, real: Real) => void,
    ): fc.Command<Model, Real> => ({
      check: () => true,
      run: (model, real) => {
        run(model, real);
        this.check(model, real);
      },
      toString: () => name,
    });
    const replace = (real: Real, filter: MutableFilter): void => {
      real.filter.dispose();
      real.filter = filter;
    };
    const made = [
      one.map((key) =>
        command(`add ${key}`, (model, { filter }) => void this.add(model, filter, key)),
      ),
      many.map((keys) =>
        command(`addMany ${keys.join()}`, (model, { filter }) =>
          this.addMany(model, filter, keys, false),
        ),
      ),
      place.map((limit) =>
        command(`add until full, ${limit % 80} at most`, (model, { filter }) => {
          for (let i = 0; i < limit % 80; i++) {
            if (!this.add(model, filter, `more-${model.fresh++}`)) break;
          }
        }),
      ),
      many.map((keys) =>
        command(`ask ${keys.join()}`, (_model, { filter }) => {
          const bytes = filter.toBytes();
          const answers = filter.hasMany(keys);
          expect(answers).toEqual(Uint8Array.from(keys, (key) => +filter.has(key)));
          if (traits.hashes) {
            const hashes = hashKeys(keys, secret ? { secret } : {});
            expect(filter.hasHashes(hashes)).toEqual(answers);
          }
          expectSame(filter.toBytes(), bytes);
        }),
      ),
      fc.constant(
        command('clear', (model, { filter }) => {
          filter.clear();
          this.forget(model);
          expectSame(filter.toBytes(), create(CAPACITY).toBytes());
        }),
      ),
      fc.constant(
        command('save and load', (_model, real) => {
          const bytes = real.filter.toBytes();
          replace(real, this.#subject.Class.fromBytes(bytes, load) as MutableFilter);
        }),
      ),
      fc.tuple(place, place, place).map((places) =>
        command(`load damaged at ${places.join()}`, (_model, { filter }) => {
          const before = filter.toBytes();
          const damaged = before.slice();
          for (const at of places) {
            const bit = (at * 2_654_435_761) % (8 * damaged.length);
            damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7));
          }
          if (Buffer.compare(damaged, before) !== 0) thrownBy(() => fromBytes(damaged, load));
          const plausible = repaired(damaged);
          try {
            using odd = fromBytes(plausible, load);
            expectSame(odd.toBytes(), plausible);
            odd.validate();
            if ('add' in odd && 'hasMany' in odd) {
              odd.add('later');
              expect(odd.has('later')).toBe(true);
            }
          } catch (error) {
            expect(error).toBeInstanceOf(TamisError);
            expect((error as TamisError).code).not.toBe('ERR_TAMIS_INTERNAL');
          }
          expectSame(filter.toBytes(), before);
        }),
      ),
      fc.constant(
        command('go on with a clone', (_model, real) => {
          const copy = real.filter.clone();
          real.filter.clear();
          replace(real, copy);
        }),
      ),
      fc.constant(
        command('go on with an empty copy', (model, real) => {
          const bytes = real.filter.toBytes();
          const copy = real.filter.emptyCopy();
          if (traits.merges) {
            using whole = copy.clone() as MergeableFilter;
            expectSame(whole.merge(real.filter).toBytes(), bytes);
          }
          expectSame(copy.toBytes(), create(CAPACITY).toBytes());
          expectSame(real.filter.toBytes(), bytes);
          replace(real, copy);
          this.forget(model);
        }),
      ),
      fc.constant(
        command('dispose and use', (_model, real) => {
          const bytes = real.filter.toBytes();
          const gone = real.filter;
          gone.dispose();
          expectCode(() => gone.add('a'), 'DISPOSED');
          expectCode(() => gone.has('a'), 'DISPOSED');
          real.filter = this.#subject.Class.fromBytes(bytes, load) as MutableFilter;
        }),
      ),
      fc.integer({ min: 1, max: 4 }).map((size) =>
        command(`memory grows by ${size}`, (_model, { grown }) => {
          if (grown.length > 4) for (const bits of grown.splice(0)) bits.dispose();
          grown.push(new BitArray(size * 2 ** 21));
        }),
      ),
    ];
    if (traits.hashes) {
      const hashed = many.map((keys) =>
        command(`addHashes ${keys.join()}`, (model, { filter }) =>
          this.addMany(model, filter, keys, true),
        ),
      );
      made.push(hashed);
    }
    if (traits.deletes) {
      const present = place.map((at) =>
        command(`delete present ${at}`, (model, { filter }) => {
          const keys = [...model.held.keys()];
          const key = keys[at % keys.length];
          if (key !== undefined) this.delete(model, filter as DeletableFilter, key);
        }),
      );
      const absent = one.map((key) =>
        command(`delete ${key}`, (model, { filter }) =>
          this.delete(model, filter as DeletableFilter, key),
        ),
      );
      // This step is listed twice, so that as many keys go as come.
      made.push(present, present, absent);
    }
    if (traits.merges) {
      const merge = many.map((keys) =>
        command(`merge ${keys.join()}`, (model, { filter }) => {
          using other = filter.emptyCopy();
          const { count } = model;
          for (const key of keys) this.add(model, other, key);
          expect((filter as MergeableFilter).merge(other)).toBe(filter);
          const sum = count + other.count;
          // Only a filter that holds copies knows the count of the union.
          if (!traits.copies) {
            expect(filter.count).toBeGreaterThanOrEqual(Math.max(count, other.count));
            expect(filter.count).toBeLessThanOrEqual(sum);
          }
          model.count = traits.copies ? sum : filter.count;
        }),
      );
      made.push(merge);
    }
    if (type === 'bloom') {
      const intersect = many.map((keys) =>
        command(`intersect ${keys.join()}`, (model, real) => {
          const filter = real.filter as BloomFilter;
          using other = filter.emptyCopy();
          other.addMany(keys);
          const smaller = Math.min(filter.count, other.count);
          const { count, fillRatio } = filter.intersect(other);
          expect(count).toBeLessThanOrEqual(smaller);
          if (fillRatio > 0) expect(count).toBeGreaterThan(0);
          for (const key of model.held.keys()) if (!keys.includes(key)) model.held.delete(key);
          model.count = count;
          model.exact = false;
        }),
      );
      made.push(intersect);
    }
    if (traits.forgets) {
      const rotate = fc.constant(
        command('rotate', (model, { filter }) => {
          (filter as unknown as RotatingBloomFilter).rotate();
          model.period++;
        }),
      );
      made.push(rotate);
    }
    return made;
  }
}

// Of all ways to hash: the schemes, and the keyed form of two types.
const keyed = ['bloom, double, keyed', 'counting-bloom, keyed and seeded'];
const subjects = filterCases.filter(
  ({ label }) => !/keyed|seeded/.test(label) || keyed.includes(label),
);

describe.each(subjects.map((subject) => [subject.label, subject] as const))(
  '%s',
  (_label, subject) => {
    test.each(isLong ? [0, 50, 80, 95, 100] : [0, 95])('from a filling of %d %%', (percent) => {
      const history = new History(subject);
      const commands = fc.commands(history.commands(), { maxCommands: 200, size: 'max' });
      fc.assert(
        fc.property(commands, (steps) => {
          const { model, real } = history.start(Math.round((CAPACITY * percent) / 100));
          fc.modelRun(() => ({ model, real }), steps);
          real.filter.dispose();
          for (const bits of real.grown) bits.dispose();
        }),
        { numRuns: budget(20, 1), endOnFailure: true },
      );
    });
  },
);
