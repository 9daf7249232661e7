/** Mistakes of callers: an error at most, and never a broken library. */

import { inspect } from 'node:util';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from '@jest/globals';
import {
  BitArray,
  BloomFilter,
  fromBytes,
  funnel,
  hashKey,
  hashKeys,
  type Key,
  keyBatchesFrom,
  keysFromLines,
  type PackedKeys,
  withFunnel,
} from 'tamis';
import { readFeed } from 'tamis/feeds';
import {
  canonicalize,
  expressions,
  hashExpression,
  riceDecode,
  riceEncode,
  UrlGuard,
  UrlList,
  UrlListBuilder,
} from 'tamis/url';
import { runModule } from '../js/support/child.js';
import { expectCode, thrownBy } from '../js/support/errors.js';
import { given } from '../js/support/sources.js';

const filterOf = (...keys: string[]) => BloomFilter.from(keys, { capacity: 100 });
const never = new Promise<never>(() => {});

/** Yields the values, then hangs. */
async function* hanging<T>(...values: T[]): AsyncGenerator<T> {
  yield* values;
  await never;
}

/** An option that no function has, and a value that none takes. */
const wrong = { none: 1 } as never;
const list = new UrlListBuilder().build();

test.each<[string, () => unknown]>([
  ['hashKey', () => hashKey('', wrong)],
  ['hashKeys', () => hashKeys([], wrong)],
  ['keysFromLines', () => keysFromLines(new Uint8Array(), wrong)],
  ['keysFromLines: bytes', () => keysFromLines(wrong)],
  ['keyBatchesFrom', () => keyBatchesFrom(hanging(), wrong).next()],
  ['keyBatchesFrom: source', () => keyBatchesFrom(wrong).next()],
  ['keyBatchesFrom: chunk', () => keyBatchesFrom(hanging(wrong)).next()],
  ['addFrom', () => filterOf().addFrom(hanging(), wrong)],
  ['readFeed', () => readFeed('', wrong)],
  ['readFeed: source', () => readFeed(wrong)],
  ['canonicalize: the URL', () => canonicalize(wrong)],
  ['expressions', () => expressions('http://a.example/', wrong)],
  ['expressions: the URL', () => expressions(wrong)],
  ['hashExpression', () => hashExpression(wrong)],
  ['riceEncode: values', () => riceEncode(wrong)],
  ['riceDecode', () => riceDecode(wrong, wrong)],
  ['riceDecode: firstValue', () => riceDecode(wrong)],
  ['UrlList', () => UrlList.fromBytes(list.toBytes(), wrong)],
  ['UrlList.fromPrefixes', () => UrlList.fromPrefixes(new Uint8Array(), wrong)],
  ['UrlList.update', () => list.update(wrong)],
  ['UrlGuard.open', () => UrlGuard.open(wrong)],
  ['a URL', () => list.check(wrong)],
])('an error of %s begins with that', async (name, act) => {
  await expect((async () => act())()).rejects.toThrow(new RegExp(`^${name}(:| must)`));
});

describe('sizeFor', () => {
  test('of a keyed filter is that of any other', () => {
    const key = new Uint8Array(16);
    expect(BloomFilter.sizeFor({ capacity: 100, secret: key })).toBe(
      BloomFilter.sizeFor({ capacity: 100 }),
    );
  });
});

describe('an abort while nobody is waiting', () => {
  test('ends addFrom, though the source hangs', async () => {
    const control = new AbortController();
    const filter = filterOf();
    const adding = filter.addFrom(hanging<Key>('a', 'b'), {
      batch: 1,
      signal: control.signal,
      onProgress: () => control.abort(new Error('enough')),
    });
    await expect(adding).rejects.toThrow('enough');
    expect(filter.has('a')).toBe(true);
  });

  test('ends addFrom, though no key is left', async () => {
    const control = new AbortController();
    const adding = filterOf().addFrom(given(['a']), {
      signal: control.signal,
      onProgress: () => control.abort(new Error('enough')),
    });
    await expect(adding).rejects.toThrow('enough');
  });

  test('ends fromStream', async () => {
    const control = new AbortController();
    const loading = BloomFilter.fromStream(hanging(filterOf('a').toBytes().slice(0, 100)), {
      signal: control.signal,
      onProgress: () => control.abort(new Error('enough')),
    });
    await expect(loading).rejects.toThrow('enough');
  });

  test('is what addFrom rejects with, also where a key was none', async () => {
    const control = new AbortController();
    async function* keys() {
      yield 'a';
      yield 5 as unknown as Key;
      control.abort(new Error('enough'));
      yield 'c';
    }
    const filter = filterOf();
    const adding = filter.addFrom(keys(), { signal: control.signal });
    await expect(adding).rejects.toThrow('enough');
    expect(filter.has('a')).toBe(true);
  });

  test('reaches through withFunnel and keyBatchesFrom to a source that hangs', async () => {
    const typed = withFunnel(
      filterOf(),
      funnel((id: number, sink) => sink.int32(id)),
    );
    const signal = AbortSignal.timeout(20);
    await expect(typed.addFrom(hanging(1), { signal })).rejects.toThrow('timeout');
    const lines = keyBatchesFrom(hanging(new TextEncoder().encode('a\n')), {
      signal: AbortSignal.timeout(20),
    });
    await expect(filterOf().addFrom(lines)).rejects.toThrow('timeout');
  });
});

