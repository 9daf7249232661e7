// Writes a module of some of the linked module's functions and data, where the link put them.

import { name, number, patch, signed, sized, vector } from './bytes.mjs';
import { relocation } from './linked-module.mjs';

const importModule = 'env';
const kinds = { function: 0, table: 1, memory: 2, global: 3 };
const i32 = 0x7f;
const funcref = 0x70;

const section = (id, body) => Buffer.concat([Buffer.from([id]), sized(body)]);
/** Constant in a section of its own: `i32.const value; end`. */
const offset = (value) => Buffer.concat([Buffer.from([0x41]), signed(value), Buffer.from([0x0b])]);

/** Functions of the engine or of other modules that ours call, in the order of the link. */
function importedBy(linked, { functions, isBase }) {
  const ours = new Set(functions);
  const indices = new Set(isBase ? linked.imports.keys() : []);
  for (const { relocations, calls = [] } of functions) {
    for (const { type, target, index } of relocations) {
      if (type === relocation.functionIndex && !ours.has(target)) indices.add(index);
    }
    for (const index of calls) if (!ours.has(linked.functionAt(index))) indices.add(index);
  }
  return [...indices].sort((one, other) => one - other);
}

function importSection(linked, { isBase, shortNames }, imported) {
  const entry = (text, kind, ...type) =>
    Buffer.concat([name(importModule), name(text), Buffer.from([kind]), ...type]);
  const entries = imported.map((index) => {
    const made = linked.functionAt(index);
    const { type } = made ?? linked.imports[index];
    const text = made ? shortNames.get(made) : linked.imports[index].name;
    if (text === undefined) throw new Error(`wasm: nothing exports ${made.name}`);
    return entry(text, kinds.function, number(type));
  });
  if (isBase) return vector(entries);
  return vector([
    ...entries,
    entry('memory', kinds.memory, Buffer.from([0]), number(linked.memoryPages)),
    entry(
      '__indirect_function_table',
      kinds.table,
      Buffer.from([funcref, 0]),
      number(linked.tableSize),
    ),
    entry('__stack_pointer', kinds.global, Buffer.from([i32, 1])),
  ]);
}

function exportSection({ isBase, exports, functions, shortNames }, newIndex) {
  const entry = (text, kind, index) =>
    Buffer.concat([name(text), Buffer.from([kind]), number(index)]);
  const named = exports.map((made) =>
    entry(made.name, made.kind, made.kind === kinds.function ? newIndex(made.index) : made.index),
  );
  const shared = functions
    .filter((made) => shortNames.has(made))
    .map((made) => entry(shortNames.get(made), kinds.function, newIndex(made.index)));
  const global = isBase ? [entry('__stack_pointer', kinds.global, 0)] : [];
  return vector([...named, ...shared, ...global]);
}

/** The slots of our functions, by stretches. */
function elementSection(linked, { functions }, newIndex) {
  const ours = new Set(functions);
  const runs = [];
  for (const [slot, index] of [...linked.slots].sort(([one], [other]) => one - other)) {
    if (!ours.has(linked.functionAt(index))) continue;
    const last = runs.at(-1);
    if (last !== undefined && last.slot + last.indices.length === slot) last.indices.push(index);
    else runs.push({ slot, indices: [index] });
  }
  return vector(
    runs.map(({ slot, indices }) =>
      Buffer.concat([
        Buffer.from([0]),
        offset(slot),
        vector(indices.map((index) => number(newIndex(index)))),
      ]),
    ),
  );
}

function bodyOf(linked, made, newIndex) {
  if (made.calls !== undefined) {
    const calls = made.calls.map((index) =>
      Buffer.concat([Buffer.from([0x10]), number(newIndex(index))]),
    );
    return Buffer.concat([Buffer.from([0]), ...calls, Buffer.from([0x0b])]);
  }
  const body = Buffer.from(linked.bytes.subarray(made.from, made.end));
  for (const { type, at, index } of made.relocations) {
    if (type === relocation.functionIndex) patch(body, at - made.from, newIndex(index));
  }
  return body;
}

// A segment costs about as much as so many zeros between two.
const smallGap = 8;

/** Our bytes that are not zero. A gap between two stretches is written where it is nobody else's. */
function dataSection(linked, { data, words, isOurs }) {
  const stretches = [
    ...data.map(({ from, end }) => ({ from, end })),
    ...words.map((from) => ({ from, end: from + 4 })),
  ];
  const chunks = [];
  for (const { from, end } of stretches.sort((one, other) => one.from - other.from)) {
    const bytes = linked.memoryAt(from, end - from);
    const first = bytes.findIndex((byte) => byte !== 0);
    if (first < 0) continue;
    const filled = bytes.subarray(first, bytes.findLastIndex((byte) => byte !== 0) + 1);
    const last = chunks.at(-1);
    const lastEnd = last === undefined ? -Infinity : last.address + last.bytes.length;
    const gap = from + first - lastEnd;
    const isFree = !linked.data.some(
      (other) => !isOurs(other) && other.from < from + first && other.end > lastEnd,
    );
    if (gap <= smallGap && isFree)
      last.bytes = Buffer.concat([last.bytes, Buffer.alloc(gap), filled]);
    else chunks.push({ address: from + first, bytes: filled });
  }
  return vector(
    chunks.map(({ address, bytes }) =>
      Buffer.concat([Buffer.from([0]), offset(address), sized(bytes)]),
    ),
  );
}

/** The wasm of what `plan` has of the linked module. */
export function writePart(linked, plan) {
  const { isBase, functions, start } = plan;
  const { types, tables, memories, globals } = linked.sections;
  const imported = importedBy(linked, plan);
  const indices = new Map(
    [...imported, ...functions.map(({ index }) => index)].map((index, position) => [
      index,
      position,
    ]),
  );
  const newIndex = (index) => {
    const found = indices.get(index);
    if (found === undefined) throw new Error(`wasm: function ${index} is not in the module`);
    return found;
  };
  return Buffer.concat([
    linked.bytes.subarray(0, 8),
    section(1, types),
    section(2, importSection(linked, plan, imported)),
    section(3, vector(functions.map(({ type }) => number(type)))),
    ...(isBase ? [section(4, tables), section(5, memories), section(6, globals)] : []),
    section(7, exportSection(plan, newIndex)),
    ...(start === undefined ? [] : [section(8, number(newIndex(start.index)))]),
    section(9, elementSection(linked, plan, newIndex)),
    section(10, vector(functions.map((made) => sized(bodyOf(linked, made, newIndex))))),
    section(11, dataSection(linked, plan)),
  ]);
}
