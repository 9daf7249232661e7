/** Code that must type-check for users of the package, and code that must not. It is compiled, and never runs. */

import type {
  DeletableFilter,
  Filter,
  Key,
  KeySet,
  PackedKeys,
  Progress,
  RibbonOptions,
  SetDifference,
  TamisErrorCode,
} from 'tamis';
import {
  BinaryFuseFilter,
  BitArray,
  BlockedBloomFilter,
  BloomFilter,
  BloomierMap,
  CuckooFilter,
  ExactFilter,
  fromBytes,
  fromBytesOf,
  fromStream,
  fromStreamOf,
  funnel,
  hashKeys,
  InvertibleBloomTable,
  key,
  keyBatchesFrom,
  missingFrom,
  RibbonFilter,
  RotatingBloomFilter,
  ScalableBloomFilter,
  TombstoneBloomFilter,
  withFunnel,
} from 'tamis';
import { ForeignFilter } from 'tamis/interop';
import * as read from 'tamis/read';
import { RedisFilter } from 'tamis/redis';
import { guava64 } from 'tamis/schemes';
import { UrlChecker, UrlDelta, UrlList } from 'tamis/url';

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <T extends true>(value?: T): T | undefined => value;

const filter = new BloomFilter({ capacity: 10 });
const bits = new BitArray(8);

holds<Equal<ReturnType<typeof filter.clone>, BloomFilter>>();
holds<Equal<ReturnType<typeof filter.emptyCopy>, BloomFilter>>();

// Static methods return an object of the class that they are called on.
const loaded = {
  bloom: BloomFilter.fromBytes(filter.toBytes()),
  streamed: BloomFilter.fromStream(new Blob().stream(), { maxBytes: 5 }),
  bits: BitArray.fromBytes(bits.toBytes()),
  tombstone: TombstoneBloomFilter.fromBytes(new ArrayBuffer(9), { secret: new Uint8Array(16) }),
  scalable: ScalableBloomFilter.from(['a'], { growth: 3 }),
  sized: BloomFilter.from(['a'], { bits: 64, hashes: 2 }),
  ribbon: RibbonFilter.from(['a']),
  fuse: BinaryFuseFilter.fromAsync(keyBatchesFrom(new Blob().stream()), { batch: 5, arity: 4 }),
};
holds<Equal<typeof loaded.bloom, BloomFilter>>();
holds<Equal<typeof loaded.streamed, Promise<BloomFilter>>>();
holds<Equal<typeof loaded.bits, BitArray>>();
holds<Equal<typeof loaded.tombstone, TombstoneBloomFilter>>();
holds<Equal<typeof loaded.scalable, ScalableBloomFilter>>();
holds<Equal<typeof loaded.sized, BloomFilter>>();
holds<Equal<typeof loaded.ribbon, RibbonFilter>>();
holds<Equal<typeof loaded.fuse, Promise<BinaryFuseFilter>>>();
holds<Equal<(typeof loaded.ribbon)['type'], 'ribbon'>>();
// @ts-expect-error an option of another class
CuckooFilter.from(['a'], { counterBits: 4 });
// @ts-expect-error bits want hashes
BloomFilter.from(['a'], { bits: 64 });
// @ts-expect-error capacity is needed
CuckooFilter.sizeFor({ fpr: 0.1 });
// @ts-expect-error here too
RibbonFilter.sizeFor({ fpr: 0.1 });

// A subclass is loaded as itself, but the types of static methods name its class.
class Names extends CuckooFilter {
  readonly list: string[] = [];
}
const names = Names.fromBytes(filter.toBytes());
holds<Equal<typeof names, CuckooFilter>>();
holds<Equal<ReturnType<Names['clone']>, Names>>();
// @ts-expect-error the class has no constructor for users: the type names the call to use
new RibbonFilter({ fpr: 0.01 });
export async function streams(source: ReadableStream<Uint8Array>): Promise<number> {
  for await (const packed of keyBatchesFrom(source)) {
    const each: PackedKeys = packed;
    filter.addMany(each);
  }
  return filter.addFrom(keyBatchesFrom(source), {
    signal: AbortSignal.timeout(5),
    onProgress: ({ done, total }: Progress) => done + (total ?? 0),
  });
}

