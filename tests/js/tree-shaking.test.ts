/** A bundle holds the classes that it imports: nothing in a class body or a module runs at import. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import * as tamis from 'tamis';
import * as schemes from 'tamis/schemes';
import { classesOf } from './support/all-classes.mjs';
import { modulesOf } from './support/parts.js';

const sources = fileURLToPath(new URL('../../js/src/', import.meta.url));
const esbuild = fileURLToPath(new URL('../../node_modules/.bin/esbuild', import.meta.url));

/** A bundle of these names of an entry. */
async function bundle(names: string, entry: string, hasFlag = true): Promise<string> {
  const running = promisify(execFile)(
    esbuild,
    [
      '--bundle',
      '--format=esm',
      '--target=es2022',
      '--external:#wasm',
      '--define:TAMIS_VERSION="0"',
      // Without it, only the code itself shows that a module may be dropped.
      ...(hasFlag ? [] : ['--ignore-annotations']),
    ],
    { cwd: sources, maxBuffer: 2 ** 26 },
  );
  running.child.stdin?.end(`export { ${names} } from './${entry}'`);
  return (await running).stdout;
}

/** The types of the classes that are left in a bundle of these names; `define` of each class says its type. */
async function typesIn(names: string, hasFlag: boolean): Promise<string[]> {
  const text = await bundle(names, 'index.ts', hasFlag);
  return [...text.matchAll(/type: "([a-z-]+)",[^}]*?name: "[A-Z]/g)]
    .map(([, type]) => type as string)
    .sort();
}

describe.each([
  ['TamisError', []],
  ['hashKey, hashKeys', []],
  ['bloomSizing, bloomRate', []],
  ['BloomFilter', ['bloom']],
  ['CuckooFilter, RibbonFilter', ['cuckoo', 'ribbon']],
  ['BitArray', ['bit-array']],
])('a bundle of %s', (names, types) => {
  test.each([true, false])('has no other class; annotations: %s', async (hasFlag) => {
    expect(await typesIn(names, hasFlag)).toEqual(types);
  });
});

test('a bundle of fromBytes has all with keys to look up, and one of fromBytesOf has none', async () => {
  const types: string[] = classesOf(tamis).map(({ prototype }) => prototype.type);
  const keyless = ['bit-array', 'iblt'];
  expect(await typesIn('fromBytes', true)).toEqual(
    types.filter((type) => !keyless.includes(type)).sort(),
  );
  expect(await typesIn('fromBytesOf, fromStreamOf', true)).toEqual([]);
});

/** The parts of the wasm in a bundle of these names; esbuild names each module that it keeps. */
async function partsIn(names: string, entry: string): Promise<string[]> {
  const text = await bundle(names, entry);
  const parts = text.matchAll(/^\/\/ wasm\/parts\/([\w-]+)\.ts$/gm);
  return [...parts].map(([, part]) => part as string).sort();
}

test.each(Object.entries(schemes))(
  'a bundle of %s of tamis/schemes has its own part alone',
  async (name, scheme) => {
    const parts = await partsIn(name, 'schemes/index.ts');
    expect(parts).toEqual([...modulesOf(scheme.name)].sort());
  },
);

test.each([
  ['guava', ['guava-32', 'guava64']],
  ['spark', ['spark-v1', 'spark-v2']],
  // Guava's part has the hash.
  ['goBloom', ['go', 'guava64']],
  ['parquet', ['parquet']],
  ['dataSketches', ['datasketches']],
  ['redisBloom', ['redisbloom']],
  ['bloomFiltersJson', ['npm-bloom-filters']],
  ['bloomfilterJson', ['npm-bloomfilter']],
  ['redisBitmap', []],
  ['redisCuckoo', []],
  ['goCuckoo', []],
  ['binaryFuse', []],
  ['encodings', []],
])('a bundle of %s of tamis/interop has its own schemes alone', async (name, own) => {
  const parts = await partsIn(name, 'interop/index.ts');
  const names: string[] = Object.values(schemes).map((scheme) => scheme.name);
  expect(parts.filter((part) => names.includes(part))).toEqual(own);
  expect(parts.includes('blocked-bloom')).toBe(name === 'parquet');
});

test('a bundle of BloomFilter has no scheme', async () => {
  const parts = await partsIn('BloomFilter', 'index.ts');
  expect(parts).toContain('bloom');
  const names: string[] = Object.values(schemes).map(({ name }) => name);
  expect(parts.filter((part) => names.includes(part))).toEqual([]);
});