describe('bytes', () => {
  const detached = new Uint8Array(5);
  structuredClone(detached, { transfer: [detached.buffer] });
  test.each([
    ['detached', detached],
    ['a prototype', Object.create(Uint8Array.prototype) as Uint8Array],
    ['a proxy', new Proxy(new Uint8Array(3), {})],
  ])('%s are no key', (_name, bytes) => {
    const filter = filterOf();
    expect(thrownBy(() => filter.has(bytes)).code).toBe('ERR_TAMIS_INVALID_KEY');
    expect(thrownBy(() => filter.addMany(['a', bytes])).code).toBe('ERR_TAMIS_INVALID_KEY');
    expect(filter.has('a')).toBe(true);
  });

  test.each(['Uint8Array', 'Buffer'])('of another realm, a %s, are a key', (name) => {
    const make = { Uint8Array: 'Uint8Array.of(97)', Buffer: 'Buffer.from("a")' }[name] as string;
    const bytes: Uint8Array = runInNewContext(make, { Buffer });
    expect(filterOf('a').has(bytes)).toBe(true);
    expect(filterOf('a').hasMany([bytes])).toEqual(Uint8Array.of(1));
  });

  test('padding behind a filter is refused before it is copied', () => {
    const bytes = filterOf('a').toBytes();
    const padded = new Uint8Array(50_000_000);
    padded.set(bytes);
    expect(thrownBy(() => fromBytes(padded)).code).toBe('ERR_TAMIS_CORRUPT');
  });
});

describe('too much at once', () => {
  test('more text than 32-bit offsets reach', () => {
    const huge = new Uint8Array(2 ** 32);
    expect(thrownBy(() => keysFromLines(huge)).code).toBe('ERR_TAMIS_TOO_LARGE');
    expect(thrownBy(() => filterOf().has(huge)).code).toBe('ERR_TAMIS_TOO_LARGE');
  });

  test('more bits than a string has characters', () => {
    using bits = new BitArray(2 ** 29);
    expect(thrownBy(() => bits.toString()).code).toBe('ERR_TAMIS_TOO_LARGE');
  });
});

describe('a disposed filter', () => {
  const disposed = () => {
    const filter = filterOf('a');
    filter.dispose();
    return filter;
  };

  test('refuses a batch of nothing too', () => {
    expect(thrownBy(() => disposed().addMany([])).code).toBe('ERR_TAMIS_DISPOSED');
    expect(thrownBy(() => disposed().hasMany([])).code).toBe('ERR_TAMIS_DISPOSED');
  });

  test('that a batch meets half-way names the right key', () => {
    filterOf().addMany(Array.from({ length: 200 }, (_, i) => `k${i}`));
    const filter = filterOf();
    function* keys() {
      for (let i = 0; i < 300; i++) {
        if (i === 256) filter.dispose();
        yield `k${i}`;
      }
    }
    const error = thrownBy(() => filter.addMany(keys()));
    expect(error).toMatchObject({ code: 'ERR_TAMIS_DISPOSED' });
    expect((error as { index?: number }).index).toBe(256);
  });

  test('can be logged', () => {
    expect(inspect(disposed())).toBe('BloomFilter { disposed: true }');
  });
});

describe('funnels', () => {
  test('a value that is refused leaves nothing behind', () => {
    const odd = funnel((_: null, sink) => {
      expect(() => sink.int32(2 ** 40)).toThrow(RangeError);
      expect(() => sink.prefixedString('\ud800')).toThrow(TypeError);
      sink.int8(1);
    });
    expect([...odd(null)]).toEqual([1]);
  });

  test('that throw what cannot be changed', () => {
    for (const cause of [Object.freeze(new Error('no')), 'no']) {
      const typed = withFunnel(filterOf(), () => {
        throw cause;
      });
      const error = expectCode(() => typed.addMany([1]), 'INVALID_KEY');
      expect(error).toMatchObject({ message: 'your code threw: no', cause, index: 0 });
    }
  });
});

describe('packed keys', () => {
  test('in any order give the answers of the keys one by one', () => {
    const words = Array.from({ length: 5000 }, (_, i) => `word-${i}`);
    const { bytes, starts, ends } = keysFromLines(new TextEncoder().encode(words.join('\n')));
    const order = words.map((_, i) => (i * 2657) % words.length);
    const shuffled: PackedKeys = {
      bytes,
      starts: Uint32Array.from(order, (i) => starts[i] as number),
      ends: Uint32Array.from(order, (i) => ends[i] as number),
      length: words.length,
    };
    const half = BloomFilter.from(words.slice(0, 2500));
    expect(half.hasMany(shuffled)).toEqual(half.hasMany(order.map((i) => words[i] as string)));
    expect(hashKeys(shuffled)).toEqual(hashKeys(order.map((i) => words[i] as string)));
  });
});

describe('init', () => {
  test('says what is wrong with its source, and spoils nothing', async () => {
    const source = `
      import { init, BloomFilter } from 'tamis';
      const empty = new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
      const sources = [
        { bytes: Uint8Array.of(1, 2, 3) }, { bytes: 'x' }, { module: {} }, {}, 5, { url: 7 },
        { modul: empty }, { module: empty },
      ];
      for (const source of sources) {
        await init(source).then(() => console.log('no error'), ({ code, message }) =>
          console.log(code, /another release/.test(message)));
      }
      console.log(new BloomFilter({ capacity: 3 }).add('a'));`;
    const lines = (await runModule(source)).trim().split('\n');
    expect(lines).toEqual([
      ...new Array(7).fill('ERR_TAMIS_INVALID_OPTION false'),
      'ERR_TAMIS_INTERNAL true',
      'true',
    ]);
  });

  test('takes the bytes of tamis/core.wasm', async () => {
    const source = `
      import { readFileSync } from 'node:fs';
      import { init, BloomFilter } from 'tamis';
      await init({ bytes: readFileSync(new URL(import.meta.resolve('tamis/core.wasm'))) });
      console.log(new BloomFilter({ capacity: 3 }).add('a'));`;
    expect((await runModule(source)).trim()).toBe('true');
  });
});