// Told apart by `type`, narrowed to the class.
const any = fromBytes(filter.toBytes());
if (any.type === 'bloom') holds<Equal<typeof any, BloomFilter>>();
// @ts-expect-error a bit array looks up no keys, so it is not among them
if (any.type === 'bit-array') any;
const someOf = fromBytesOf([BitArray, InvertibleBloomTable, BloomFilter], filter.toBytes());
holds<Equal<typeof someOf, BitArray | InvertibleBloomTable | BloomFilter>>();
if (someOf.type === 'bit-array') holds<Equal<ReturnType<typeof someOf.toggle>, boolean>>();
const someLater = fromStreamOf([BloomFilter, RibbonFilter], new Blob().stream());
holds<Equal<Awaited<typeof someLater>, BloomFilter | RibbonFilter>>();
// @ts-expect-error a class of tamis/read makes no structure of tamis
fromBytesOf([read.BloomFilter], filter.toBytes());
// @ts-expect-error and one of tamis none of tamis/read
read.fromBytesOf([BloomFilter], filter.toBytes());
// @ts-expect-error the classes come first, in both entries
read.fromBytesOf(filter.toBytes(), [read.BloomFilter]);
// @ts-expect-error a bit array is asked by an index alone
bits.has('x');

// What any bytes give is a set of keys, in both entries; so is a filter of another library.
const sets: KeySet[] = [any, read.fromBytes(filter.toBytes()), {} as ForeignFilter];
const ofEither: read.KeySet[] = sets;
withFunnel(sets[0] ?? filter, key.int32).has(7);
// @ts-expect-error a bit array is none
const noSet: KeySet = bits;

export { noSet, ofEither };

// Members that all filters share can be called on any filter. Other objects throw.
holds<Equal<typeof asked, [boolean, boolean, Uint8Array<ArrayBuffer>]>>();
const asked: [boolean, boolean, Uint8Array<ArrayBuffer>] = [
  fromBytes(filter.toBytes()).has('x'),
  (await fromStream(new Blob().stream())).has(new Uint8Array(1)),
  any.hasMany(new Set(['x'])),
];
const ofRead: [boolean, boolean] = [
  read.fromBytes(filter.toBytes()).has('x'),
  read.fromBytesOf([read.BloomFilter, read.BloomierMap], filter.toBytes()).has('x'),
];
holds<Equal<typeof ofRead, [boolean, boolean]>>();
// @ts-expect-error a number is no key
read.fromBytes(filter.toBytes()).has(3);
// @ts-expect-error a number is no key, and a filter has no elements
any.has(3);
// @ts-expect-error not every structure takes keys
any.add('x');

interface User {
  readonly name: string;
}
const users = withFunnel(
  filter,
  funnel<User>((user, sink) => void sink.string(user.name).int32(1)),
);
users.add({ name: 'a' });
holds<Equal<ReturnType<typeof users.hasMany>, Uint8Array<ArrayBuffer>>>();
// @ts-expect-error a user's key is a User
users.has('a');

// @ts-expect-error numbers have no width
filter.add(7);
// @ts-expect-error neither have bigints
filter.has(7n);
filter.add(key.int32(7));
// @ts-expect-error a 64-bit number is a bigint
key.int64(7);
// @ts-expect-error capacity is needed
new BloomFilter({ fpr: 0.01 });
// @ts-expect-error one or the other
new BloomFilter({ bits: 64, hashes: 2, capacity: 9 });
// @ts-expect-error an unknown name
new BloomFilter({ capacity: 9, errorRate: 0.1 });
new BloomFilter({ capacity: 9, scheme: guava64 });
BloomFilter.fromBytes(filter.toBytes(), { schemes: [guava64] });
// @ts-expect-error a scheme is a value of tamis/schemes, and no name
new BloomFilter({ capacity: 9, scheme: 'guava64' });
// @ts-expect-error a custom object is no scheme
new BloomFilter({ capacity: 9, scheme: { name: 'guava64' } });
new BloomFilter({ capacity: 9, seed: 5 });
// @ts-expect-error a seed is a number or a bigint
new BloomFilter({ capacity: 9, seed: '5' });
// @ts-expect-error a secret makes a filter keyed: there is no option for it
new BloomFilter({ capacity: 9, hash: 'keyed' });
// @ts-expect-error figures are read-only
filter.count = 5;
// @ts-expect-error the types differ
filter.merge(bits);
filter.equals(bits);
// @ts-expect-error no structure
filter.equals(new Uint8Array(8));
// @ts-expect-error unset is for one bit
bits.clear(3);
// @ts-expect-error hashes are 64 bits wide
filter.hasHashes([1n]);
filter.hasHashes(hashKeys(['a']));
// @ts-expect-error no such code
export const wrong: TamisErrorCode = 'ERR_TAMIS_MISSING';

