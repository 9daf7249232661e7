// Reads a module that wasm-ld linked with --emit-relocs, as a graph. The nodes are functions and data, and the edges
// are their references. The sections are described in WebAssembly/tool-conventions, Linking.md.
//
// A module may contain things that this reader does not know and that a cut would break, so it refuses them by name.

import { Reader } from './binary.mjs';

export const sectionIds = {
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

/** Kinds of imports and exports. */
export const kinds = { function: 0, table: 1, memory: 2, global: 3 };

/** What each kind of relocation refers to, in a link without position-independent code. */
const relocations = {
  0: 'call', // R_WASM_FUNCTION_INDEX_LEB
  1: 'slot', // R_WASM_TABLE_INDEX_SLEB
  2: 'slot', // R_WASM_TABLE_INDEX_I32
  3: 'data', // R_WASM_MEMORY_ADDR_LEB
  4: 'data', // R_WASM_MEMORY_ADDR_SLEB
  5: 'data', // R_WASM_MEMORY_ADDR_I32
  6: 'type', // R_WASM_TYPE_INDEX_LEB
  7: 'global', // R_WASM_GLOBAL_INDEX_LEB
  20: 'table', // R_WASM_TABLE_NUMBER_LEB
};
/** The kinds of relocation that occur in data; the others occur in code. */
const ofData = [2, 5];

const subsections = { constructors: 6, symbols: 8 };
const symbolKinds = { function: 0, data: 1, section: 3 };
const flags = { isUndefined: 0x10, hasName: 0x40, isAbsolute: 0x200 };

/** Where each section begins, by its id or its name. */
function findSections(bytes) {
  const sections = new Map();
  const reader = new Reader(bytes, 8);
  while (reader.at < bytes.length) {
    const id = reader.byte();
    const end = reader.number() + reader.at;
    const from = reader.at;
    if (id !== 0 && !Object.values(sectionIds).includes(id))
      throw new Error(`wasm: section ${id} is not known`);
    sections.set(id === 0 ? reader.name() : id, { from, at: reader.at, end });
    reader.at = end;
  }
  return sections;
}

function readSymbol(reader) {
  const symbol = { kind: reader.byte(), flags: reader.number() };
  const is = (flag) => (symbol.flags & flag) !== 0;
  if (symbol.kind === symbolKinds.data) {
    symbol.name = reader.name();
    if (is(flags.isUndefined)) return symbol;
    const [segment, offset, size] = [reader.number(), reader.number(), reader.number()];
    // An absolute symbol is an address that the linker chose, and not data.
    return is(flags.isAbsolute) ? symbol : { ...symbol, segment, offset, size };
  }
  symbol.index = reader.number();
  const isNamed = !is(flags.isUndefined) || is(flags.hasName);
  if (symbol.kind !== symbolKinds.section && isNamed) symbol.name = reader.name();
  return symbol;
}

function readSymbols(bytes, section) {
  const reader = new Reader(bytes, section.at);
  reader.expect(2, 'version 2 of the section `linking`');
  const symbols = [];
  while (reader.at < section.end) {
    const id = reader.byte();
    const end = reader.number() + reader.at;
    if (id === subsections.symbols) {
      symbols.push(...reader.vector(() => readSymbol(reader)));
      if (reader.at !== end) throw new Error('wasm: a symbol is of a kind that is not known');
    } else if (id === subsections.constructors) {
      // Each entry has a priority and a symbol. The linker calls these functions from code that has no relocations.
      const names = reader.vector(() => reader.number() >= 0 && symbols[reader.number()].name);
      throw new Error(`wasm: static constructors, which no part runs: ${names.join(', ')}`);
    }
    reader.at = end;
  }
  return symbols;
}

/**
 * The stretches of data that symbols name. Overlapping ones are merged, because wasm-ld shares the ends of strings.
 * Data that is all zeros may have no segment in the file, and need not be written.
 */
function readData(symbols, segments) {
  const data = [];
  const named = symbols
    .filter(({ segment, size }) => segments[segment] !== undefined && size > 0)
    .map(({ name, segment, offset, size }) => {
      const from = segments[segment].address + offset;
      return { name, from, end: from + size, refs: [] };
    })
    .sort((one, other) => one.from - other.from);
  for (const made of named) {
    const last = data.at(-1);
    if (last && made.from < last.end) last.end = Math.max(last.end, made.end);
    else data.push(made);
  }
  return data;
}

/** The last of `nodes`, sorted by `from`, that begins at or before `at`. */
const lastBefore = (nodes, at) => nodes.findLast(({ from }) => from <= at);

/**
 * Reads a linked module.
 *
 * @returns its functions (imported ones first), data, exports, slots of the table, and a function for the bodies of
 * sections. `refs` of a function or of data are its relocations: each has a position and a target.
 */
export function readLinked(bytes) {
  const sections = findSections(bytes);
  for (const needed of ['linking', 'reloc.CODE'])
    if (!sections.has(needed)) throw new Error(`wasm: no section ${needed}: no --emit-relocs?`);
  const read = (id, item) => {
    const section = sections.get(id);
    if (section === undefined) return [];
    const reader = new Reader(bytes, section.at);
    return reader.vector((i) => item(reader, i));
  };
  const imports = read(sectionIds.imports, (reader) => {
    const made = { module: reader.name(), name: reader.name(), kind: reader.byte() };
    if (made.kind !== kinds.function)
      throw new Error(`wasm: ${made.name}, imported, is not a function`);
    return { ...made, type: reader.number(), refs: [] };
  });
  const types = read(sectionIds.functions, (reader) => reader.number());
  const defined = read(sectionIds.code, (reader, i) => {
    const size = reader.number();
    const from = reader.at;
    reader.take(size);
    return { type: types[i], from, end: reader.at, refs: [] };
  });
  const functions = [...imports, ...defined];
  const exports = read(sectionIds.exports, (reader) => {
    const made = { name: reader.name(), kind: reader.byte(), index: reader.number() };
    if (Object.values(kinds).includes(made.kind)) return made;
    throw new Error(`wasm: ${made.name}, exported, is of kind ${made.kind}, which is not known`);
  });
  const slots = read(sectionIds.elements, (reader) => {
    reader.expect(0, 'an element segment of the first table');
    const first = reader.offset();
    return reader.vector((i) => ({ slot: first + i, to: functions[reader.number()] }));
  }).flat();
  const segments = read(sectionIds.data, (reader) => {
    reader.expect(0, 'an active data segment');
    const address = reader.offset();
    const size = reader.number();
    const from = reader.at;
    const filled = reader.take(size);
    return { address, from, bytes: filled, isZero: filled.every((byte) => byte === 0) };
  });

  const symbols = readSymbols(bytes, sections.get('linking'));
  for (const { kind, index, name } of symbols)
    if (kind === symbolKinds.function) functions[index].name ??= name;
  const data = readData(symbols, segments);
  const dataAt = (address) => {
    const found = lastBefore(data, address);
    return address < found?.end ? found : undefined;
  };
  const coveredAt = (address) => {
    const [found, near] = [dataAt(address), lastBefore(data, address)?.name];
    if (found !== undefined) return found;
    throw new Error(`wasm: no symbol covers the byte at ${address}, near ${near}`);
  };
  for (const { address, bytes: filled } of segments)
    for (const [i, byte] of filled.entries()) if (byte !== 0) coveredAt(address + i);

  const slotOf = new Map(slots.map(({ slot, to }) => [to, slot]));
  /** The number that the linker wrote for a relocation, and the node to which it refers. */
  const resolve = (kind, symbol, addend) => {
    if (kind === 'data') {
      const segment = segments[symbol.segment];
      if (segment === undefined) return [];
      const address = segment.address + symbol.offset;
      return [(address + addend) >>> 0, segment.isZero ? undefined : dataAt(address)];
    }
    const to = functions[symbol.index];
    // A weak function without a definition has no slot, and its address is zero.
    if (kind === 'slot') return slotOf.has(to) ? [slotOf.get(to), to] : [0];
    return [symbol.index, kind === 'call' ? to : undefined];
  };
  const readRelocations = (id, section, lookAt) => {
    const reader = new Reader(bytes, section.at);
    reader.number();
    reader.vector(() => {
      const type = reader.byte();
      const at = reader.number() + sections.get(id).from;
      const index = reader.number();
      const [node, written] = lookAt(at);
      const kind = relocations[type];
      if (kind === undefined || ofData.includes(type) !== (id === sectionIds.data))
        throw new Error(`wasm: relocation ${type}, in ${node.name}, is not known`);
      const symbol = kind === 'type' ? { index } : symbols[index];
      if (kind === 'global' && symbol.index !== 0)
        throw new Error(
          `wasm: ${node.name} uses the global ${symbol.name}; only the stack pointer is known`,
        );
      const [value, to] = resolve(kind, symbol, kind === 'data' ? reader.signed() : 0);
      // A tool that rewrites code after the link would leave relocations that no longer fit.
      if (value !== undefined && written !== value)
        throw new Error(`wasm: a relocation of ${node.name} does not fit the bytes at ${at}`);
      if (to !== undefined) node.refs.push({ kind, at, to });
    });
  };
  readRelocations(sectionIds.code, sections.get('reloc.CODE'), (at) => {
    const reader = new Reader(bytes, at);
    const written = reader.number();
    return [lastBefore(defined, at), reader.at === at + 5 ? written : undefined];
  });
  if (sections.has('reloc.DATA'))
    readRelocations(sectionIds.data, sections.get('reloc.DATA'), (at) => {
      const { address, from } = lastBefore(segments, at);
      return [coveredAt(address + at - from), bytes.readUInt32LE(at)];
    });
  return {
    bytes,
    imports,
    functions,
    exports,
    slots,
    data,
    body: (id) => bytes.subarray(sections.get(id).at, sections.get(id).end),
    memoryAt: ({ from, end }) => {
      const { address, bytes: filled } = segments.findLast((segment) => segment.address <= from);
      return filled.subarray(from - address, end - address);
    },
  };
}
