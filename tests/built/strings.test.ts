/** Strings on each path into the core, compared with TextEncoder, and effects that no path may have. */
import { describe, expect, test } from '@jest/globals';
import { BloomFilter, hashKey, hashKeys } from 'tamis';
import { runModule } from '../js/support/child.js';
import { expectCode } from '../js/support/errors.js';
import { utf8 } from '../js/support/keys.js';
import { growMemory } from '../js/support/raw-core.js';
import { helper, limits, roads, writeUnits } from '../js/support/string-roads.js';

const kinds = ['a', '\u00e9', '\u6f22', '\u{1f41d}'];

describe('property: each road gives the bytes of TextEncoder, and refuses lone surrogates', () => {
  test.each(Object.entries(roads))('%s', (name, hold) => {
    const told = hold();
    // Node 20 alone has no builtins.
    const isMissing = name.startsWith('helper') && helper === undefined;
    expect(told).toBe(isMissing ? 'no js-string builtins' : 'holds');
  });

  test('the helper is there in every Node that has the builtins', () => {
    const major = Number(process.versions.node.split('.')[0]);
    expect(helper !== undefined).toBe(major >= 22);
  });
});

describe('at every limit of the table', () => {
  test.each(kinds)('strings of %j, alone, asked, added and in a batch', (kind) => {
    const keys = limits.map((length) => kind.repeat(length));
    const expected = keys.map((key) => hashKey(utf8(key)));
    expect(keys.map((key) => hashKey(key))).toEqual(expected);
    expect([...hashKeys(keys)]).toEqual(expected);
    const filter = new BloomFilter({ capacity: 100, fpr: 1e-9 });
    const twin = new BloomFilter({ capacity: 100, fpr: 1e-9 });
    for (const key of keys) expect(filter.add(key)).toBe(twin.add(utf8(key)));
    expect(filter.toBytes()).toEqual(twin.toBytes());
    for (const key of keys) expect(filter.has(key)).toBe(true);
    for (const key of keys) expect(filter.has(`${key}!`)).toBe(keys.includes(`${key}!`));
  });

  test.each(['\ud800', '\udc00'])('a lone surrogate anywhere is a TypeError: %j', (half) => {
    const filter = new BloomFilter({ capacity: 100 });
    for (const length of limits.filter((limit) => limit > 0)) {
      for (const at of new Set([0, 1, length >> 1, length - 1])) {
        for (const filler of ['a', '\u00e9']) {
          const key = filler.repeat(at) + half + filler.repeat(Math.max(0, length - 1 - at));
          for (const act of [() => filter.has(key), () => filter.add(key), () => hashKey(key)]) {
            expect(expectCode(act, 'INVALID_KEY')).toBeInstanceOf(TypeError);
          }
        }
      }
    }
    expect(filter.count).toBe(0);
  });
});

describe('memory that grows', () => {
  test('leaves the loop no room, but for the empty string', () => {
    const memory = new WebAssembly.Memory({ initial: 1 });
    const view = new Uint8Array(memory.buffer);
    const words = new Int32Array(memory.buffer);
    memory.grow(1);
    for (const key of ['a', 'four', 'eight by', '\u00e9', '\u6f22']) {
      expect(writeUnits(key, view, words, 0)).toBeLessThan(0);
    }
    expect(writeUnits('', view, words, 0)).toBe(0);
  });

  test('between two keys makes no false negative, and no other key', () => {
    const filter = new BloomFilter({ capacity: 1000, fpr: 1e-9 });
    for (const length of limits) {
      const key = 'k'.repeat(length);
      growMemory();
      filter.add(key);
      expect(filter.has(utf8(key))).toBe(true);
      hashKey('another, that lies in the scratch now');
      growMemory();
      expect(filter.has(key)).toBe(true);
      growMemory();
      expect(hashKey(key)).toBe(hashKey(utf8(key)));
      growMemory();
      expect(hashKeys([key, key])[1]).toBe(hashKey(utf8(key)));
    }
  });
});

