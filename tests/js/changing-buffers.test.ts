/** Buffers that grow, shrink or are transferred between two reads. */
import { describe, expect, test } from '@jest/globals';
import {
  BloomFilter,
  fromBytes,
  fromStream,
  funnel,
  hashKeys,
  keyBatchesFrom,
  keysFromLines,
  missingFrom,
  type PackedKeys,
  RibbonFilter,
} from 'tamis';
import { createConfirmHandler, riceEncode } from 'tamis/url';

import { ends, filterOf, given, packed, starts, words } from './support/bystanders.js';
import { expectCode, isDocumented, rejection } from './support/errors.js';
import { utf8 } from './support/keys.js';
import { hex } from './support/url-publisher.js';

const secret = new Uint8Array(16);
const times = { cacheSeconds: 1, negativeSeconds: 1 };

/** A buffer with a function that grows it by a megabyte. */
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

/** A buffer with a function that shrinks it to 3 bytes. */
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
    // If zeros follow the filter's bytes, the whole input is refused. Nothing is overwritten.
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
          const spoil = () => {
            if (gone === 'shrunk') shrink();
            // Only once: a detached buffer cannot be transferred again.
            else if (buffer.byteLength > 0) structuredClone(0, { transfer: [buffer] });
          };
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
        const added = filterOf().addFrom(keyBatchesFrom(source(text)), { batch: 1 });
        expect(['an error', 0]).toContain(await told(added));
        const keys = keysFromLines(text);
        const lines = async () => {
          const hashes: bigint[] = [];
          for await (const some of keyBatchesFrom(source(text))) hashes.push(...hashKeys(some));
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
      expect(error.message).toMatch(/transferred/);
    }
    expect((await rejection(filter.addFrom(given(lost())))).code).toBe('ERR_TAMIS_INVALID_KEY');
  });

  test('of all else that is given as an array', () => {
    const lost = <A extends Uint8Array | Uint32Array | BigUint64Array>(array: A): A => {
      structuredClone(array, { transfer: [array.buffer as ArrayBuffer] });
      return array;
    };
    expectCode(() => keysFromLines(lost(words.slice())), 'INVALID_OPTION');
    expectCode(() => funnel((_, sink) => sink.bytes(lost(words.slice())))(0), 'INVALID_KEY');
    const key = lost(secret.slice());
    expectCode(() => new BloomFilter({ capacity: 9, secret: key }), 'INVALID_OPTION');
    expectCode(() => riceEncode(lost(Uint32Array.of(1, 2))), 'INVALID_OPTION');
    expectCode(() => createConfirmHandler(lost(new Uint8Array(32)), times), 'INVALID_OPTION');
    expectCode(() => RibbonFilter.fromHashes(lost(hashKeys(['a']))), 'INVALID_OPTION');
  });
});
