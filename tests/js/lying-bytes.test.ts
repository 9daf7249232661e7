/** Arrays that lie about themselves. Only their real bytes count, and no other filter is touched. */
import { describe, expect, test } from '@jest/globals';
import {
  BinaryFuseFilter,
  BloomFilter,
  BloomierMap,
  CuckooFilter,
  fromBytes,
  fromStream,
  funnel,
  hashKey,
  hashKeys,
  InvertibleBloomTable,
  keysFromLines,
  linesFrom,
  missingFrom,
  RibbonFilter,
} from 'tamis';
import {
  canonicalize,
  createConfirmHandler,
  expressions,
  hashExpression,
  memoryStorage,
  publishList,
  riceDecode,
  riceEncode,
  signManifest,
  UrlDelta,
  UrlList,
  verifyManifest,
} from 'tamis/url';

import { ends, filterOf, given, members, packed, starts, words } from './support/bystanders.js';
import { expectCode } from './support/errors.js';
import { utf8 } from './support/keys.js';
import { liarOf } from './support/liars.js';
import { DAY, hex, listOf, newKeys, START } from './support/url-publisher.js';

type Typed = Uint8Array | Uint32Array | BigUint64Array;

const wordOf = (text: string) => Uint32Array.from(utf8(text));
const list = listOf(['evil.example', 'bad.example']);
const delta = listOf(['evil.example']).diff(list);
const keys = await newKeys();
const signed = await signManifest(
  {
    list: 'phish',
    seq: 7,
    version: '1',
    n: 3,
    hash: 'sha256',
    rule: 'labels5',
    prefixBytes: 4,
    created: new Date(START).toISOString(),
    notAfter: new Date(START + 7 * DAY).toISOString(),
    sha256: 'a'.repeat(64),
    snapshot: { url: 'snap.bin', bytes: 128, sha256: 'b'.repeat(64) },
    deltas: [],
  },
  keys,
);
const publicKey = new Uint8Array(await crypto.subtle.exportKey('raw', keys.publicKey));
const nowMs = START + DAY;
const times = { cacheSeconds: 1, negativeSeconds: 1 };
const question = hashExpression('evil.example/').subarray(0, 4);
const confirmed = async (
  handle: (request: Request) => Promise<Response>,
  ...chunks: Uint8Array[]
) => {
  const body = new ReadableStream({
    start(to) {
      for (const chunk of chunks) to.enqueue(chunk);
      to.close();
    },
  });
  const answer = await handle({ method: 'POST', body } as Request);
  return [answer.status, hex(new Uint8Array(await answer.arrayBuffer()))];
};
const secret = Uint8Array.from({ length: 16 }, (_, i) => i);
const long = new Uint8Array(300_000).fill(7);
const rice = riceEncode(Uint32Array.of(5, 1_000_000, 2_000_000));

