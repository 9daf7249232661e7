/** From import to dispose: nothing happens early, nothing is left behind, and no disposed structure answers. */
import { describe, expect, test } from '@jest/globals';
import { BitArray, BloomFilter, fromBytes } from 'tamis';

import type { StructureCase } from '../js/classes.js';
import { KEY, members, ofEachType, structureCases } from '../js/classes.js';
import { expectSame } from '../js/support/bytes.js';
import { runModule } from '../js/support/child.js';
import { expectCode, rejection } from '../js/support/errors.js';

/** Arguments that a member takes; members that are not listed take none. */
function argumentsFor(one: StructureCase, member: string): unknown[] {
  const other = one.make(5);
  const byName: Readonly<Record<string, unknown[]>> = {
    add: ['a'],
    delete: ['a'],
    addIfAbsent: ['a'],
    countOf: ['a'],
    counterAt: [0],
    isDeletable: ['a'],
    isLocked: [0],
    subtract: [other],
    advance: [0],
    get: ['a'],
    getMany: [['a']],
    has: [one.type === 'bit-array' ? 0 : 'a'],
    addMany: [['a']],
    hasMany: [['a']],
    addHashes: [new BigUint64Array(1)],
    hasHashes: [new BigUint64Array(1)],
    positions: ['a'],
    bitAt: [0],
    set: [0],
    toggle: [0],
    unset: [0],
    equals: [other],
    merge: [other],
    intersect: [other],
    jaccard: [other],
    estimateIntersection: [other],
    addFrom: [
      (async function* () {
        yield 'a';
      })(),
    ],
  };
  return byName[member] ?? [];
}

/** Calls that a structure without keys refuses, before and after `dispose()`. */
const refused: Readonly<Record<string, readonly string[]>> = {
  'bit-array': ['hasMany'],
  iblt: ['has', 'hasMany'],
};

const cases = ofEachType(structureCases).map((one) => [one.label, one] as const);

describe.each(cases)('%s', (_label, one) => {
  test('dispose may be called twice', () => {
    const made = one.make(5);
    expect(made.dispose()).toBeUndefined();
    expect(made.dispose()).toBeUndefined();
  });

  test('after dispose every member throws DISPOSED', async () => {
    const made = one.make(5) as unknown as Record<string, unknown>;
    const prototypes: object[] = [];
    for (let p = Object.getPrototypeOf(made) as object; p !== Object.prototype; ) {
      prototypes.push(p);
      p = Object.getPrototypeOf(p) as object;
    }
    (made as unknown as { dispose(): void }).dispose();
    const free = new Set(['constructor', 'dispose', 'type']);
    let tried = 0;
    for (const prototype of prototypes) {
      for (const [member, descriptor] of Object.entries(
        Object.getOwnPropertyDescriptors(prototype),
      )) {
        if (free.has(member)) continue;
        tried++;
        if (descriptor.get !== undefined) {
          expectCode(() => made[member], 'DISPOSED');
        } else {
          const call = made[member] as (...args: unknown[]) => unknown;
          const result = (async () => call.apply(made, argumentsFor(one, member)))();
          const error = await rejection(result);
          const isRefused = refused[one.type]?.includes(member);
          const code = isRefused ? 'ERR_TAMIS_UNSUPPORTED' : 'ERR_TAMIS_DISPOSED';
          if (error.code !== code) throw new Error(`${member}: ${error.code}`);
        }
      }
    }
    expect(tried).toBeGreaterThan(10);
  });

  test('a disposed partner is refused, and nothing changed', () => {
    const made = one.make(5);
    const gone = one.make(5);
    const before = made.toBytes();
    gone.dispose();
    for (const member of ['merge', 'intersect', 'subtract']) {
      const call = (made as unknown as Record<string, unknown>)[member];
      if (typeof call === 'function') expectCode(() => call.call(made, gone), 'DISPOSED');
    }
    expectSame(made.toBytes(), before);
  });

  test('using disposes at the end of the block, also by a throw', () => {
    let kept: { toBytes(): Uint8Array };
    {
      using made = one.make(5);
      kept = made;
      expect(made.toBytes().length).toBeGreaterThan(64);
    }
    expectCode(() => kept.toBytes(), 'DISPOSED');
    const failure = new Error('mine');
    expect(() => {
      using made = one.make(5);
      kept = made;
      throw failure;
    }).toThrow(failure);
    expectCode(() => kept.toBytes(), 'DISPOSED');
  });

  test('a stale one does not reach what took its place', () => {
    const stale = one.make(5);
    stale.dispose();
    const fresh = Array.from({ length: 20 }, () => one.make(6));
    const bytes = fresh.map((filter) => filter.toBytes());
    expectCode(() => stale.toBytes(), 'DISPOSED');
    stale.dispose();
    expect(fresh.map((filter) => filter.toBytes())).toEqual(bytes);
  });

  test('toBytes is a copy of its own, and so is what fromBytes read', () => {
    const made = one.make(40);
    const bytes = made.toBytes();
    const kept = bytes.slice();
    expect(bytes.byteOffset).toBe(0);
    expect(bytes.buffer.byteLength).toBe(bytes.length);
    const loaded = one.Class.fromBytes(bytes, one.load);
    bytes.fill(0xff);
    expectSame(made.toBytes(), kept);
    expectSame(loaded.toBytes(), kept);
    loaded.validate();
    const sent = loaded.toBytes();
    structuredClone(sent.buffer, { transfer: [sent.buffer] });
    expect(sent.length).toBe(0);
    expectSame(loaded.toBytes(), kept);
  });

  test('answers do not change while the memory grows', () => {
    const made = one.make(100);
    const bytes = made.toBytes();
    const grown: BitArray[] = [];
    for (let i = 0; i < 6; i++) {
      grown.push(new BitArray(2 ** 25 + i));
      expectSame(made.toBytes(), bytes);
      made.validate();
      const loaded = one.Class.fromBytes(bytes, one.load);
      expectSame(loaded.toBytes(), bytes);
      loaded.dispose();
    }
    for (const big of grown) big.dispose();
    expectSame(made.toBytes(), bytes);
  });
});

