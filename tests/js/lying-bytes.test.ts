/** Bytes that lie: whatever an array says of itself, and whatever its buffer does meanwhile, no other filter is touched. */
import { afterEach, describe, expect, test } from '@jest/globals';
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
  type PackedKeys,
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

import { expectCode, isDocumented, rejection, thrownBy } from './support/errors.js';
import { utf8 } from './support/keys.js';
import { liarOf } from './support/liars.js';
import { DAY, hex, listOf, newKeys, START } from './support/url-publisher.js';

type Typed = Uint8Array | Uint32Array | BigUint64Array;

const members = Array.from({ length: 2000 }, (_, i) => `member-${i}`);
const bystanders = Array.from({ length: 20 }, () => BloomFilter.from(members, { fpr: 1e-6 }));

afterEach(() => {
  for (const filter of bystanders) {
    expect(filter.hasMany(members).includes(0)).toBe(false);
    filter.validate();
  }
});

const filterOf = () => BloomFilter.from(members.slice(0, 100), { fpr: 1e-6 });
const wordOf = (text: string) => Uint32Array.from(utf8(text));
async function* given<T>(...values: T[]): AsyncGenerator<T> {
  yield* values;
}

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
const packed = (bytes: Uint8Array, starts: Uint32Array, ends: Uint32Array): PackedKeys => ({
  bytes,
  starts,
  ends,
  length: 3,
});
const words = utf8('member-1member-2stranger');
const starts = Uint32Array.of(0, 8, 16);
const ends = Uint32Array.of(8, 16, 24);
const secret = Uint8Array.from({ length: 16 }, (_, i) => i);
const long = new Uint8Array(300_000).fill(7);
const rice = riceEncode(Uint32Array.of(5, 1_000_000, 2_000_000));

/** Every road by which an array enters: the array that is honest, and what it leads to. */
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

/** A buffer that grows by a megabyte when it is asked to. */
function growing(bytes: Uint8Array) {
  const maxByteLength = bytes.length + 2 ** 20;
  const Growable = SharedArrayBuffer as unknown as new (
    length: number,
    options: { maxByteLength: number },
  ) => SharedArrayBuffer & { grow(length: number): void };
  const buffer = new Growable(bytes.length, { maxByteLength });
  const view = new Uint8Array(buffer);
  view.set(bytes);
  return { buffer, view, grow: () => buffer.grow(maxByteLength) };
}

/** A buffer that loses all but 3 bytes when it is asked to. */
function shrinking(bytes: Uint8Array) {
  const buffer = new ArrayBuffer(bytes.length, { maxByteLength: bytes.length } as never);
  const view = new Uint8Array(buffer);
  view.set(bytes);
  const resize = (length: number) =>
    (buffer as unknown as { resize(n: number): void }).resize(length);
  return { buffer, view, shrink: () => resize(3) };
}

