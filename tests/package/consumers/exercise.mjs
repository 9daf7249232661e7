// Calls that every consumer makes to the installed package. The answer must be the same for all of them.
import {
  BitArray,
  BloomFilter,
  fromBytes,
  fromBytesOf,
  hashKey,
  RibbonFilter,
  TamisError,
} from 'tamis';
import { guava } from 'tamis/interop';
import { guava64 } from 'tamis/schemes';

export function exercise() {
  const seen = new BloomFilter({ capacity: 100, fpr: 0.001 });
  const names = Array.from({ length: 100 }, (_, index) => `name ${index}`);
  const added = seen.addMany(names);
  const again = BloomFilter.fromBytes(seen.toBytes());
  const bits = new BitArray(10).set(3);
  const shipped = RibbonFilter.from(names, { fpr: 2 ** -16 });
  const listed = fromBytes(shipped.toBytes());
  let refusal;
  try {
    fromBytes(seen.toBytes().subarray(0, 70));
  } catch (error) {
    refusal = error instanceof TamisError && error.code;
  }
  const foreign = BloomFilter.from(names, { scheme: guava64 }).toBytes();
  const ofGuava = guava.encode(BloomFilter.from(names, { bits: 1024, hashes: 7, scheme: guava64 }));
  return {
    added,
    count: again.count,
    hits: Array.from(again.hasMany(names)),
    misses: Array.from(again.hasMany(['stranger', 'another', '\u00e9\u{1f41d}'])),
    bytes: Array.from(again.toBytes()),
    type: fromBytesOf([BloomFilter, BitArray], bits.toBytes()).type,
    bits: bits.toString(),
    hash: String(hashKey('name 0')),
    refusal,
    listed: Array.from(listed.hasMany([...names, 'stranger'])),
    shipped: Array.from(shipped.toBytes()),
    foreign: Array.from(foreign),
    scheme: BloomFilter.fromBytes(foreign, { schemes: [guava64] }).scheme,
    ofGuava: Array.from(ofGuava),
    read: Array.from(guava.decode(ofGuava).hasMany([...names, 'stranger'])),
  };
}