/** A path by which an array enters: the honest array, and the call that takes it. */
function road<A extends Typed>(name: string, honest: A, act: (array: A) => unknown) {
  return [name, honest, act as (array: Typed) => unknown] as const;
}
const roads = [
  road('has', utf8('member-1'), (key) => filterOf().has(key)),
  road('has, of a long key', long, (key) => filterOf().has(key)),
  road('add', utf8('new one'), (key) => {
    const filter = filterOf();
    return [filter.add(key), filter.has('new one'), filter.toBytes()];
  }),
  road('add, of a long key', long, (key) => {
    const filter = filterOf();
    return [filter.add(key), filter.has(long), filter.toBytes()];
  }),
  road('hasMany', utf8('member-1'), (key) => filterOf().hasMany([key, 'no', key])),
  road('hasMany, of an iterator', utf8('member-1'), (key) => filterOf().hasMany(new Set([key]))),
  road('addMany', long, (key) => {
    const filter = filterOf();
    return [filter.addMany(['a', key, 'b']), filter.toBytes()];
  }),
  road('positions', utf8('member-1'), (key) => filterOf().positions(key)),
  road('delete and countOf', utf8('member-1'), (key) => {
    const filter = CuckooFilter.from(members);
    return [filter.delete(key), filter.delete(key)];
  }),
  road('hashKey', utf8('member-1'), (key) => hashKey(key)),
  road('hashKeys', utf8('member-1'), (key) => hashKeys([key, key])),
  road('BinaryFuseFilter.from', utf8('member-1'), (key) =>
    BinaryFuseFilter.from([key, 'b']).toBytes(),
  ),
  road('BloomierMap.from', utf8('member-1'), (key) =>
    BloomierMap.from([[key, 7]], { valueBits: 8 }).get('member-1'),
  ),
  road('InvertibleBloomTable.add', utf8('1234'), (key) => {
    const table = new InvertibleBloomTable({ differences: 4, keyBytes: 4 });
    table.add(key);
    return table.toBytes();
  }),
  road('Sink.bytes', utf8('part'), (part) => funnel((_: null, sink) => sink.bytes(part))(null)),
  road('PackedKeys.bytes', words, (bytes) => filterOf().hasMany(packed(bytes, starts, ends))),
  road('PackedKeys.starts', starts, (array) => filterOf().hasMany(packed(words, array, ends))),
  road('PackedKeys.ends', ends, (array) => filterOf().hasMany(packed(words, starts, array))),
  road('PackedKeys of addFrom', words, async (bytes) => {
    const filter = filterOf();
    return [await filter.addFrom(given(packed(bytes, starts, ends))), filter.toBytes()];
  }),
  road('missingFrom', words, (bytes) =>
    missingFrom(filterOf(), packed(bytes, starts, ends)).map((key) => hex(key as Uint8Array)),
  ),
  road('keysFromLines', utf8('member-1\nstranger\nmember-2'), (text) =>
    filterOf().hasMany(keysFromLines(text)),
  ),
  road('linesFrom', utf8('member-1\nstranger\nmember-2'), async (text) => {
    const filter = filterOf();
    return [await filter.addFrom(linesFrom(given(text, text))), filter.toBytes()];
  }),
  road('hasHashes', hashKeys(['member-1', 'x', 'y']), (hashes) => filterOf().hasHashes(hashes)),
  road('addHashes', hashKeys(['member-1', 'x', 'y']), (hashes) => {
    const filter = filterOf();
    return [filter.addHashes(hashes), filter.toBytes()];
  }),
  road('fromHashes', hashKeys(['member-1', 'x']), (hashes) =>
    RibbonFilter.fromHashes(hashes).toBytes(),
  ),
  road('BloomFilter.fromBytes', filterOf().toBytes(), (bytes) =>
    BloomFilter.fromBytes(bytes).toBytes(),
  ),
  road('fromBytes', filterOf().toBytes(), (bytes) => fromBytes(bytes).toBytes()),
  road('fromStream', filterOf().toBytes(), async (bytes) =>
    (await fromStream(given(bytes))).toBytes(),
  ),
  road('the option key', secret, (key) =>
    new BloomFilter({ capacity: 100, hash: 'keyed', key }).toBytes(),
  ),
  road('the option key of hashKeys', secret, (key) => hashKeys(['a'], { key })),
  road('canonicalize', utf8('http://EVIL.example'), (url) => canonicalize(url)),
  road('expressions', utf8('http://evil.example/a/b'), (url) => expressions(url)),
  road('riceEncode, words', Uint32Array.of(5, 1_000_000, 2_000_000), (values) =>
    riceEncode(values),
  ),
  road('riceEncode, bytes', Uint8Array.of(0, 0, 0, 1, 0, 0, 9, 2), (values) => riceEncode(values)),
  road('riceDecode, firstValue', rice.firstValue, (firstValue) =>
    riceDecode({ ...rice, firstValue }),
  ),
  road('riceDecode, data', rice.data, (data) => riceDecode({ ...rice, data })),
  road('UrlList.fromBytes', list.toBytes(), (bytes) => UrlList.fromBytes(bytes).prefixes()),
  road('UrlDelta.fromBytes', delta.toBytes(), (bytes) =>
    list.apply(UrlDelta.fromBytes(bytes)).prefixes(),
  ),
  road('verifyManifest', utf8(JSON.stringify(signed)), (bytes) =>
    verifyManifest(bytes, { publicKeys: [publicKey], nowMs }),
  ),
  road('publicKeys', publicKey, (key) => verifyManifest(signed, { publicKeys: [key], nowMs })),
  road('createConfirmHandler', hashExpression('evil.example/'), (all) =>
    confirmed(createConfirmHandler(all, times), question),
  ),
  road('the body of a question', question, (chunk) =>
    confirmed(createConfirmHandler(hashExpression('evil.example/'), times), chunk),
  ),
  road('UrlStorage', utf8('unused'), async (bytes) => {
    const storage = memoryStorage();
    const isLiar = Object.hasOwn(bytes, 'length');
    const get = async (name: string) => {
      const file = await storage.get(name);
      return file && isLiar ? liarOf(file, bytes.length) : file;
    };
    const options = { name: 'phish', storage: { ...storage, get }, keys, now: () => START };
    await publishList(listOf(['evil.example']), options);
    const { seq, deltas } = await publishList(list, { ...options });
    return [seq, deltas.length];
  }),
  road('createConfirmHandler, of a list', hashExpression('evil.example/'), (hash) =>
    confirmed(createConfirmHandler([hash], times), question),
  ),
];

describe('a subclass with members of its own is taken for what it is', () => {
  test.each(roads)('%s', async (_name, honest, act) => {
    const expected = await act(honest);
    for (const length of [0, 1, 16, 32, 70_000, 2 ** 40]) {
      expect(await act(liarOf(honest, length))).toEqual(expected);
    }
  });

  test('what a liar says never makes other arrays of it', () => {
    const fakes = [wordOf('member-1'), new Float64Array(4), new DataView(new ArrayBuffer(8))];
    for (const fake of fakes) {
      const bytes = Object.defineProperty(fake, Symbol.toStringTag, { value: 'Uint8Array' });
      expectCode(() => filterOf().has(bytes as never), 'INVALID_KEY');
      expectCode(() => fromBytes(bytes as never), 'INVALID_OPTION');
      expectCode(() => keysFromLines(bytes as never), 'INVALID_OPTION');
    }
    const buffer = { [Symbol.toStringTag]: 'ArrayBuffer', length: 2 ** 33, byteLength: 4 };
    expectCode(() => fromBytes(buffer as never), 'INVALID_OPTION');
  });
});
