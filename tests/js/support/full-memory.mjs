/** Tests what happens when memory is full. They need a process of their own, with up to 4 GiB. */
import assert from 'node:assert/strict';
import * as tamis from 'tamis';
import * as url from 'tamis/url';
import { classesOf } from './all-classes.mjs';

const hostOf = (key) => `${key}.example`;
const keysOf = (n) => Array.from({ length: 100 }, (_, i) => `key-${n}-${i}`);
const hasAll = (filter, n) => filter.hasMany(keysOf(n)).every((answer) => answer === 1);

/** For a class whose structures are made from options and filled afterwards. */
const changing = (Class) => ({
  make: (n) => {
    const filter = new Class({ capacity: 5_000 });
    filter.addMany(keysOf(n));
    return filter;
  },
  isWhole: hasAll,
  sizeFor: (capacity) => Class.sizeFor({ capacity }),
  huge: (capacity) => new Class({ capacity }),
});

/** For a class whose structures are built from a list. */
const builtOnce = (Class) => ({ make: (n) => Class.from(keysOf(n)), isWhole: hasAll });

const others = (n) => keysOf(`other-${n}`);
const valueFor = (n, i) => (n + i) % 256;

/**
 * For each class, a function that makes structure number n, and a check that it still contains its keys. Classes that
 * are not made from keys come last.
 */
export const types = {
  ...Object.fromEntries(
    classesOf(tamis).map((Class) => [
      Class.name,
      'addMany' in Class.prototype ? changing(Class) : builtOnce(Class),
    ]),
  ),
  ExactFilter: {
    make: (n) => tamis.ExactFilter.from({ include: keysOf(n), exclude: others(n) }),
    isWhole: (filter, n) =>
      hasAll(filter, n) && filter.hasMany(others(n)).every((answer) => answer === 0),
  },
  BloomierMap: {
    make: (n) =>
      tamis.BloomierMap.from(
        keysOf(n).map((key, i) => [key, valueFor(n, i)]),
        { valueBits: 8 },
      ),
    isWhole: (map, n) => keysOf(n).every((key, i) => map.get(key) === valueFor(n, i)),
  },
  InvertibleBloomTable: {
    make: (n) => {
      const table = new tamis.InvertibleBloomTable({ differences: 100, keyBytes: 16 });
      table.add(new Uint8Array(16).fill(n % 251));
      return table;
    },
    isWhole: (table, n) => {
      const { added, removed, complete } = table.decode();
      return (
        complete &&
        removed.length === 0 &&
        added.length === 1 &&
        added[0].every((b) => b === n % 251)
      );
    },
    sizeFor: (differences) => tamis.InvertibleBloomTable.sizeFor({ differences, keyBytes: 64 }),
    huge: (differences) => new tamis.InvertibleBloomTable({ differences, keyBytes: 64 }),
  },
  BitArray: {
    make: (n) => {
      const array = new tamis.BitArray(50_000);
      array.set(n % 50_000);
      return array;
    },
    isWhole: (array, n) => array.has(n % 50_000) && array.count === 1,
    sizeFor: (length) => tamis.BitArray.sizeFor(length),
    huge: (length) => new tamis.BitArray(length),
  },
  UrlList: {
    make: (n) => new url.UrlListBuilder().addHosts(keysOf(n).map(hostOf)).build(),
    isWhole: (list, n) =>
      keysOf(n).every((key) => list.check(`http://${hostOf(key)}/`) === 'maybe'),
  },
  UrlDelta: {
    make: (n) => {
      const [older, newer] = [n, n + 1].map((list) => types.UrlList.make(list));
      try {
        return newer.diff(older);
      } finally {
        older.dispose();
        newer.dispose();
      }
    },
    isWhole: (delta) => delta.removals === 100 && delta.additions === 100,
  },
};

const isRefused = (error) => error.code === 'ERR_TAMIS_OUT_OF_MEMORY';

/** Calls `make` until memory is full, and returns all results. */
function fill(make) {
  const made = [];
  for (;;) {
    try {
      made.push(make(made.length));
    } catch (error) {
      assert.ok(isRefused(error), error);
      return made;
    }
  }
}

/** A bit array of this size in bytes, with a bit set at each end. */
function brick(bytes) {
  const array = new tamis.BitArray(8 * bytes);
  array.set(0);
  array.set(8 * bytes - 1);
  return array;
}
const isBrick = (array) => array.has(0) && array.has(array.length - 1) && !array.has(1);
const largest = 2 ** 29;

