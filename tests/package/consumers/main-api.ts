// The main API as a strict TypeScript project meets it: it must compile, and run.
import {
  BitArray,
  BloomFilter,
  type BloomOptions,
  bloomRate,
  bloomSizing,
  type Filter,
  fromBytes,
  fromStream,
  funnel,
  hashKey,
  hashKeys,
  init,
  type Key,
  type Keys,
  key,
  keyBatchesFrom,
  keysFromLines,
  missingFrom,
  type PackedKeys,
  type Progress,
  RibbonFilter,
  type Structure,
  TamisError,
  type TamisErrorCode,
  version,
  withFunnel,
} from 'tamis';
import {
  type Codec,
  type CreateOptions,
  type DecodeOptions,
  encodings,
  type ForeignFilter,
  goCuckoo,
  guava,
  spark,
} from 'tamis/interop';
import { guava64 } from 'tamis/schemes';

interface User {
  readonly name: string;
  readonly age: number;
}

function check(holds: boolean, what: string): void {
  if (!holds) throw new Error(`does not hold: ${what}`);
}

function codeOf(run: () => unknown): TamisErrorCode | undefined {
  try {
    run();
  } catch (error) {
    if (error instanceof TamisError) return error.code;
    if (error instanceof Error && 'code' in error) return error.code as TamisErrorCode;
  }
  return undefined;
}

async function* chunks(text: string): AsyncIterable<Uint8Array> {
  yield new TextEncoder().encode(text);
}

await init();
const options: BloomOptions = { capacity: 1000, fpr: 0.01 };
using seen = new BloomFilter(options);
const filter: Filter = seen;
const structure: Structure = filter;
const first: Key = 'alice';
const more: Keys = ['bob', new Uint8Array([1, 2, 3])];
check(seen.add(first) === true && seen.addMany(more) === 2, 'new keys are new');
check(seen.has('alice') && !seen.has('carol'), 'has');
const answers: Uint8Array = seen.hasMany(['alice', 'bob']);
check(answers.join() === '1,1', 'hasMany');

const lines: PackedKeys = keysFromLines(new TextEncoder().encode('dan\neve\n'));
check(lines.length === 2 && seen.addMany(lines) === 2, 'keysFromLines');
const reports: Progress[] = [];
const added: number = await seen.addFrom(keyBatchesFrom(chunks('fay\r\ngil')), {
  signal: new AbortController().signal,
  onProgress: (progress) => void reports.push(progress),
});
check(added === 2 && seen.has('gil'), 'addFrom');

const hash: bigint = hashKey('alice');
const hashes: BigUint64Array = hashKeys(['alice', 'carol']);
check(hashes[0] === hash && seen.hasHashes(hashes).join() === '1,0', 'hashKeys');
seen.add(key.int32(7));
check(seen.has(key.int32(7)), 'key.int32');

const users = withFunnel(
  new BloomFilter({ bits: 4096, hashes: 5, scheme: guava64 }),
  funnel<User>((user, sink) => sink.string(user.name).int32(user.age)),
);
users.add({ name: 'alice', age: 7 });
check(users.has({ name: 'alice', age: 7 }) && !users.has({ name: 'alice', age: 8 }), 'withFunnel');

using copy = seen.clone();
using empty: BloomFilter = seen.emptyCopy();
check(empty.count === 0 && copy.merge(empty).jaccard(seen) === 1, 'clone, emptyCopy, merge');
check(
  seen.positions('alice').every((position: number) => seen.bitAt(position)),
  'positions',
);
check(seen.fillRatio > 0 && seen.estimatedFpr <= seen.fpr, 'fillRatio, estimatedFpr');
check(seen.estimateCount() > 0 && typeof seen.seed === 'bigint', 'estimateCount, seed');

const bytes: Uint8Array = seen.toBytes();
using loaded = BloomFilter.fromBytes(bytes, { maxBytes: 1 << 20 });
check(loaded.count === seen.count && structure.type === 'bloom', 'fromBytes');
const any = fromBytes(bytes);
check(any.type === 'bloom' && any.sizeBytes === BloomFilter.sizeFor(options), 'sizeFor');
const streamed = await fromStream(new Blob([new Uint8Array(bytes)]).stream());
check(streamed.type === 'bloom', 'fromStream');
loaded.validate();
any.dispose();
check(codeOf(() => any.toBytes()) === 'ERR_TAMIS_DISPOSED', 'dispose');

using bits = new BitArray(8).set(1).set(2).unset(1);
check(bits.toggle(7) === true && bits.toString() === '00100001' && bits.count === 2, 'BitArray');
const sizing = bloomSizing({ capacity: 1000, fpr: 0.01 });
const rate: number = bloomRate({ bits: sizing.bits, hashes: sizing.hashes, count: 1000 });
check(rate <= 0.01 && sizing.bits === seen.bits && sizing.hashes === seen.hashes, 'bloomSizing');
const code = codeOf(() => new BloomFilter({ capacity: 0 }));
check(code === 'ERR_TAMIS_INVALID_OPTION', 'errors');

using listed = RibbonFilter.from(['alice', 'bob'], { fpr: 2 ** -16, seed: 5n });
check(missingFrom(listed, ['alice', 'carol']).join() === 'carol', 'missingFrom');
// @ts-expect-error what is built once is not made by new
check(codeOf(() => new RibbonFilter({ fpr: 0.1 })) === code, 'new RibbonFilter');
// @ts-expect-error nothing is added to it
check(listed.add === undefined, 'no add');

const limits: DecodeOptions = { maxBytes: 4096 };
const size: CreateOptions = { capacity: 100, fpr: 0.01 };
const codec: Codec<Uint8Array, BloomFilter> = guava;
const longs = withFunnel(spark.create({ ...size, version: 2, seed: -1 }), encodings.long);
check(longs.add(7n) && longs.has(7n), 'encodings');
check(codec.decode(guava.encode(guava.create(size)), limits).count === 0, 'guava');
export const look = (bytes: Uint8Array): ForeignFilter => goCuckoo.decode(bytes);
// @ts-expect-error a rate must be given
check(codeOf(() => guava.create({ capacity: 100 })) === code, 'create needs a rate');
// @ts-expect-error a filter that is only looked up in is no filter of Guava's
export const wrong = (filter: ForeignFilter) => guava.encode(filter);

// @ts-expect-error a number is no key: its width would be a guess
check(codeOf(() => seen.add(7)) === 'ERR_TAMIS_INVALID_KEY', 'numbers are refused');
// @ts-expect-error an option that does not exist
check(codeOf(() => new BloomFilter({ capacity: 1, size: 2 })) === code, 'unknown options');
export function misuse(filter: BloomFilter): void {
  // @ts-expect-error figures are read-only
  filter.count = 1;
}

console.log(version);
