// Cuts a linked module into a base, and parts that can be loaded in addition.
//
// A part begins with exports, and contains everything that only they need. Functions keep their slots in the table, and
// data keeps its address. So a part works with any other parts, and nothing is linked when it is loaded.

import { join, name, number, offset, patch, Reader, section, sized, vector } from './binary.mjs';
import { kinds, sectionIds } from './linked.mjs';

/** The imports that the loader provides for the base (js/src/core/border/runtime.ts). */
const known = ['_embind_register_function'];

const i32 = 0x7f;
const funcref = 0x70;

/** True for functions that run when their part is loaded. Each module has one `load`, which calls all of its own. */
const isLoad = (text) => text.startsWith('load_');
const load = 'load';

/** All nodes that can be reached from these nodes, including themselves. */
function reach(starts) {
  const found = new Set(starts);
  for (const { refs } of found) for (const { to } of refs) found.add(to);
  return found;
}

/** What parts import from the base besides functions: each has a name, a kind, and the rest of the type. */
function ofBase(linked) {
  const atLeast = (id, at) => number(new Reader(linked.body(id), at).number());
  return [
    ['memory', kinds.memory, 0, atLeast(sectionIds.memories, 2)],
    ['__indirect_function_table', kinds.table, funcref, 0, atLeast(sectionIds.tables, 3)],
    ['__stack_pointer', kinds.global, i32, 1],
  ];
}

function importSection(linked, isBase, imported, shared) {
  const nameOf = (made) => shared.get(made) ?? made.name;
  const functions = imported.map((made) => [nameOf(made), kinds.function, number(made.type)]);
  const all = isBase ? functions : [...functions, ...ofBase(linked)];
  return vector(all.map(([text, ...type]) => join(name('env'), name(text), ...type)));
}

/** Groups items with consecutive positions into runs. */
function runsOf(items) {
  const runs = [];
  for (const { at, item } of items) {
    const last = runs.at(-1);
    if (last && last.at + last.items.length === at) last.items.push(item);
    else runs.push({ at, items: [item] });
  }
  return runs;
}

// If more zeros than this lie between two pieces of data, another segment is smaller than the zeros.
const smallGap = 8;

/** Writes the non-zero bytes of data in few segments. A small gap is written too, if no other data lies in it. */
function segmentsOf(linked, nodes) {
  const segments = [];
  for (const node of linked.data.filter((stretch) => nodes.has(stretch))) {
    const bytes = linked.memoryAt(node);
    const first = bytes.findIndex((byte) => byte !== 0);
    if (first < 0) continue;
    const filled = bytes.subarray(first, bytes.findLastIndex((byte) => byte !== 0) + 1);
    const at = node.from + first;
    const last = segments.at(-1);
    const lastEnd = last ? last.at + last.bytes.length : -Infinity;
    const isOthers = ({ from, end }) => from < at && end > lastEnd;
    if (
      at - lastEnd <= smallGap &&
      !linked.data.some((other) => !nodes.has(other) && isOthers(other))
    )
      last.bytes = join(last.bytes, Buffer.alloc(at - lastEnd), filled);
    else segments.push({ at, bytes: filled });
  }
  return segments;
}

/** Writes the wasm with some of the nodes: the base, which has the memory, or a part, which imports it. */
function writeModule(linked, { isBase, nodes, exports, shared }) {
  const own = linked.functions.filter((made) => nodes.has(made) && made.from !== undefined);
  const called = new Set(
    own.flatMap(({ refs }) => refs.map(({ kind, to }) => kind === 'call' && to)),
  );
  const imported = linked.functions.filter((made) => called.has(made) && !own.includes(made));
  const indices = new Map([...imported, ...own].map((made, i) => [made, i]));
  const loads = exports.filter((made) => isLoad(made.name));
  const named = exports.filter((made) => !isLoad(made.name));
  const exported = [
    ...named.map((made) => [made.name, indices.get(made.to)]),
    ...own.filter((made) => shared.has(made)).map((made) => [shared.get(made), indices.get(made)]),
    ...(loads.length > 0 ? [[load, indices.size]] : []),
  ].map(([text, index]) => join(name(text), kinds.function, number(index)));
  if (isBase) exported.push(...ofBase(linked).map(([text, kind]) => join(name(text), kind, 0)));
  const bodies = own.map(({ from, end, refs }) => {
    const code = Buffer.from(linked.bytes.subarray(from, end));
    for (const { kind, at, to } of refs)
      if (kind === 'call') patch(code, at - from, indices.get(to));
    return sized(code);
  });
  if (loads.length > 0) {
    const calls = loads.map(({ to }) => join(0x10, number(indices.get(to))));
    bodies.push(sized(join(0, ...calls, 0x0b)));
  }
  // All of these exports have no arguments and no result, so `load` can have the type of any of them.
  const types = [...own, ...loads.slice(0, 1).map(({ to }) => to)].map(({ type }) => type);
  const elements = runsOf(
    linked.slots
      .filter(({ to }) => own.includes(to))
      .map(({ slot, to }) => ({ at: slot, item: number(indices.get(to)) })),
  );
  const copied = (id) => section(id, linked.body(id));
  const { tables, memories, globals } = sectionIds;
  return Buffer.concat([
    linked.bytes.subarray(0, 8),
    copied(sectionIds.types),
    section(sectionIds.imports, importSection(linked, isBase, imported, shared)),
    section(sectionIds.functions, vector(types.map(number))),
    ...(isBase ? [tables, memories, globals].map(copied) : []),
    section(sectionIds.exports, vector(exported)),
    section(
      sectionIds.elements,
      vector(elements.map(({ at, items }) => join(0, offset(at), vector(items)))),
    ),
    section(sectionIds.code, vector(bodies)),
    section(
      sectionIds.data,
      vector(segmentsOf(linked, nodes).map(({ at, bytes }) => join(0, offset(at), sized(bytes)))),
    ),
  ]);
}