/** Removes every second item and the last quarter from a list, and disposes of them. */
function thin(list) {
  const isKept = (_, i) => i % 2 === 0 && i < 0.75 * list.length;
  for (const [i, { made }] of list.entries()) if (!isKept(made, i)) made.dispose();
  return list.filter(isKept);
}

/**
 * Fills the memory with structures of one type, after some larger ones. Then it disposes of some and fills the memory
 * again. Every refusal must be ERR_TAMIS_OUT_OF_MEMORY, and the other structures must stay unchanged.
 */
export function fillMemory(name) {
  const { make, isWhole, sizeFor, huge } = types[name];
  const sizes = [largest, 2 ** 26, 2 ** 23, 2 ** 20, 2 ** 18];
  // Reserved for the check itself.
  let reserve = brick(2 ** 20);
  let next = 0;
  const makeNext = () => {
    const n = next++;
    return { n, made: make(n) };
  };
  let all = [makeNext()];
  const bricks = sizes.flatMap((bytes) => fill(() => brick(bytes)));
  assert.ok(bricks.filter(({ length }) => length === 8 * largest).length >= 6);
  const check = () => {
    reserve.dispose();
    for (const each of bricks) assert.ok(isBrick(each));
    for (const { n, made } of all) {
      assert.ok(isWhole(made, n), `${name} ${n}`);
      made.validate();
    }
    reserve = brick(2 ** 20);
  };

  bricks.pop().dispose();
  all.push(...fill(makeNext));
  assert.ok(all.length > 2);
  check();

  // Now there are free places near the end, and structures that are far too large for them.
  all = thin(all);
  for (const bytes of [largest, 2 ** 27, 2 ** 25]) assert.throws(() => brick(bytes), isRefused);
  const capacity = sizeFor && Math.floor((1e6 * 0.9 * largest) / sizeFor(1e6));
  if (huge) assert.throws(() => huge(capacity), isRefused);
  check();

  // Structures must fit into the places that are free again.
  const before = all.length;
  all.push(...fill(makeNext));
  assert.ok(all.length > before);
  check();
  bricks.shift().dispose();
  if (huge) huge(capacity).dispose();
  bricks.push(brick(largest));
  check();

  for (const each of [...bricks, ...all.map(({ made }) => made), reserve]) each.dispose();
  for (const each of [brick(largest), brick(largest)]) each.dispose();
}

const isRight = (ask) => {
  try {
    assert.equal(ask(), true);
    return 'right';
  } catch (error) {
    assert.ok(isRefused(error), error);
    return 'refused';
  }
};

/** Keys that are longer than the free memory must be refused, and all others must get an answer. */
export function longKeys() {
  const filter = new tamis.BloomFilter({ capacity: 100 });
  // The package reserves 3 bytes a character, so the last two need more than a seventh of 4 GiB.
  const lengths = [1e6, 3e7, 1e8, 2.1e8, 3.7e8];
  const texts = lengths.map((length) => 'a'.repeat(length));
  const bytes = lengths.slice(0, -2).map((length) => new Uint8Array(3 * length).fill(7));
  const keys = [...texts, ...bytes, `${'b'.repeat(1e8)}\u20ac`];
  for (const key of keys) filter.add(key);
  const bricks = fill(() => brick(largest));
  for (const size of [2 ** 28, 2 ** 24]) {
    const answers = new Set(keys.map((key) => isRight(() => filter.has(key))));
    assert.deepEqual([...answers].sort(), ['refused', 'right']);
    answers.add(isRight(() => filter.hasMany(keys).every((answer) => answer === 1)));
    assert.equal(filter.has('a key'), false);
    bricks.push(...fill(() => brick(size)));
  }
  for (const each of bricks) assert.ok(isBrick(each));
  for (const each of bricks.splice(0, 3)) each.dispose();
  for (const key of keys) assert.equal(filter.has(key), true);

  // A build, a load and toBytes() must fail too if their copies do not fit into the memory.
  const small = 2 ** 25;
  const hashes = BigUint64Array.from({ length: small / 8 }, (_, i) => BigInt(i) << 40n);
  const array = brick(small);
  const copy = array.toBytes();
  for (const act of [
    () => tamis.BinaryFuseFilter.fromHashes(hashes),
    () => tamis.BitArray.fromBytes(copy),
    () => array.clone(),
    () => array.toBytes(),
  ]) {
    bricks.push(...fill(() => brick(small)));
    assert.throws(act, isRefused);
    assert.ok(isBrick(array));
    for (const each of bricks.splice(-5)) each.dispose();
    act();
  }
}
