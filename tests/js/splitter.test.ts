// The splitter of js/scripts/wasm: what it makes of a small module that Emscripten links, each thing that it must
// refuse, and the parts of the build.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { frequent } from '../../js/src/wasm/alphabet.js';
import { decode } from '../../js/src/wasm/text.js';
import { modulesOf, partNamesOf, readPart } from './support/parts.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const scripts = `${root}js/scripts/wasm/`;
const { Cursor, name, number, patch, signed, sized, vector } = await import(`${scripts}bytes.mjs`);
const { readLinkedModule } = await import(`${scripts}linked-module.mjs`);
const { split, whole } = await import(`${scripts}split.mjs`);
const { alphabetModule, orderOf, textOf } = await import(`${scripts}text.mjs`);
const { writePart } = await import(`${scripts}write-part.mjs`);

describe('numbers and names', () => {
  test('are read as they were written', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 32 - 1), fc.integer(), fc.string(), (count, value, text) => {
        const bytes = Buffer.concat([number(count), signed(value), name(text), sized(name(text))]);
        const cursor = new Cursor(bytes);
        const size = number(Buffer.byteLength(text)).length + Buffer.byteLength(text);
        expect([cursor.number(), cursor.signed(), cursor.name()]).toEqual([count, value, text]);
        expect([cursor.number(), cursor.name(), cursor.at]).toEqual([size, text, bytes.length]);
      }),
    );
  });

  test('are of the fewest bytes, and one is patched into five', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 32 - 1), (value) => {
        expect(number(value)).toHaveLength(Math.max(1, Math.ceil((32 - Math.clz32(value)) / 7)));
        const bytes = Buffer.alloc(7, 0xee);
        patch(bytes, 1, value);
        expect(bytes[0]).toBe(0xee);
        const cursor = new Cursor(bytes, 1);
        expect([cursor.number(), cursor.at, bytes[6]]).toEqual([value, 6, 0xee]);
      }),
    );
  });

  test('vectors have their length in front', () => {
    const cursor = new Cursor(vector([number(300), number(1)]));
    expect(cursor.vector(() => cursor.number())).toEqual([300, 1]);
    expect(() => cursor.expect(0, 'an end')).toThrow('an end expected');
  });
});

let linked: Buffer;

beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), 'splitter-'));
  const out = join(folder, 'linked.wasm');
  // As bindings/CMakeLists.txt links.
  const options = ['-O1', '-fno-inline', '-mmutable-globals', '-sMALLOC=none', '-sWASM_BIGINT=1'];
  const wish = '-Wl,--emit-relocs,--no-demangle,--export=__stack_pointer,--no-entry';
  const source = `${root}tests/js/support/linked.c`;
  try {
    const args = [...options, source, '--oformat=bare', wish, '-o', out];
    execFileSync('emcc', args, { stdio: ['ignore', 'inherit', 'ignore'] });
    linked = readFileSync(out);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

const startOf = (type: string) => new RegExp(`^__embind_init_${type}$`);
const parts = {
  ribbon: { words: { tamis_entries: [1] }, constructors: startOf('ribbon') },
  exact: { words: { tamis_entries: [2] }, constructors: startOf('exact') },
  cuckoo: {
    words: { tamis_entries: [3] },
    constructors: startOf('cuckoo'),
    exports: /^tamis_cuckoo/,
  },
};
type Type = keyof typeof parts;
const types = Object.keys(parts) as Type[];
interface Made {
  readonly wasm: Buffer<ArrayBuffer>;
  readonly needs: readonly string[];
}
const cut = (given: object = parts, bytes = linked): Map<string, Made> =>
  split(readLinkedModule(bytes), given);

/** A base that has started, and a way to load parts, as js/src/core/border/runtime.ts does. */
function start(modules: Map<string, Made>) {
  const make = (part: string, env: WebAssembly.ModuleImports) => {
    const module = new WebAssembly.Module((modules.get(part) as Made).wasm);
    return new WebAssembly.Instance(module, { env }).exports as Record<string, () => number>;
  };
  const now = () => 5;
  let all: WebAssembly.ModuleImports = { now, ...make('base', { now }) };
  const call = (what: string, ...numbers: number[]) =>
    (all[what] as (...numbers: number[]) => number)(...numbers);
  call('__wasm_call_ctors');
  const loaded = new Set(['base']);
  const load = (part: string, needs = (modules.get(part) as Made).needs) => {
    if (loaded.has(part)) return;
    for (const needed of needs) load(needed);
    all = { ...all, ...make(part, all) };
    loaded.add(part);
  };
  const nameOf = (type: number) => {
    const bytes = new Uint8Array(
      (all.memory as WebAssembly.Memory).buffer,
      call('tamis_name', type),
    );
    return Buffer.from(bytes.subarray(0, bytes.indexOf(0))).toString();
  };
  return { call, load, nameOf, all: () => all };
}

const answers: Record<Type, number> = { ribbon: 507, exact: 514, cuckoo: 21 };
const orders = types.flatMap((first, i, all) => {
  const rest = all.toSpliced(i, 1);
  return [
    [first, ...rest],
    [first, ...rest.toReversed()],
  ];
});

describe('a module that is cut', () => {
  test('is a base, a part per type, and what two and what all types share', () => {
    const needs = [...cut()].map(([part, made]) => [part, [...made.needs].sort()]);
    expect(Object.fromEntries(needs)).toEqual({
      base: [],
      ribbon: ['retrieval'],
      exact: ['retrieval'],
      cuckoo: ['filters'],
      retrieval: ['filters'],
      filters: [],
    });
  });

  test.each(orders)('answers when its parts come as %s, %s, %s', (...order) => {
    const { call, load, nameOf, all } = start(cut());
    expect(call('tamis_started')).toBe(5);
    const come = new Set<Type>();
    for (const next of order) {
      load(next);
      come.add(next);
      for (const [i, type] of types.entries()) {
        expect(call('tamis_ask', i + 1)).toBe(come.has(type) ? answers[type] : -1);
        if (come.has(type)) expect(nameOf(i + 1)).toBe(type);
      }
      expect('tamis_cuckoo_only' in all()).toBe(come.has('cuckoo'));
    }
    expect(call('tamis_cuckoo_only')).toBe(3);
    // Each constructor has run once.
    expect(call('tamis_started')).toBe(5 + 50 + 500);
  });

  test('refuses a part that comes before what it needs', () => {
    const { call, load } = start(cut());
    expect(() => load('ribbon', [])).toThrow(WebAssembly.LinkError);
    expect(call('tamis_ask', 1)).toBe(-1);
  });

  test('is in one piece without its relocations', () => {
    const { call, nameOf } = start(
      new Map([['base', { wasm: whole(readLinkedModule(linked)), needs: [] }]]),
    );
    for (const [i, type] of types.entries()) {
      expect([call('tamis_ask', i + 1), nameOf(i + 1)]).toEqual([answers[type], type]);
    }
    expect(call('tamis_started')).toBe(555);
  });

  test('refers to no function that is elsewhere', () => {
    const module = readLinkedModule(linked);
    const write = (name: string) =>
      writePart(module, {
        functions: module.functions.filter((made: { name: string }) => made.name === name),
        data: [],
        isOurs: () => false,
        words: [],
        exports: module.exports.filter(({ kind }: { kind: number }) => kind === 0),
        shortNames: new Map(),
      });
    expect(() => write('of_two')).toThrow('nothing exports of_all');
    expect(() => write('of_all')).toThrow(/function \d+ is not in the module/);
  });
});

describe('what is refused', () => {
  /** Where a custom section's content begins. */
  function contentOf(bytes: Buffer, wanted: string): number {
    const cursor = new Cursor(bytes, 8);
    for (;;) {
      const id = cursor.byte();
      const end = cursor.number() + cursor.at;
      if (id === 0 && cursor.name() === wanted) return cursor.at;
      cursor.at = end;
    }
  }

  /** Where the symbol's kind, flags, offset and size lie, each in the fewest bytes. */
  function symbolOf(bytes: Buffer, symbol: string) {
    const text = bytes.indexOf(name(symbol), contentOf(bytes, 'linking'));
    const cursor = new Cursor(bytes, text);
    cursor.name();
    cursor.number();
    cursor.number();
    return { flagsEnd: text - 1, size: cursor.at };
  }

  function changed(change: (bytes: Buffer) => void): Buffer {
    const bytes = Buffer.from(linked);
    change(bytes);
    return bytes;
  }

  test.each<[string, (bytes: Buffer) => void, RegExp]>([
    [
      'a relocation of a type that is not known',
      (bytes) => {
        const cursor = new Cursor(bytes, contentOf(bytes, 'reloc.CODE'));
        cursor.number();
        cursor.number();
        bytes[cursor.at] = 9;
      },
      /relocation 9 is not known/,
    ],
    [
      'a byte of data that no symbol covers',
      (bytes) => {
        bytes[symbolOf(bytes, 'covered').size] = 4;
      },
      /no symbol covers the byte at \d+/,
    ],
    [
      'an absolute symbol',
      (bytes) => {
        // It is kept and so has flags of two bytes; this is 0x200.
        const at = symbolOf(bytes, 'covered').flagsEnd;
        bytes.writeUInt8(bytes.readUInt8(at) | 4, at);
      },
      /covered is absolute/,
    ],
    [
      'another version of the section of symbols',
      (bytes) => {
        bytes[contentOf(bytes, 'linking')] = 3;
      },
      /another version of the linking section/,
    ],
    [
      'a link without the table of types',
      (bytes) => bytes.write('other', bytes.indexOf('tamis_entries', contentOf(bytes, 'linking'))),
      /the link has no tamis_entries/,
    ],
  ])('%s', (_what, change, message) => {
    const bytes = changed(change);
    expect(bytes.equals(linked)).toBe(false);
    expect(() => cut(parts, bytes)).toThrow(message);
  });

  const { ribbon, exact } = parts;
  test.each<[string, object, RegExp]>([
    ['a type without a part', { ribbon, exact }, /no part for the words 3 of tamis_entries/],
    [
      'a part of a type that is not there',
      { ...parts, iblt: { words: { tamis_entries: [14] }, constructors: /none/ } },
      /tamis_entries has no word 14/,
    ],
    [
      "a constructor that is nobody's",
      { ...parts, ribbon: { words: { tamis_entries: [1] } } },
      /whose constructor is __embind_init_ribbon\?/,
    ],
    [
      'two constructors of one part',
      {
        exact,
        cuckoo: {
          words: { tamis_entries: [1, 3] },
          constructors: /^__embind_init_(ribbon|cuckoo)$/,
        },
      },
      /cuckoo has two constructors/,
    ],
  ])('%s', (_what, given, message) => {
    expect(() => cut(given)).toThrow(message);
  });
});

describe.each([
  { folder: 'parts', prefix: '' },
  { folder: 'readers', prefix: 'read-' },
] as const)('the $folder of the build', ({ folder, prefix }) => {
  const read = (name: string) => readFileSync(`${root}dist/wasm/${name}.wasm`);
  const names = readdirSync(`${root}dist/wasm`)
    .filter((file) => file.endsWith('.wasm') && file.startsWith('read-') === (prefix !== ''))
    .map((file) => basename(file, '.wasm').slice(prefix.length));
  const inPieces = names.filter((name) => name !== 'core');

  test('are those that the sources name', () => {
    expect(names.includes('core')).toBe(folder === 'parts');
    expect(inPieces.sort()).toEqual(partNamesOf(folder).sort());
  });

  test.each(inPieces)('%s imports what the base and its needs have', (part) => {
    const module = (name: string) => new WebAssembly.Module(read(`${prefix}${name}`));
    const there = [
      ...(folder === 'parts'
        ? WebAssembly.Module.imports(module('core'))
        : [{ name: 'emscripten_notify_memory_growth' }]),
      ...[...modulesOf(part, folder), 'base']
        .filter((name) => name !== part)
        .flatMap((name) => WebAssembly.Module.exports(module(name))),
    ].map(({ name }) => name);
    for (const { module: from, name } of WebAssembly.Module.imports(module(part))) {
      expect(from).toBe('env');
      expect(there).toContain(name);
    }
  });

  /** The bytes of the module's data that are not zero, by their addresses. */
  function memoryOf(wasm: Buffer): Map<number, number> {
    const cursor = new Cursor(wasm, 8);
    const memory = new Map<number, number>();
    while (cursor.at < wasm.length) {
      const id = cursor.byte();
      const end = cursor.number() + cursor.at;
      if (id === 11) {
        cursor.vector(() => {
          cursor.expect(0, 'an active segment');
          cursor.expect(0x41, 'a constant');
          const address = cursor.signed();
          cursor.expect(0x0b, 'its end');
          for (let i = 0, size = cursor.number(); i < size; i++) {
            const byte = cursor.byte();
            if (byte !== 0) memory.set(address + i, byte);
          }
        });
      }
      cursor.at = end;
    }
    return memory;
  }

  test('have each byte of the data once', () => {
    const all = new Map<number, number>();
    for (const part of inPieces) {
      for (const [address, byte] of memoryOf(read(`${prefix}${part}`))) {
        expect(`${part}: ${all.get(address)}`).toBe(`${part}: undefined`);
        all.set(address, byte);
      }
    }
    expect(all.size).toBeGreaterThan(400);
    if (folder === 'readers') return;
    expect([...all].sort(([one], [other]) => one - other)).toEqual([...memoryOf(read('core'))]);
  });

  test.each(inPieces)('%s is the text of its module', async (part) => {
    const { code } = await readPart(part, folder);
    expect(Buffer.from(decode(code)).equals(read(`${prefix}${part}`))).toBe(true);
  });

  test('are texts by a table that has every byte', () => {
    const isFrequent = (byte: number) =>
      (Number.parseInt(frequent[byte >> 2] as string, 16) >> (byte & 3)) & 1;
    const values = Array.from({ length: 256 }, (_, byte) => byte);
    // What is more frequent comes first: so the same order is found again.
    const order = orderOf([values.filter(isFrequent)]);
    expect(alphabetModule(order)).toContain(`'${frequent}'`);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 1000 }), (bytes) => {
        expect(decode(textOf(bytes, order))).toEqual(bytes);
      }),
    );
    expect(decode(textOf(values, order))).toEqual(Uint8Array.from(values));
  });
});
