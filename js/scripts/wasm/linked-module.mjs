// Reads what wasm-ld links with --emit-relocs: functions and data, and what each of them refers to.
// https://github.com/WebAssembly/tool-conventions/blob/main/Linking.md

import { Cursor } from './bytes.mjs';

const sectionIds = {
  types: 1,
  imports: 2,
  functions: 3,
  tables: 4,
  memories: 5,
  globals: 6,
  exports: 7,
  elements: 9,
  code: 10,
  data: 11,
};

/** The relocations that a link without position independence has, and whether an addend follows. */
export const relocation = {
  functionIndex: 0,
  tableSigned: 1,
  tableWord: 2,
  memoryUnsigned: 3,
  memorySigned: 4,
  memoryWord: 5,
  typeIndex: 6,
  globalIndex: 7,
};
const toMemory = [relocation.memoryUnsigned, relocation.memorySigned, relocation.memoryWord];
const symbolKinds = { function: 0, data: 1, section: 3 };
const flags = { undefined: 0x10, explicitName: 0x40, absolute: 0x200 };

function readSections(bytes) {
  const cursor = new Cursor(bytes, 8);
  const sections = new Map();
  while (cursor.at < bytes.length) {
    const id = cursor.byte();
    const end = cursor.number() + cursor.at;
    const from = cursor.at;
    const key = id === 0 ? cursor.name() : id;
    sections.set(key, { from, body: cursor.at, end });
    cursor.at = end;
  }
  return sections;
}

/** Functions, then data, that symbols name; what has none is not there. */
function readSymbols(bytes, section) {
  const cursor = new Cursor(bytes, section.body);
  const symbols = [];
  if (cursor.number() !== 2) throw new Error('wasm: another version of the linking section');
  while (cursor.at < section.end) {
    const isTable = cursor.byte() === 8;
    const end = cursor.number() + cursor.at;
    if (isTable) {
      cursor.vector(() => {
        const symbol = { kind: cursor.byte(), flags: cursor.number() };
        const isDefined = (symbol.flags & flags.undefined) === 0;
        if (symbol.kind === symbolKinds.data) {
          symbol.name = cursor.name();
          if (isDefined) {
            symbol.segment = cursor.number();
            symbol.offset = cursor.number();
            symbol.size = cursor.number();
          }
        } else {
          symbol.index = cursor.number();
          const isNamed = isDefined || (symbol.flags & flags.explicitName) !== 0;
          if (symbol.kind !== symbolKinds.section && isNamed) symbol.name = cursor.name();
        }
        if (symbol.flags & flags.absolute) throw new Error(`wasm: ${symbol.name} is absolute`);
        symbols.push(symbol);
      });
    }
    cursor.at = end;
  }
  return symbols;
}

/** In the order of their offsets, which count from the file's beginning here. */
function readRelocations(bytes, section, target) {
  if (section === undefined) return [];
  const cursor = new Cursor(bytes, section.body);
  cursor.number();
  const known = Object.values(relocation);
  return cursor
    .vector(() => {
      const type = cursor.byte();
      if (!known.includes(type)) throw new Error(`wasm: relocation ${type} is not known`);
      const at = cursor.number() + target.from;
      const symbol = cursor.number();
      if (toMemory.includes(type)) cursor.signed();
      return { type, at, symbol };
    })
    .sort((one, other) => one.at - other.at);
}

/**
 * The stretches of memory that symbols name, in the order of their addresses; those that overlap are one.
 * Memory without bytes in the file is zero, and nobody's.
 */
function makeData(symbols, segments) {
  const named = symbols
    .filter(({ kind, segment, size }) => kind === symbolKinds.data && segments[segment] && size > 0)
    .map(({ name, segment, offset, size }) => {
      const from = segments[segment].address + offset;
      return { names: [name], from, end: from + size, targets: new Set() };
    })
    .sort((one, other) => one.from - other.from || other.end - one.end);
  const data = [];
  for (const next of named) {
    const last = data.at(-1);
    if (last !== undefined && next.from < last.end) {
      last.end = Math.max(last.end, next.end);
      last.names.push(...next.names);
    } else data.push(next);
  }
  return data;
}

const globalKind = 3;
/** What Emscripten exports, and neither the glue nor runtime.ts asks for. */
const unwantedExports = /^(stack(Save|Restore|Alloc)|__embind_register_native_and_builtin_types)$/;

const callOperation = 0x10;
const endOperation = 0x0b;

/** What the linker itself writes, the constructors' calls, has no relocations: the functions it calls. */
function readCalls(bytes, { from, end, name }) {
  const cursor = new Cursor(bytes, from);
  const calls = [];
  cursor.expect(0, `no locals of ${name}`);
  while (cursor.at < end - 1) {
    cursor.expect(callOperation, `a call of ${name}`);
    calls.push(cursor.number());
  }
  cursor.expect(endOperation, `the end of ${name}`);
  return calls;
}

