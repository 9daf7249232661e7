// The parts of the wasm: a class of any entry loads its own part, alone in its process or after others.

import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import * as tamis from 'tamis';
import * as url from 'tamis/url';
import { classesOf } from '../js/support/all-classes.mjs';
import { runModule } from '../js/support/child.js';
import {
  type Golden,
  golden,
  goldenFolder,
  urlGolden,
  urlGoldenFolder,
} from '../js/support/golden.js';
import { modulesOf, partOf } from '../js/support/parts.js';
import { schemes } from '../js/support/schemes.js';

/** For each type its class, as an expression with the name of its entry. */
const classes = new Map<string, string>(
  [
    ...classesOf(tamis).map((Class) => ['tamis', Class] as const),
    ...classesOf(url).map((Class) => ['tamis/url', Class] as const),
  ].map(([entry, { name, prototype }]) => [prototype.type, `modules['${entry}'].${name}`]),
);

const withBytes = (folder: URL) => (one: Golden) => ({
  ...one,
  bytes: readFileSync(new URL(one.file, folder)).toString('hex'),
});
const files = [
  ...golden.map(withBytes(goldenFolder)),
  ...urlGolden.map(withBytes(urlGoldenFolder)),
];
/** The wire format's types, in its order. */
const types = [...new Set(files.map(({ type }) => type))];
const validOf = (some: readonly string[]) =>
  files.filter(({ type, valid }) => valid && some.includes(type));

interface Found {
  readonly faults: string[];
  readonly kept: number;
  readonly brought: Record<string, number>;
}

/** The entries as files. By their names Node would load its own form of them. */
const inParts = (entry: string) => `${entry.replace('tamis', './dist')}/index.js`;

/** Loads the golden files of these types by their classes, each order of types in a thread that starts with no wasm. */
async function load(orders: readonly (readonly string[])[], path = inParts): Promise<Found[]> {
  const found = await runModule(`
    import { Worker } from 'node:worker_threads';
    const files = ${JSON.stringify(files)};
    const inThread = (order) => \`(async () => {
      const modules = {
        tamis: await import('${path('tamis')}'),
        'tamis/url': await import('${path('tamis/url')}'),
      };
      const schemes = await import('${path('tamis/schemes')}');
      const { loadGolden } = await import('./tests/js/support/load-golden.mjs');
      const { parentPort, workerData } = require('node:worker_threads');
      const pairs = [\${order.map(([type, name]) => \`['\${type}', \${name}]\`)}];
      parentPort.postMessage(loadGolden(pairs, workerData, Object.values(schemes)));
    })()\`;
    const load = (order) => new Promise((resolve, reject) => {
      const types = order.map(([type]) => type);
      const workerData = files.filter(({ type }) => types.includes(type));
      const thread = new Worker(inThread(order), { eval: true, workerData });
      thread.once('message', resolve).once('error', reject);
    });
    const all = [];
    for (const order of ${JSON.stringify(
      orders.map((order) => order.map((type) => [type, classes.get(type)])),
    )}) all.push(await load(order));
    console.log(JSON.stringify(all));
  `);
  return JSON.parse(found);
}

const schemeParts: Record<string, readonly string[]> = {
  bloom: schemes.map(({ name }) => name),
  'blocked-bloom': ['parquet'],
};

/** The number of the core's modules that each type loads in this order. The first also loads the base. */
function broughtIn(order: readonly string[]): Record<string, number> {
  const come = new Set(['base']);
  return Object.fromEntries(
    order.map((type, i) => {
      const before = i === 0 ? 0 : come.size;
      for (const part of [partOf(type), ...(schemeParts[type] ?? [])]) {
        for (const name of modulesOf(part)) come.add(name);
      }
      return [type, come.size - before];
    }),
  );
}

test('every type has a class, and golden files', () => {
  expect([...classes.keys()].sort()).toEqual([...types].sort());
  for (const type of types) expect(validOf([type]).length).toBeGreaterThan(1);
});

describe('golden files', () => {
  const orders = [
    ...types.map((type) => [`of ${type} alone`, [type]] as const),
    ['of all types, the last first', types.toReversed()] as const,
  ];
  let found: Found[] = [];
  beforeAll(async () => {
    found = await load(orders.map(([, order]) => order));
  });

  test.each(orders.map((one, i) => [...one, i] as const))('%s', (_name, order, i) => {
    const { faults, kept, brought } = found[i] as Found;
    expect(faults).toEqual([]);
    expect(kept).toBe(validOf(order).length);
    expect(brought).toEqual(broughtIn(order));
  });
});

test("all golden files by Node's own form of the package, which has no parts", async () => {
  const byName = (entry: string) => entry;
  const [{ faults, kept, brought }] = (await load([types], byName)) as [Found];
  expect(faults).toEqual([]);
  expect(kept).toBe(validOf(types).length);
  for (const modules of Object.values(brought)) {
    expect(modules).toBeLessThanOrEqual(1);
  }
});