// The filters that change.
const options100 = { capacity: 100 } as const;
const blocked = new BlockedBloomFilter(options100);
const cuckoo = new CuckooFilter({ ...options100, fingerprintBits: 12, bucketSize: 4 });
const rotating = new RotatingBloomFilter({ ...options100, generations: 3, periodMs: 50 });
const scalable = new ScalableBloomFilter({ ...options100, growth: 2, tightening: 0.9 });
const tombstone = new TombstoneBloomFilter({ ...options100, deletions: 5 });
const table = new InvertibleBloomTable({ differences: 5, keyBytes: 8 });

export const used: [DeletableFilter, SetDifference] = [cuckoo, table.decode()];

// @ts-expect-error bits are shared: nothing can be taken out
filter.delete('a');
// @ts-expect-error the same
blocked.delete('a');
// @ts-expect-error layers are only added
scalable.delete('a');
// @ts-expect-error keys go by themselves
rotating.delete('a');
// @ts-expect-error no merge of tables of fingerprints
cuckoo.merge(cuckoo);
// @ts-expect-error nor of tombstones
tombstone.merge(tombstone);
// @ts-expect-error a table is no filter
table.has('a');
// @ts-expect-error and has no count
table.count;
// @ts-expect-error its filter must be one
missingFrom(table, ['a']);
// @ts-expect-error the types differ
blocked.merge(filter);
// @ts-expect-error an option of another class
new BlockedBloomFilter({ capacity: 5, counterBits: 4 });
// @ts-expect-error keyBytes is needed
new InvertibleBloomTable({ differences: 5 });
// @ts-expect-error a time is a number
rotating.advance(new Date());
// @ts-expect-error only merge and intersect of a bit array
table.merge(table);
// @ts-expect-error the result of decode is read-only
table.decode().complete = true;

// Structures that are built once.
const asList: Filter = RibbonFilter.from(['a']);
const ofMap: BloomierMap = BloomierMap.from(new Map([['a', 1]]), { valueBits: 1 });
const listOptions: RibbonOptions = { fpr: 0.01, seed: 1n };
RibbonFilter.from(new Set(['a', new Uint8Array(3)]), listOptions);
BinaryFuseFilter.from(['a'], {
  arity: 3,
  fingerprintBits: 9,
  secret: new Uint8Array(16),
});
ExactFilter.from({ include: ['a'], exclude: keysOf() }, { fpr: 0.1 });
// @ts-expect-error the keys are counted
RibbonFilter.from(['a'], { capacity: 1 });
// @ts-expect-error an arity of 5
BinaryFuseFilter.from(['a'], { arity: 5 });
// @ts-expect-error one list is not two
ExactFilter.from(['a']);
// @ts-expect-error a map needs the width of its values
BloomierMap.from([['a', 1]]);
// @ts-expect-error a value is a number
BloomierMap.from([['a', 'b']], { valueBits: 8 });
// @ts-expect-error a filter that is built once takes no keys
asList.add('a');
// @ts-expect-error and has no union
RibbonFilter.from(['a']).merge(RibbonFilter.from(['b']));
// @ts-expect-error a map is no filter
missingFrom(ofMap, ['a']);
const typed = withFunnel(
  RibbonFilter.from(['a']),
  funnel<string>((text, sink) => sink.string(text)),
);
// @ts-expect-error with a funnel it has no add, either
typed.add('b');

function* keysOf(): Generator<Key> {
  yield 'b';
}

// Made by other calls than `new`.
// @ts-expect-error by fromBytes alone
new read.BloomFilter({ capacity: 5 });
// @ts-expect-error the same
new read.BitArray(new Uint8Array(9));
// @ts-expect-error the same
new read.BloomierMap();
// @ts-expect-error by open alone
new UrlChecker({});
// @ts-expect-error by fromBytes and a builder
new UrlList(new Uint8Array(9));
// @ts-expect-error by fromBytes and diff
new UrlDelta({});
// @ts-expect-error by open alone
new RedisFilter({});
// @ts-expect-error by codecs alone
new ForeignFilter(new Uint8Array(9));
