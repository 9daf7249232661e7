// Cuts the linked module into a base and a part per type, by what each type's entry reaches.
//
// Nothing moves: functions keep their table slots and data their addresses. So a part is right beside any others,
// and is instantiated without a word of linking.

import { relocation } from './linked-module.mjs';
import { writePart } from './write-part.mjs';

export const packers = ['counting-bloom', 'd-left-counting', 'cuckoo', 'binary-fuse'];
const urlParts = ['url-text', 'url', 'url-build', 'rice', 'lines'];
export const composites = ['tombstone-bloom', 'scalable-bloom', 'rotating-bloom'];

/**
 * Where that lies which these parts use and no others: in the first module that has all of them. It may be one
 * of theirs. What more parts use is the base's, or where all of them are filters, the filters'.
 */
const coreFamilies = {
  bloom: ['bloom', 'counting-bloom', 'interop-bloom'],
  'blocked-bloom': ['blocked-bloom', 'interop-blocked-bloom'],
  interop: ['interop-bloom', 'interop-blocked-bloom'],
  guava64: ['guava64', 'guava-32', 'go'],
  spark: ['spark-v1', 'spark-v2'],
  murmur64a: ['redisbloom', 'foreign'],
  xxh64: ['datasketches', 'npm-bloom-filters', 'parquet', 'foreign'],
  composites,
  url: ['url', 'url-build'],
  'url-text': ['url-text', 'url', 'url-build'],
  'rice-core': ['rice', 'url', 'url-build'],
  'packed-array': packers,
  'packed-memory': [...packers, 'url', 'url-build'],
  'bloom-core': ['bloom', 'counting-bloom', 'interop-bloom', ...composites],
  'blocked-core': ['blocked-bloom', 'interop-blocked-bloom', ...composites],
  'bloom-formulas': [
    'bloom-formulas',
    'bloom',
    'interop-bloom',
    'counting-bloom',
    'deletable-bloom',
    ...composites,
  ],
  retrieval: ['ribbon', 'exact', 'bloomier'],
  'hash-records': ['binary-fuse', 'ribbon', 'exact', 'bloomier'],
};

/** All that can be reached from some nodes, with themselves. */
function reach(starts) {
  const found = new Set(starts);
  for (const node of found) for (const target of node.targets) found.add(target);
  return found;
}

const baseConstructors = /^__embind_(register_native_and_builtin_types|init_tamis)$/;

/** Gives each part what its words of tables refer to; the tables, and the words' addresses. */
function readTables({ data, words }, parts, roots) {
  const addresses = new Map(Object.keys(parts).map((part) => [part, []]));
  const tableNames = new Set(Object.values(parts).flatMap((part) => Object.keys(part.words ?? {})));
  const tables = [...tableNames].map((name) => {
    const table = data.find(({ names }) => names.includes(name));
    if (table === undefined) throw new Error(`the link has no ${name}`);
    const free = new Set([...words.keys()].filter((at) => at >= table.from && at < table.end));
    for (const [part, own] of Object.entries(parts)) {
      for (const id of own.words?.[name] ?? []) {
        const address = table.from + 4 * id;
        if (!free.delete(address)) throw new Error(`${name} has no word ${id}`);
        roots.get(part).add(words.get(address));
        addresses.get(part).push(address);
      }
    }
    const unknown = [...free].map((address) => (address - table.from) / 4);
    if (unknown.length > 0) throw new Error(`no part for the words ${unknown} of ${name}`);
    table.targets.clear();
    return table;
  });
  return { tables, addresses };
}

/**
 * What the parts begin at. For each, `parts` names its words of tables, and what its raw exports and its embind
 * functions are called by. It also names parts without which nothing can be done with it.
 */
function rootsOf(linked, parts) {
  const { functions, functionAt, exports } = linked;
  const roots = new Map(Object.keys(parts).map((part) => [part, new Set()]));
  const { tables, addresses } = readTables(linked, parts, roots);

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
  const base = new Set([constructors, ...tables]);
  for (const { name, kind, index } of exports) {
    if (kind === 0) (roots.get(partOf('exports', name)) ?? base).add(functionAt(index));
  }
  return { base, roots, starts, tables, addresses, partOf };
}

/** Which module a node lies in, of those that reach it. */
function homeOf(reachedBy, families, rest) {
  if (reachedBy.length === 1) return reachedBy[0];
  const family = Object.entries(families).find(([, types]) =>
    reachedBy.every((part) => types.includes(part)),
  );
  if (family !== undefined) return family[0];
  return reachedBy.some((part) => urlParts.includes(part)) ? 'base' : rest;
}

/** `rest` has what many filters share. @returns for each module its wasm, and the modules that it needs besides the base. */
export function split(linked, parts, families = coreFamilies, rest = 'filters') {
  const { base, roots, starts, tables, addresses, partOf } = rootsOf(linked, parts);
  const homes = new Map([...reach(base)].map((node) => [node, 'base']));
  const reachedBy = new Map();
  for (const [part, from] of roots) {
    for (const node of reach(from)) {
      if (!homes.has(node)) reachedBy.set(node, [...(reachedBy.get(node) ?? []), part]);
    }
  }
  for (const [node, found] of reachedBy) homes.set(node, homeOf(found, families, rest));

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
        data: linked.data.filter(
          (stretch) => homes.get(stretch) === part && !tables.includes(stretch),
        ),
        isOurs: (stretch) => homes.get(stretch) === part,
        words: addresses.get(part) ?? [],
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