describe('a buffer that changes its size meanwhile', () => {
  const bytes = filterOf().toBytes();
  const optionsThat = (act: () => void) => ({
    get maxBytes() {
      act();
      return 2 ** 30;
    },
  });

  test('grown by a getter of fromBytes, it is measured afterwards, once', () => {
    const { buffer, grow, view } = growing(bytes);
    // Where it ends in zeros that are no part of the filter, all is refused; nothing is overwritten.
    for (const input of [view, buffer as unknown as ArrayBuffer]) {
      expectCode(() => fromBytes(input as Uint8Array, optionsThat(grow)), 'CORRUPT');
    }
    const fixed = growing(bytes);
    const part = new Uint8Array(fixed.buffer, 0, bytes.length);
    expect(fromBytes(part as never, optionsThat(fixed.grow)).toBytes()).toEqual(bytes);
  });

  test('shrunk by a getter of fromBytes, it is refused', () => {
    const whole = shrinking(bytes);
    expectCode(() => fromBytes(whole.view, optionsThat(whole.shrink)), 'NOT_TAMIS');
    const part = shrinking(bytes);
    const fixed = new Uint8Array(part.buffer, 0, bytes.length);
    expectCode(() => fromBytes(fixed, optionsThat(part.shrink)), 'INVALID_OPTION');
  });

  test('as keys of an array, of an iterator and of a getter', () => {
    const filter = filterOf();
    const one = growing(utf8('member-1'));
    function* late() {
      yield one.view as Uint8Array;
      one.grow();
      yield 'member-2';
    }
    expect(filter.hasMany(late())).toEqual(Uint8Array.of(1, 1));
    // Now it is 1 MiB of other bytes.
    expect(filter.hasMany([one.view as Uint8Array, 'member-2'])).toEqual(Uint8Array.of(0, 1));

    const two = shrinking(utf8('member-1'));
    const gone = new Uint8Array(two.buffer, 4);
    const three = [gone, 'member-2'];
    const get = () => {
      two.shrink();
      return 'member-3';
    };
    Object.defineProperty(three, 2, { get });
    expect(expectCode(() => filter.hasMany(three), 'INVALID_KEY').index).toBe(0);
    expectCode(() => filter.has(gone), 'INVALID_KEY');
  });

  test('packed keys, whose members are read once', () => {
    const grown = growing(words);
    const reads: string[] = [];
    const tricky = {
      get bytes() {
        reads.push('bytes');
        return reads.length === 1 ? grown.view : new Uint8Array(0);
      },
      get starts() {
        reads.push('starts');
        return starts;
      },
      get ends() {
        reads.push('ends');
        grown.grow();
        return ends;
      },
      get length() {
        reads.push('length');
        return 3;
      },
    };
    const filter = filterOf();
    expect(filter.addMany(tricky as unknown as PackedKeys)).toBe(1);
    expect(reads.sort()).toEqual(['bytes', 'ends', 'length', 'starts']);

    const lost = shrinking(words);
    const shrunk = {
      bytes: new Uint8Array(lost.buffer, 0, words.length),
      starts,
      ends,
      get length() {
        lost.shrink();
        return 3;
      },
    };
    expectCode(() => filter.hasMany(shrunk), 'INVALID_KEY');
    expectCode(() => filter.hasMany({ ...shrunk, bytes: lost.view }), 'INVALID_KEY');
  });

  test.each(Array.from({ length: 12 }, (_, ticks) => ticks))(
    'a chunk that is gone %d steps after it was given: all of it, or an error',
    async (ticks) => {
      for (const gone of ['shrunk', 'detached']) {
        const source = (content: Uint8Array): AsyncIterable<Uint8Array> => {
          const { buffer, shrink } = shrinking(content);
          const view = new Uint8Array(buffer, 0, content.length);
          const spoil = () =>
            gone === 'shrunk' ? shrink() : structuredClone(0, { transfer: [buffer] });
          let given = 0;
          const next = async () => ({ done: given++ > 0, value: view });
          const late = async () => {
            for (let i = 0; i < ticks; i++) await undefined;
            if (given > 0) spoil();
          };
          const iterator = {
            next: () => {
              const answer = next();
              void late();
              return answer;
            },
          };
          return { [Symbol.asyncIterator]: () => iterator } as AsyncIterable<Uint8Array>;
        };
        const told = (promise: Promise<unknown>) =>
          promise.catch((error) => {
            expect(isDocumented(error)).toBe(true);
            return 'an error';
          });
        const loaded = fromStream(source(bytes)).then((filter) => hex(filter.toBytes()));
        expect(['an error', hex(bytes)]).toContain(await told(loaded));
        const text = utf8('member-1\nmember-2\nmember-3');
        const added = filterOf().addFrom(linesFrom(source(text)), { batch: 1 });
        expect(['an error', 0]).toContain(await told(added));
        const keys = keysFromLines(text);
        const lines = async () => {
          const hashes: bigint[] = [];
          for await (const some of linesFrom(source(text))) hashes.push(...hashKeys(some));
          return hashes.join();
        };
        expect(['an error', hashKeys(keys).join()]).toContain(await told(lines()));
      }
    },
  );

  test('hashes', () => {
    const hashes = hashKeys(['member-1', 'x']);
    const { buffer, grow } = growing(new Uint8Array(hashes.buffer));
    const all = new BigUint64Array(buffer);
    grow();
    expect(
      filterOf()
        .hasHashes(all as never)
        .subarray(0, 2),
    ).toEqual(Uint8Array.of(1, 0));
    const lost = shrinking(new Uint8Array(hashes.buffer));
    const fixed = new BigUint64Array(lost.buffer, 0, 2);
    lost.shrink();
    expectCode(() => filterOf().hasHashes(fixed), 'INVALID_OPTION');
    expectCode(() => filterOf().addHashes(fixed), 'INVALID_OPTION');
  });
});

