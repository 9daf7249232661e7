/** The values of tamis/schemes: files that need one are read with it and refused without, whatever else is loaded. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { BloomFilter, type BloomScheme, fromBytes, fromStream } from 'tamis';
import * as values from 'tamis/schemes';

import { isLong } from '../js/support/budget.js';
import { runModule } from '../js/support/child.js';
import { codeExpected, edited, flipped, HEADER } from '../js/support/container.js';
import { expectCode, thrownBy } from '../js/support/errors.js';
import { golden, goldenFolder } from '../js/support/golden.js';
import { schemes } from '../js/support/schemes.js';

const hashAt = 11;
const hashIds = new Map([
  ['seeds', 3],
  ['digest', 4],
  ['murmur2a-fnv1a', 5],
  ['guava64', 6],
  ['guava-32', 8],
  ['spark-v1', 9],
  ['spark-v2', 10],
  ['go', 11],
  ['redisbloom', 12],
  ['datasketches', 13],
  ['npm-bloom-filters', 14],
  ['npm-bloomfilter', 15],
]);

/** The modules of the wasm that a scheme loads: its own, and one of the hash that it shares with others. */
const modulesOf: Record<string, number> = {
  seeds: 1,
  digest: 1,
  'murmur2a-fnv1a': 1,
  guava64: 1,
  'guava-32': 2,
  'spark-v1': 2,
  'spark-v2': 2,
  go: 2,
  redisbloom: 2,
  datasketches: 2,
  'npm-bloom-filters': 2,
  'npm-bloomfilter': 1,
};
const bytesOf = (file: string) => new Uint8Array(readFileSync(new URL(file, goldenFolder)));
const files = golden.map(({ file, valid }) => ({ file, valid, bytes: bytesOf(file) }));
const filesOf = ({ name }: BloomScheme) =>
  files.filter(({ bytes }) => bytes[10] === 1 && bytes[hashAt] === hashIds.get(name));
const importOf = ({ name }: BloomScheme) => {
  const [exported] = Object.entries(values).find(([, value]) => value.name === name) ?? [];
  return `import { ${exported} } from 'tamis/schemes'`;
};

describe.each(schemes.map((scheme) => [scheme.name, scheme] as const))('%s', (_name, scheme) => {
  const others = schemes.filter((other) => other !== scheme);
  const make = () => BloomFilter.from(['a', 'b', 'c'], { capacity: 50, scheme });

  test('reads its golden files, and needs no other', () => {
    const own = filesOf(scheme).filter(({ valid }) => valid);
    expect(own.length).toBeGreaterThan(0);
    for (const { bytes } of own) {
      const loaded = BloomFilter.fromBytes(bytes, { schemes: [scheme] });
      expect(loaded.scheme).toBe(scheme.name);
      expect(loaded.toBytes()).toEqual(bytes);
    }
  });

  test('is refused where it was not given, on every road, though it is loaded', async () => {
    const filter = make();
    const bytes = filter.toBytes();
    const stream = () => new Response(bytes).body as ReadableStream;
    for (const options of [undefined, {}, { schemes: [] }, { schemes: others }]) {
      for (const load of [
        () => fromBytes(bytes, options),
        () => BloomFilter.fromBytes(bytes, options),
      ]) {
        expect(expectCode(load, 'UNSUPPORTED').message).toContain(importOf(scheme));
      }
      for (const load of [
        () => fromStream(stream(), options),
        () => BloomFilter.fromStream(stream(), options),
      ]) {
        const error = await load().catch((cause) => cause);
        expect(error.code).toBe('ERR_TAMIS_UNSUPPORTED');
        expect(error.message).toContain(importOf(scheme));
      }
    }
    const options = { schemes: [...others, scheme] };
    for (const loaded of [
      fromBytes(bytes, options),
      BloomFilter.fromBytes(bytes, options),
      await fromStream(stream(), options),
      await BloomFilter.fromStream(stream(), options),
    ]) {
      expect(loaded.toBytes()).toEqual(bytes);
    }
  });

  test('is refused after the checksums, and before its own rules', () => {
    const bytes = make().toBytes();
    for (let bit = 0; bit < 8 * bytes.length; bit++) {
      const damaged = flipped(bytes, bit);
      expect(thrownBy(() => BloomFilter.fromBytes(damaged)).code).toBe(
        `ERR_TAMIS_${codeExpected(damaged)}`,
      );
    }
    expectCode(() => BloomFilter.fromBytes(bytes.subarray(0, -1)), 'TRUNCATED');
    expectCode(() => BloomFilter.fromBytes(bytes, { secret: new Uint8Array(16) }), 'WRONG_KEY');
    // 65 hashes, which no scheme has.
    const invalid = edited(bytes, (view) => view.setUint8(HEADER + 8, 65));
    expectCode(() => BloomFilter.fromBytes(invalid), 'UNSUPPORTED');
    expectCode(() => BloomFilter.fromBytes(invalid, { schemes: [scheme] }), 'CORRUPT');
  });

  test('comes along with what is made of a filter', () => {
    const filter = BloomFilter.fromBytes(make().toBytes(), { schemes: [scheme] });
    const other = filter.emptyCopy();
    other.addMany(['c', 'd']);
    expect(filter.jaccard(other)).toBeGreaterThan(0);
    const both = filter.clone().intersect(other);
    const either = filter.clone().merge(other);
    expect([both.scheme, either.scheme]).toEqual([scheme.name, scheme.name]);
    expect([...either.hasMany(['a', 'b', 'c', 'd'])]).toEqual([1, 1, 1, 1]);
    expect(both.has('c')).toBe(true);
    const { sizeBytes } = filter;
    expect(BloomFilter.sizeFor({ capacity: 50, scheme })).toBe(sizeBytes);
  });
});

