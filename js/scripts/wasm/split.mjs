// Cuts the linked module into a base and a part per type, by what each type's entry reaches.
//
// Nothing moves: functions keep their table slots and data their addresses, so that a part is right
// beside any others, and is instantiated without a word of linking.

import { relocation } from './linked-module.mjs';
import { writePart } from './write-part.mjs';

const packers = ['counting-bloom', 'd-left-counting', 'cuckoo', 'binary-fuse'];
const urlParts = ['url-text', 'url', 'url-build', 'rice', 'lines'];
const composites = ['tombstone-bloom', 'scalable-bloom', 'rotating-bloom'];

/**
 * Where that lies which these parts use and no others: in the first module that has all of them. It may be one
 * of theirs. What more parts use is the base's, or where all of them are filters, the filters'.
 */
const families = {
  bloom: ['bloom', 'counting-bloom'],
  composites,
  url: ['url', 'url-build'],
  'url-text': ['url-text', 'url', 'url-build'],
  'rice-core': ['rice', 'url', 'url-build'],
  sha2: ['bloom', 'counting-bloom', 'url-text', 'url', 'url-build'],
  'packed-array': packers,
  'packed-memory': [...packers, 'url', 'url-build'],
  'bloom-core': ['bloom', 'counting-bloom', ...composites],
  'blocked-core': ['blocked-bloom', ...composites],
  'bloom-formulas': ['bloom-formulas', 'bloom', 'counting-bloom', 'deletable-bloom', ...composites],
  retrieval: ['ribbon', 'exact', 'bloomier'],
  'hash-records': ['binary-fuse', 'ribbon', 'exact', 'bloomier'],
};

/** All that can be reached from some nodes, with themselves. */
function reach(starts) {
  const found = new Set(starts);
  for (const node of found) for (const target of node.targets) found.add(target);
  return found;
}

const entriesName = 'tamis_entries';
const baseConstructors = /^__embind_(register_native_and_builtin_types|init_tamis)$/;

/**
 * What the parts begin at. `parts` names for each the wire ids of its types, what its raw exports and its
 * embind functions are called by, and parts without which nothing can be done with it.
 */
function rootsOf(linked, parts) {
  const { functions, functionAt, data, words, exports } = linked;
  const roots = new Map(Object.keys(parts).map((part) => [part, new Set()]));
  const table = data.find(({ names }) => names.includes(entriesName));
  if (table === undefined) throw new Error(`the link has no ${entriesName}`);
  for (const [part, { ids }] of Object.entries(parts)) {
    for (const id of ids) {
      const entry = words.get(table.from + 4 * id);
      if (entry === undefined) throw new Error(`${entriesName} has no type ${id}`);
      roots.get(part).add(entry);
    }
  }
  const slots = (table.end - table.from) / 4;
  const filled = Array.from({ length: slots }, (_, id) => id).filter((id) =>
    words.has(table.from + 4 * id),
  );
  const known = Object.values(parts).flatMap(({ ids }) => ids);
  if (filled.some((id) => !known.includes(id))) throw new Error(`no part for a type of ${filled}`);

  const partOf = (kind, text) =>
    Object.entries(parts).find(([, part]) => part[kind]?.test(text))?.[0];
  const starts = new Map();
  const constructors = functions.find(({ calls }) => calls !== undefined);
  constructors.calls = constructors.calls.filter((index) => {
    const made = functionAt(index);
    // As C++ mangles it where it is a function of its file alone.
    const text = made.name.replace(/^_ZL\d+(\w+)v$/, '$1');
    const part = partOf('constructors', text);
    if (part === undefined) {
      if (!baseConstructors.test(text)) throw new Error(`whose constructor is ${made.name}?`);
      return true;
    }
    if (starts.has(part)) throw new Error(`${part} has two constructors`);
    starts.set(part, made);
    roots.get(part).add(made);
    constructors.targets.delete(made);
    return false;
  });
  const base = new Set([constructors]);
  for (const { name, kind, index } of exports) {
    if (kind === 0) (roots.get(partOf('exports', name)) ?? base).add(functionAt(index));
  }
  table.targets.clear();
  base.add(table);
  return { base, roots, starts, table, partOf };
}

/** Which module a node lies in, of those that reach it. */
function homeOf(reachedBy) {
  if (reachedBy.length === 1) return reachedBy[0];
  const family = Object.entries(families).find(([, types]) =>
    reachedBy.every((part) => types.includes(part)),
  );
  if (family !== undefined) return family[0];
  if (reachedBy.some((part) => urlParts.includes(part))) return 'base';
  return reachedBy.includes('bloom-formulas') ? 'sizing' : 'filters';
}

/** @returns for each module its wasm, and the modules that it needs besides the base. */
export function split(linked, parts) {
  const { base, roots, starts, table, partOf } = rootsOf(linked, parts);
  const homes = new Map([...reach(base)].map((node) => [node, 'base']));
  const reachedBy = new Map();
  for (const [part, from] of roots) {
    for (const node of reach(from)) {
      if (!homes.has(node)) reachedBy.set(node, [...(reachedBy.get(node) ?? []), part]);
    }
  }
  for (const [node, found] of reachedBy) homes.set(node, homeOf(found));

  const needs = new Map(
    [...new Set(homes.values())].map((part) => [part, new Set(parts[part]?.needs)]),
  );
  const shared = new Set();
  for (const [node, home] of homes) {
    for (const target of node.targets) {
      const from = homes.get(target);
      if (from === home) continue;
      if (home === 'base') throw new Error(`the base needs ${target.name ?? target.names}`);
      if (from !== 'base') needs.get(home).add(from);
    }
    for (const { type, target } of node.relocations ?? []) {
      const isCall = type === relocation.functionIndex;
      if (isCall && target !== undefined && homes.get(target) !== home) shared.add(target);
    }
  }
  const shortNames = new Map([...shared].map((node, i) => [node, i.toString(36)]));
  return new Map(
    [...needs].map(([part, needed]) => {
      const plan = {
        isBase: part === 'base',
        functions: linked.functions.filter((made) => homes.get(made) === part),
        data: linked.data.filter((stretch) => homes.get(stretch) === part && stretch !== table),
        isOurs: (stretch) => homes.get(stretch) === part,
        // The words of the table of entries that make the part's types known.
        words: (parts[part]?.ids ?? []).map((id) => table.from + 4 * id),
        exports: linked.exports.filter(({ name }) => (partOf('exports', name) ?? 'base') === part),
        shortNames,
        start: starts.get(part),
      };
      return [part, { wasm: writePart(linked, plan), needs: [...needed] }];
    }),
  );
}

/** All of it as one module, without the relocations. */
export function whole(linked) {
  return writePart(linked, {
    isBase: true,
    functions: linked.functions,
    data: linked.data,
    isOurs: () => true,
    words: [],
    exports: linked.exports,
    shortNames: new Map(),
  });
}