/** @returns the module as a graph: functions and data are its nodes, and `targets` its edges. */
export function readLinkedModule(bytes) {
  const sections = readSections(bytes);
  const at = (name) => {
    const section = sections.get(sectionIds[name]);
    if (section === undefined) throw new Error(`wasm: no section ${name}`);
    return new Cursor(bytes, section.body);
  };
  const bodyOf = (name) => {
    const { body, end } = sections.get(sectionIds[name]);
    return bytes.subarray(body, end);
  };

  let cursor = at('imports');
  const imports = cursor.vector(() => {
    cursor.name();
    const name = cursor.name();
    cursor.expect(0, `a function of the import ${name}`);
    return { name, type: cursor.number() };
  });
  cursor = at('functions');
  const typeIndices = cursor.vector(() => cursor.number());
  cursor = at('memories');
  cursor.number();
  cursor.byte();
  const memoryPages = cursor.number();
  cursor = at('exports');
  const exports = cursor
    .vector(() => ({ name: cursor.name(), kind: cursor.byte(), index: cursor.number() }))
    .filter(({ name, kind }) => kind !== globalKind && !unwantedExports.test(name));
  const slots = new Map();
  cursor = at('elements');
  cursor.vector(() => {
    if (cursor.number() !== 0) throw new Error('wasm: an element segment of another kind');
    cursor.byte();
    let slot = cursor.signed();
    cursor.expect(endOperation, "an offset's end");
    cursor.vector(() => slots.set(slot++, cursor.number()));
  });
  cursor = at('data');
  const segments = cursor.vector(() => {
    if (cursor.number() !== 0) throw new Error('wasm: a data segment of another kind');
    cursor.byte();
    const address = cursor.signed();
    cursor.expect(endOperation, "an offset's end");
    const size = cursor.number();
    cursor.at += size;
    return { address, from: cursor.at - size, size };
  });

  const symbols = readSymbols(bytes, sections.get('linking'));
  const names = [];
  for (const { kind, index, name } of symbols) {
    if (kind === symbolKinds.function) names[index] ??= name;
  }
  cursor = at('code');
  const functions = cursor.vector((_, i) => {
    const size = cursor.number();
    cursor.at += size;
    return {
      index: imports.length + i,
      name: names[imports.length + i],
      type: typeIndices[i],
      from: cursor.at - size,
      end: cursor.at,
      relocations: [],
      targets: new Set(),
    };
  });
  const functionAt = (index) => functions[index - imports.length];

  const data = makeData(symbols, segments);
  const dataAt = (address) => data.find(({ from, end }) => from <= address && address < end);
  for (const { address, from, size } of segments) {
    for (let i = 0; i < size; i++) {
      if (bytes[from + i] !== 0 && dataAt(address + i) === undefined) {
        throw new Error(`wasm: no symbol covers the byte at ${address + i}`);
      }
    }
  }
  /** The node that a relocation refers to; none where it is an import, or memory without bytes. */
  const targetOf = ({ type, symbol }) => {
    const { index, segment, offset, size } = symbols[symbol];
    if (toMemory.includes(type)) {
      const found = segments[segment];
      if (found === undefined) return undefined;
      // A symbol without a size is the end of what stands before it.
      return size === 0 ? undefined : dataAt(found.address + offset);
    }
    if (type === relocation.typeIndex || type === relocation.globalIndex) return undefined;
    return functionAt(index);
  };

  const inCode = readRelocations(bytes, sections.get('reloc.CODE'), sections.get(sectionIds.code));
  let i = 0;
  for (const found of inCode) {
    while (found.at >= functions[i].end) i++;
    const target = targetOf(found);
    if (target !== undefined) functions[i].targets.add(target);
    const { type, at } = found;
    const { index } = symbols[found.symbol] ?? {};
    // The linker gives the stack pointer the first number. No other global is written or read.
    if (type === relocation.globalIndex && index !== 0) throw new Error('wasm: a second global');
    functions[i].relocations.push({ type, at, target, index });
  }
  /** The words of `tamis_entries`, which are cut apart: what the word at an address refers to. */
  const words = new Map();
  for (const found of readRelocations(
    bytes,
    sections.get('reloc.DATA'),
    sections.get(sectionIds.data),
  )) {
    const segment = segments.find(({ from, size }) => found.at >= from && found.at < from + size);
    const address = segment.address + found.at - segment.from;
    const node = dataAt(address);
    if (node === undefined) throw new Error(`wasm: no symbol covers the word at ${address}`);
    const target = targetOf(found);
    if (target === undefined) continue;
    node.targets.add(target);
    words.set(address, target);
  }
  for (const made of functions) {
    if (made.name !== '__wasm_call_ctors') continue;
    made.calls = readCalls(bytes, made);
    for (const index of made.calls) made.targets.add(functionAt(index));
  }

  /** The bytes at an address, which are one node's. */
  const memoryAt = (address, size) => {
    const { from, address: start } = segments.find(
      (segment) => address >= segment.address && address < segment.address + segment.size,
    );
    return bytes.subarray(from + address - start, from + address - start + size);
  };
  return {
    bytes,
    imports,
    functions,
    functionAt,
    data,
    words,
    memoryAt,
    exports,
    slots,
    memoryPages,
    tableSize: Math.max(...slots.keys()) + 1,
    sections: {
      types: bodyOf('types'),
      tables: bodyOf('tables'),
      memories: bodyOf('memories'),
      globals: bodyOf('globals'),
    },
  };
}