/** The report of a separate process on the golden files: its number of modules, and the outcome of each file. */
const inProcess = (before: string) => `
  let instances = 0;
  const { Instance } = WebAssembly;
  WebAssembly.Instance = class extends Instance { constructor(...args) { super(...args); instances++; } };
  // By parts, as browsers have them.
  const { BloomFilter, init } = await import('./dist/index.js');
  const { readFileSync } = await import('node:fs');
  const values = await import('./dist/schemes/index.js');
  ${before}
  const golden = ${JSON.stringify(schemes.flatMap(filesOf).map(({ file }) => file))};
  const kept = [];
  for (const file of golden) {
    const bytes = new Uint8Array(readFileSync('tests/vectors/v1/' + file));
    const load = (schemes) => {
      try {
        BloomFilter.fromBytes(bytes, { schemes });
        return 'taken';
      } catch (error) {
        return error.code;
      }
    };
    kept.push([file, load([]), ...Object.values(values).map((scheme) => load([scheme]))]);
  }
  console.log(JSON.stringify({ kept, instances }));`;

test('the answers are the same whatever was loaded before', async () => {
  const roads = [
    '',
    "for (const scheme of Object.values(values)) if (scheme.name !== 'parquet') new BloomFilter({ capacity: 9, scheme });",
    `await init({ bytes: new Uint8Array(readFileSync('dist/wasm/core.wasm')) });`,
  ];
  const outcomes = await Promise.all(
    roads.map(async (road) => JSON.parse(await runModule(inProcess(road)))),
  );
  const [first] = outcomes;
  expect(first.kept.length).toBeGreaterThan(4);
  for (const { kept } of outcomes) expect(kept).toEqual(first.kept);
});

test('a filter of the default loads none, and each scheme its own modules', async () => {
  const count = async (code: string) => JSON.parse(await runModule(inProcess(code))).instances;
  const stop = '; console.log(JSON.stringify({ instances })); process.exit();';
  const plain = await count(`new BloomFilter({ capacity: 9 })${stop}`);
  const named = Object.entries(values).filter(([, { name }]) => name !== 'parquet');
  // A process for each takes seconds.
  for (const [exported, { name }] of named.filter((_, i) => isLong || i % 4 === 0)) {
    const one = `new BloomFilter({ capacity: 9, scheme: values.${exported} })`;
    const loaded = (await count(`${one}; ${one}${stop}`)) - plain;
    expect({ name, loaded }).toEqual({ name, loaded: modulesOf[name] });
  }
});