describe('batches', () => {
  test('have three bytes a unit of room, and no byte more is touched', () => {
    // The scratch has 128 KiB, and the offsets of the keys lie behind it.
    for (const kind of ['\u6f22', '\u00e9', 'a']) {
      for (const length of [11, 31, 199, 641, 999, 1000, 1001]) {
        const keys = Array.from({ length: 300 }, (_, i) => `${i % 7}${kind.repeat(length - 1)}`);
        const expected = keys.slice(0, 7).map((key) => hashKey(utf8(key)));
        expect(hashKeys(keys).every((hash, i) => hash === expected[i % 7])).toBe(true);
      }
    }
  });

  test('of ASCII are joined without a look at their characters, which would flatten ropes', () => {
    const { charCodeAt } = String.prototype;
    let looks = 0;
    String.prototype.charCodeAt = function (at) {
      looks++;
      return charCodeAt.call(this, at);
    };
    try {
      const keys = Array.from({ length: 1000 }, (_, i) => `https://example.com/${i}`);
      hashKeys(keys);
      const filter = BloomFilter.from(keys);
      filter.hasMany(keys);
    } finally {
      String.prototype.charCodeAt = charCodeAt;
    }
    expect(looks).toBe(0);
  });

  test('of another script, of a few such keys and of none follow one another', () => {
    const share = (every: number) =>
      Array.from({ length: 3000 }, (_, i) => (i % every === 0 ? `\u6f22${i}` : `key ${i}`));
    for (const every of [1, 2, 100, 1e9, 7, 1e9, 1]) {
      const keys = share(every);
      expect(hashKeys(keys)).toEqual(hashKeys(keys.map(utf8)));
    }
  });
});

describe('the helper', () => {
  /** Looks up keys of every length before `spoil`, which may replace parts of WebAssembly, and prints the answers. */
  const askAfter = (spoil: string) =>
    runModule(`
      ${spoil}
      const { BloomFilter, hashKey } = await import('tamis');
      const filter = new BloomFilter({ capacity: 100, fpr: 1e-9 });
      const keys = ['', 'a', 'sixteen of these', 'x'.repeat(32), '\u00e9\u6f22', 'y'.repeat(1000)];
      const told = keys.map((key) => [filter.has(key), filter.add(key), filter.has(key)].join());
      const twins = keys.map((key) => hashKey(key) === hashKey(new TextEncoder().encode(key)));
      console.log([...new Set(told), ...new Set(twins)].join(' '));
      if (globalThis.stop) {
        const codes = new Set();
        globalThis.stop(true);
        for (const key of keys) {
          for (const act of [() => filter.has(key), () => filter.add(key), () => hashKey(key)]) {
            try { codes.add(String(act())); } catch ({ code }) { codes.add(code); }
            globalThis.stop(false);
          }
        }
        console.log([...codes].join());
      }`);

  test('is done without where the engine refuses to make it', async () => {
    const spoil = `
      WebAssembly.Module = new Proxy(WebAssembly.Module, { construct(target, [bytes, options]) {
        if (options) throw new WebAssembly.CompileError('a policy');
        return new target(bytes);
      } });`;
    expect(await askAfter(spoil)).toBe('false,true,true true\n');
  });

  test('is done without where the builtins are ignored, whatever a page calls one', async () => {
    const spoil = `
      WebAssembly.Module = new Proxy(WebAssembly.Module, {
        construct: (target, [bytes]) => new target(bytes),
      });
      Object.prototype['wasm:js-string'] = { intoCharCodeArray: () => 0 };`;
    expect(await askAfter(spoil)).toBe('false,true,true true\n');
  });

  test('is made without the options that a page put on Object.prototype', async () => {
    const spoil = `
      Object.prototype.importedStringConstants = 'core';
      Object.prototype.builtins = ['js-string'];
      Object.prototype.core = { memory: 5, scratch: 'x' };`;
    expect(await askAfter(spoil)).toBe('false,true,true true\n');
  });

  // Written in JavaScript here, so that it runs on engines without builtins too.
  test('goes with the core where that stops', async () => {
    const spoil = `
      const { Module, Instance } = WebAssembly;
      let isBroken = false;
      globalThis.stop = (broken) => { isBroken = broken; };
      let helped = 0;
      const helper = ({ core }) => {
        const write = (text, address) =>
          new TextEncoder().encodeInto(text, new Uint8Array(core.memory.buffer, address, 4000)).written;
        const put = (text) => {
          helped++;
          if (isBroken) throw new WebAssembly.RuntimeError('unreachable');
          return write(text, core.scratch);
        };
        const has = (handle, text) => core._tamis_has(handle, core.scratch, put(text));
        const ask = (operation, handle, text) =>
          core._tamis_ask(handle, operation, core.scratch, put(text));
        return { exports: { write, has, ask } };
      };
      WebAssembly.Module = new Proxy(Module, {
        construct: (target, [bytes, options]) => (options ? { isHelper: true } : new target(bytes)),
      });
      WebAssembly.Instance = new Proxy(Instance, { construct(target, [module, imports]) {
        return module.isHelper ? helper(imports) : new target(module, imports);
      } });
      process.once('exit', () => console.log(helped > 10));
`;
    const lines = (await askAfter(spoil)).trim();
    expect(lines.split('\n')).toEqual(['false,true,true true', 'ERR_TAMIS_INTERNAL', 'true']);
  });
});
