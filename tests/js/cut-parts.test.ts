// The folder of parts that the cutter of js/scripts/wasm leaves, and the parts of the build.

import { createHash } from 'node:crypto';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { frequent } from '../../js/src/wasm/alphabet.js';
import { decode } from '../../js/src/wasm/text.js';
import { fc } from './support/fast-check.js';
import { link, type Made, scripts, start } from './support/linked.js';
import { modulesOf, partNames, readPart } from './support/parts.js';

const { Reader } = await import(`${scripts}binary.mjs`);
const { makeParts, readParts } = await import(`${scripts}parts.mjs`);
const { figuresModule, registryModule } = await import(`${scripts}registry.mjs`);
const { alphabetModule, orderOf, textOf } = await import(`${scripts}text.mjs`);

describe('the folder of parts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parts-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const [from, made, parts] = ['links', 'made', 'parts'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const list = join(parts, 'parts.json');
  beforeAll(() => {
    mkdirSync(from);
    writeFileSync(join(from, 'core.wasm'), link());
    makeParts(from, made);
  });
  beforeEach(() => cpSync(made, parts, { recursive: true }));

  test('is read as it was made', () => {
    const { emscripten, parts: read } = readParts(parts);
    expect(emscripten).toMatch(/^\d+\.\d+\.\d+/);
    const names = read.map((part: { name: string }) => part.name).sort();
    const expected = ['base', 'cuckoo', 'exact', 'filters', 'retrieval', 'ribbon', undefined];
    expect(names).toEqual(expected);
    for (const { wasm } of read) expect(WebAssembly.validate(wasm)).toBe(true);
    const { call, load } = start(
      new Map(read.map((part: Made & { name: string }) => [part.name, part])),
    );
    load('cuckoo');
    expect(call('_ask', 3)).toBe(1021);
  });

  test('must have each file as its list says', () => {
    const file = join(parts, 'cuckoo.wasm');
    const bytes = readFileSync(file);
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
    writeFileSync(file, bytes);
    expect(() => readParts(parts)).toThrow(/cuckoo\.wasm does not have the SHA-256/);
    rmSync(file);
    expect(() => readParts(parts)).toThrow(/cuckoo\.wasm/);
    rmSync(list);
    expect(() => readParts(parts)).toThrow(/parts\.json/);
  });

  test('must be of the same numbers of the border', () => {
    const listed = JSON.parse(readFileSync(list, 'utf8'));
    const digest = createHash('sha256').update(registryModule() + figuresModule());
    expect(listed.border).toBe(digest.digest('hex'));
    writeFileSync(list, JSON.stringify({ ...listed, border: listed.border.replace(/^./, 'x') }));
    expect(() => readParts(parts)).toThrow(/made from other \.def files/);
  });
});

const dist = new URL('../../dist/wasm/', import.meta.url);

describe('the parts of the build', () => {
  const read = (name: string) => readFileSync(new URL(`${name}.wasm`, dist));
  const module = (name: string) => new WebAssembly.Module(read(name));
  const names = readdirSync(dist)
    .filter((file) => file.endsWith('.wasm'))
    .map((file) => basename(file, '.wasm'));
  const inPieces = names.filter((name) => name !== 'core');
  /** The imports that the loader provides. */
  const env = { _embind_register_function() {} };

  test('are those that the sources name', () => {
    expect(inPieces.sort()).toEqual([...partNames].sort());
  });

  test('have a base that imports what the loader gives', () => {
    const imports = WebAssembly.Module.imports(module('base'));
    expect(imports.map(({ name }) => name)).toEqual(Object.keys(env));
  });

  test.each(inPieces)('%s imports what the base and its needs have', (part) => {
    const there = [...modulesOf(part), 'base']
      .filter((name) => name !== part)
      .flatMap((name) => WebAssembly.Module.exports(module(name)))
      .map(({ name }) => name);
    for (const { module: from, name } of WebAssembly.Module.imports(module(part))) {
      expect(from).toBe('env');
      expect([...Object.keys(env), ...there]).toContain(name);
    }
  });

  test('have as much stack as the link asks for', () => {
    const { exports } = new WebAssembly.Instance(module('core'), { env });
    const { value } = exports.__stack_pointer as WebAssembly.Global;
    // Linkers put the data below the stack, or behind it. The scratch is nearly all of it.
    const sipKeyPart = 9; // of border.def
    const scratch = (exports._tamis_scratch as (part: number) => number)(sipKeyPart);
    expect(scratch < value ? value - scratch : value).toBeGreaterThanOrEqual(5 * 2 ** 20);
  });
  /** The bytes of the module's data that are not zero, by their addresses. */
  function memoryOf(wasm: Buffer): Map<number, number> {
    const reader = new Reader(wasm, 8);
    const memory = new Map<number, number>();
    while (reader.at < wasm.length) {
      const id = reader.byte();
      const end = reader.number() + reader.at;
      if (id === 11) {
        reader.vector(() => {
          reader.expect(0, 'an active segment');
          const address = reader.offset();
          for (let i = 0, size = reader.number(); i < size; i++) {
            const byte = reader.byte();
            if (byte !== 0) memory.set(address + i, byte);
          }
        });
      }
      reader.at = end;
    }
    return memory;
  }

  test('have each byte of the data once', () => {
    const all = new Map<number, number>();
    for (const part of inPieces) {
      for (const [address, byte] of memoryOf(read(part))) {
        expect(`${part}: ${all.get(address)}`).toBe(`${part}: undefined`);
        all.set(address, byte);
      }
    }
    expect(all.size).toBeGreaterThan(300);
    expect([...all].sort(([one], [other]) => one - other)).toEqual([...memoryOf(read('core'))]);
  });

  test.each(inPieces)('%s is the text of its module', async (part) => {
    const { code } = await readPart(part);
    expect(Buffer.from(decode(code)).equals(read(part))).toBe(true);
  });

  test('are texts by a table that has every byte', () => {
    const isFrequent = (byte: number) =>
      (Number.parseInt(frequent[byte >> 2] as string, 16) >> (byte & 3)) & 1;
    const values = Array.from({ length: 256 }, (_, byte) => byte);
    // Frequent bytes come first, so that the same order is found again.
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