test('a batch goes on while its iterator makes the memory grow', () => {
  const keys = members(4000);
  const filter = new BloomFilter({ capacity: 4000 });
  const grown: BitArray[] = [];
  function* source(): Generator<string> {
    for (const [i, key] of keys.entries()) {
      if (i % 1000 === 500) grown.push(new BitArray(2 ** 26));
      yield key;
    }
  }
  filter.addMany(source());
  const twin = new BloomFilter({ capacity: 4000 });
  twin.addMany(keys);
  expectSame(filter.toBytes(), twin.toBytes());
  expect(filter.hasMany(source())).toEqual(new Uint8Array(4000).fill(1));
  for (const big of grown) big.dispose();
});

describe('in a process of its own', () => {
  test('import starts nothing: a module that cannot be made is missed at the first use', async () => {
    const out = await runModule(`
      let made = 0;
      const refuse = () => { made++; throw new WebAssembly.CompileError('blocked by policy'); };
      WebAssembly.Module = new Proxy(WebAssembly.Module, { construct: refuse });
      WebAssembly.Instance = new Proxy(WebAssembly.Instance, { construct: refuse });
      WebAssembly.compile = async () => refuse();
      WebAssembly.instantiate = async () => refuse();
      globalThis.location = new URL('https://page.example/');
      const before = Object.getOwnPropertyNames(globalThis).join();
      const { BloomFilter, key, bloomSizing, TamisError } = await import('tamis');
      console.log(made, before === Object.getOwnPropertyNames(globalThis).join());
      for (let i = 0; i < 2; i++) {
        try { new BloomFilter({ capacity: 10 }); } catch (error) {
          console.log(error instanceof TamisError, error.code, error.message.includes('wasm-unsafe-eval'));
        }
      }
      console.log(made > 0);
    `);
    const blocked = 'true ERR_TAMIS_WASM_BLOCKED true';
    expect(out.trim().split('\n')).toEqual(['0 true', blocked, blocked, 'true']);
  });

  test('a module that cannot be instantiated is blocked too, as under a policy in WebKit', async () => {
    const out = await runModule(`
      const refuse = () => { throw new WebAssembly.CompileError('Refused to create a WebAssembly object'); };
      WebAssembly.Instance = new Proxy(WebAssembly.Instance, { construct: refuse });
      const { BloomFilter, init } = await import('tamis');
      const module = new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));
      for (const start of [() => new BloomFilter({ capacity: 10 }), () => init(), () => init({ module })]) {
        try { await start(); } catch ({ code, cause }) { console.log(code, cause.name); }
      }
    `);
    expect(out.trim().split('\n')).toEqual(Array(3).fill('ERR_TAMIS_WASM_BLOCKED CompileError'));
  });

  test('where there is no page, the advice for a blocked module speaks of none', async () => {
    const out = await runModule(`
      const refuse = () => { throw new WebAssembly.CompileError('disallowed by embedder'); };
      WebAssembly.Module = new Proxy(WebAssembly.Module, { construct: refuse });
      const { BloomFilter } = await import('tamis');
      try { new BloomFilter({ capacity: 10 }); } catch (error) {
        console.log(error.code, /page|header|policy/i.test(error.message),
          error.message.includes('workerd'), error.message.includes('init({ module })'));
      }
    `);
    expect(out.trim()).toBe('ERR_TAMIS_WASM_BLOCKED false true true');
  });

  test('an engine without finalizers does without', async () => {
    const out = await runModule(`
      delete globalThis.FinalizationRegistry;
      const { BloomFilter } = await import('tamis');
      const filter = new BloomFilter({ capacity: 10 });
      filter.add('a');
      console.log(filter.has('a'));
      filter.dispose();
      try { filter.has('a'); } catch ({ code }) { console.log(code); }
    `);
    expect(out.trim().split('\n')).toEqual(['true', 'ERR_TAMIS_DISPOSED']);
  });

  test('an engine without SIMD is told apart from a blocked one', async () => {
    const out = await runModule(`
      WebAssembly.Module = new Proxy(WebAssembly.Module, {
        construct() { throw new WebAssembly.CompileError('invalid opcode'); } });
      WebAssembly.validate = () => false;
      const { BloomFilter } = await import('tamis');
      try { new BloomFilter({ capacity: 10 }); } catch (error) {
        console.log(error.code, /SIMD/.test(error.message));
      }
    `);
    expect(out.trim()).toBe('ERR_TAMIS_UNSUPPORTED true');
  });

  test('making and disposing again and again takes no more memory', async () => {
    const out = await runModule(`
      const memories = [];
      const Instance = WebAssembly.Instance;
      WebAssembly.Instance = new Proxy(Instance, { construct(target, args) {
        const made = new target(...args);
        for (const value of Object.values(made.exports)) {
          if (value instanceof WebAssembly.Memory) memories.push(value);
        }
        return made;
      } });
      const { BloomFilter, BitArray } = await import('tamis');
      const round = () => {
        const filter = new BloomFilter({ capacity: 5000 });
        filter.addMany(['a', 'b', 'c'.repeat(5000)]);
        const bytes = filter.toBytes();
        const loaded = BloomFilter.fromBytes(bytes);
        const copy = loaded.clone();
        copy.merge(filter);
        bytes[70] ^= 1;
        try { BloomFilter.fromBytes(bytes); console.log('accepted'); } catch {}
        try { new BitArray(2 ** 33); console.log('made'); } catch {}
        for (const one of [filter, loaded, copy]) one.dispose();
      };
      for (let i = 0; i < 20; i++) round();
      const before = memories[0].buffer.byteLength;
      for (let i = 0; i < 1000; i++) round();
      console.log(memories.length, memories[0].buffer.byteLength - before);
    `);
    expect(out.trim()).toBe('1 0');
  });

  test('what was forgotten is freed after the garbage collection', async () => {
    const out = await runModule(
      `
      import { BitArray } from 'tamis';
      // 5 GiB in all, 32 MiB at a time: without the collector's help the memory's 4 GiB would end.
      const wait = () => new Promise((resolve) => setTimeout(resolve, 0));
      let made = 0;
      for (let i = 0; i < 160; i++) {
        (() => { new BitArray(2 ** 28 - 64 * i).set(i); made++; })();
        globalThis.gc();
        await wait();
      }
      console.log(made);
    `,
      ['--expose-gc'],
    );
    expect(out.trim()).toBe('160');
  });

  test('no memory left is OUT_OF_MEMORY, and what there was still answers', async () => {
    const out = await runModule(`
      // An engine that has 64 MiB to give, and no more.
      import { readFileSync } from 'node:fs';
      import { fileURLToPath } from 'node:url';
      import { BitArray, BloomFilter, fromBytes, init } from 'tamis';
      import { withMaxPages } from './tests/js/support/max-pages.mjs';
      const core = readFileSync(fileURLToPath(import.meta.resolve('tamis/core.wasm')));
      await init({ bytes: withMaxPages(core, 1024) });
      const filter = new BloomFilter({ capacity: 1000 });
      filter.addMany(['a', 'b']);
      const bytes = filter.toBytes();
      const held = [];
      // What was never disposed of: the filter, and the bit arrays of 8 MiB each.
      const told = ({ message }) => {
        const [, live, bytes] =
          /.using.+.tamis.read.: (\\d+) structures are left, in (\\d+) bytes$/.exec(message);
        return Number(live) === held.length + 1 && bytes > 2 ** 23 * held.length && bytes <= 2 ** 26;
      };
      const attempt = (action) => {
        try { action(); console.log('done'); } catch (error) { console.log(error.code, told(error)); }
      };
      attempt(() => { for (let i = 0; i < 100; i++) held.push(new BitArray(2 ** 26)); });
      console.log(held.length > 2 && held.length < 9);
      attempt(() => new BloomFilter({ bits: 2 ** 30, hashes: 3 }));
      attempt(() => filter.has('x'.repeat(2 ** 26)));
      attempt(() => held[0].clone() && held[0].toBytes());
      console.log(filter.has('a'), filter.has('c'));
      held.pop().dispose();
      console.log(Buffer.compare(fromBytes(bytes).toBytes(), filter.toBytes()), filter.add('c'));
    `);
    const none = 'ERR_TAMIS_OUT_OF_MEMORY true';
    expect(out.trim().split('\n')).toEqual([
      none,
      'true',
      none,
      none,
      none,
      'true false',
      '0 true',
    ]);
  });

  test('a trap poisons the runtime: nothing answers any more', async () => {
    const out = await runModule(`
      // A function that traps takes the place of the memory's look-up, after a filter was made.
      let broken = false;
      const Instance = WebAssembly.Instance;
      WebAssembly.Instance = new Proxy(Instance, { construct(target, args) {
        const made = new target(...args);
        const exports = {};
        for (const [name, value] of Object.entries(made.exports)) {
          exports[name] = typeof value !== 'function' ? value : (...values) => {
            if (broken) throw new WebAssembly.RuntimeError('unreachable');
            return value(...values);
          };
        }
        return new Proxy(made, { get: (from, name) => (name === 'exports' ? exports : from[name]) });
      } });
      const { BloomFilter, init } = await import('tamis');
      const { readFileSync } = await import('node:fs');
      const bytes = readFileSync(new URL(import.meta.resolve('tamis/core.wasm')));
      // It has loaded its module only after the trap.
      const late = init({ bytes });
      const filter = new BloomFilter({ capacity: 100 });
      const other = new BloomFilter({ capacity: 100 });
      filter.add('a');
      const codes = [];
      const attempt = (action) => {
        try { codes.push(String(action())); } catch (error) {
          codes.push(error.code + (error.cause instanceof WebAssembly.RuntimeError ? ' with cause' : ''));
        }
      };
      broken = true;
      attempt(() => filter.has('a'));
      broken = false;
      attempt(() => filter.has('a'));
      attempt(() => other.add('a'));
      attempt(() => new BloomFilter({ capacity: 5 }));
      await late.catch((error) => attempt(() => { throw error; }));
      attempt(() => filter.has('a'));
      console.log(codes.join());
    `);
    expect(out.trim().split(',')).toEqual(Array(6).fill('ERR_TAMIS_INTERNAL with cause'));
  });
});

test('a key is not left in what a keyed filter gives away', () => {
  const filter = new BloomFilter({ capacity: 10, secret: KEY });
  const shown = JSON.stringify(filter) + Object.keys(filter).join() + filter.toString();
  for (const form of ['hex', 'base64', 'latin1'] as const) {
    expect(shown).not.toContain(Buffer.from(KEY).toString(form));
  }
  expect(Object.keys(filter)).toEqual([]);
  const again = fromBytes(filter.toBytes(), { secret: KEY });
  expectSame(again.toBytes(), filter.toBytes());
});