/** The exports whose names begin with their part. The linker's other exports are not used. */
const exportsOf = (linked, partOf) =>
  linked.exports
    .filter(({ name: text, kind }) => kind === kinds.function && text.includes(':'))
    .map(({ name: text, index }) => {
      const [part, own] = text.split(':');
      return { part: partOf(part), name: own, to: linked.functions[index] };
    })
    .filter(({ part }) => part !== undefined);

/** Decides for each node in which module it goes. */
function findHomes(exports, { families, rest, baseUsers }) {
  const reachedFrom = (part) =>
    reach(exports.filter((made) => made.part === part).map(({ to }) => to));
  const homes = new Map([...reachedFrom('base')].map((node) => [node, 'base']));
  const users = new Map();
  for (const part of new Set(exports.map((made) => made.part))) {
    for (const node of reachedFrom(part)) {
      if (!homes.has(node)) users.set(node, [...(users.get(node) ?? []), part]);
    }
  }
  const usersOf = (names) =>
    new Set([...users].flatMap(([node, parts]) => (names.test(node.name) ? parts : [])));
  const members = Object.entries(families).map(([name, names]) => [name, usersOf(names)]);
  for (const [node, parts] of users) {
    const family = members.find(([, all]) => parts.every((part) => all.has(part)))?.[0];
    const common = parts.some((part) => baseUsers.includes(part)) ? 'base' : rest;
    homes.set(node, parts.length === 1 ? parts[0] : (family ?? common));
  }
  return homes;
}

/**
 * Cuts a linked module whose exports are called PART:NAME.
 *
 * `partOf` may rename a part, or drop it by returning undefined. `families` has a pattern of node names for each shared
 * part; the part's family is all parts that reach a matching node. A node that several parts need goes into the first
 * shared part whose family includes all of them. If there is none, it goes into the base if one of the parts is in
 * `baseUsers`, and into `rest` otherwise. `needs` lists modules that a part needs in addition to those that it reaches.
 *
 * @returns the wasm of each module, and the modules that it needs besides the base.
 */
export function cut(
  linked,
  { partOf = (part) => part, families = {}, rest, baseUsers = [], needs = () => [] },
) {
  const exports = exportsOf(linked, partOf);
  const homes = findHomes(exports, { families, rest, baseUsers });
  for (const { part, name: text, to } of exports)
    if (homes.get(to) !== part)
      throw new Error(`wasm: ${text}, of ${part}, lies in ${homes.get(to)}: another part calls it`);
  const needed = new Map([...new Set(homes.values())].map((home) => [home, new Set(needs(home))]));
  const shared = new Map();
  for (const [node, home] of homes) {
    for (const { kind, to } of node.refs) {
      const from = homes.get(to);
      if (linked.imports.includes(to)) {
        if (kind === 'call' && known.includes(to.name)) continue;
        throw new Error(
          `wasm: ${node.name} needs a ${kind} of ${to.name}, which the loader does not give`,
        );
      }
      if (from === home) continue;
      if (home === 'base') throw new Error(`wasm: the base needs ${to.name}, of ${from}`);
      if (from !== 'base') needed.get(home).add(from);
      if (kind === 'call' && !shared.has(to)) shared.set(to, shared.size.toString(36));
    }
  }
  // The loader keeps the exports of all modules in one object.
  const own = [load, ...ofBase(linked).map(([text]) => text)];
  const names = [...own, ...shared.values(), ...exports.map((made) => made.name)];
  const twice = names.find((text, i) => !isLoad(text) && names.indexOf(text) !== i);
  if (twice !== undefined) throw new Error(`wasm: two exports are called ${twice}`);
  const moduleOf = (home) => ({
    needs: [...needed.get(home)],
    wasm: writeModule(linked, {
      isBase: home === 'base',
      nodes: new Set([...homes].filter(([, other]) => other === home).map(([node]) => node)),
      exports: exports.filter(({ part }) => part === home),
      shared,
    }),
  });
  return new Map([...needed.keys()].map((home) => [home, moduleOf(home)]));
}

/** Writes all parts as one module. */
export const whole = (linked, { partOf = (part) => part } = {}) =>
  cut(linked, { partOf: (part) => partOf(part) && 'base' }).get('base').wasm;