describe('proxies', () => {
  const proxy = <T extends object>(of: T) => new Proxy(of, {});

  test('of arrays are no arrays', () => {
    expectCode(() => filterOf().has(proxy(words)), 'INVALID_KEY');
    expectCode(() => filterOf().hasHashes(proxy(hashKeys(['a']))), 'INVALID_OPTION');
    expectCode(() => fromBytes(proxy(filterOf().toBytes())), 'INVALID_OPTION');
    expectCode(() => filterOf().hasMany(packed(proxy(words), starts, ends)), 'INVALID_KEY');
    const key = proxy(secret);
    expectCode(() => new BloomFilter({ capacity: 9, hash: 'keyed', key }), 'INVALID_OPTION');
  });

  test('of packed keys and of lists give the keys', () => {
    const filter = filterOf();
    expect(filter.hasMany(proxy(packed(words, starts, ends)))).toEqual(Uint8Array.of(1, 1, 0));
    expect(filter.hasMany(proxy(['member-1', 'no']))).toEqual(Uint8Array.of(1, 0));
  });

  test('a list that calls itself endless is an error, not an end', () => {
    const endless = new Proxy(['member-1'], {
      get: (target, name) => (name === 'length' ? 2 ** 53 - 1 : Reflect.get(target, name)),
    });
    thrownBy(() => filterOf().hasMany(endless));
    thrownBy(() => filterOf().addMany(endless));
  });
});

describe('a buffer that was transferred', () => {
  test.each(['bytes', 'starts', 'ends'] as const)('with the %s of packed keys', async (name) => {
    const lost = () => {
      const keys = packed(words.slice(), starts.slice(), ends.slice());
      structuredClone(keys, { transfer: [keys[name].buffer as ArrayBuffer] });
      return keys;
    };
    const filter = filterOf();
    const actions = [
      () => filter.addMany(lost()),
      () => filter.hasMany(lost()),
      () => hashKeys(lost()),
      () => missingFrom(filter, lost()),
      () => BloomFilter.from(lost()),
      () => RibbonFilter.from(lost()),
    ];
    for (const action of actions) {
      const error = expectCode(action, 'INVALID_KEY');
      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toMatch(/detached/);
    }
    expect((await rejection(filter.addFrom(given(lost())))).code).toBe('ERR_TAMIS_INVALID_KEY');
  });

  test('of all else that is given as an array', () => {
    const lost = <A extends Typed>(array: A): A => {
      structuredClone(array, { transfer: [array.buffer as ArrayBuffer] });
      return array;
    };
    expectCode(() => keysFromLines(lost(words.slice())), 'INVALID_OPTION');
    expectCode(() => funnel((_, sink) => sink.bytes(lost(words.slice())))(0), 'INVALID_KEY');
    const key = lost(secret.slice());
    expectCode(() => new BloomFilter({ capacity: 9, hash: 'keyed', key }), 'INVALID_OPTION');
    expectCode(() => riceEncode(lost(Uint32Array.of(1, 2))), 'INVALID_OPTION');
    expectCode(() => createConfirmHandler(lost(new Uint8Array(32)), times), 'INVALID_OPTION');
    expectCode(() => RibbonFilter.fromHashes(lost(hashKeys(['a']))), 'INVALID_OPTION');
  });
});
