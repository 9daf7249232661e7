// The parts of the wasm: a class brings its own, alone in its process or behind others.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import * as tamis from 'tamis';
import * as url from 'tamis/url';
import { runModule } from './support/child.js';
import { type Golden, golden, goldenFolder, urlGolden, urlGoldenFolder } from './support/golden.js';
import { modulesOf, partOf } from './support/parts.js';
import { schemes } from './support/schemes.js';

const modules = { tamis, 'tamis/url': url };

/** For each type the name of its class, as an expression with the name of its entry. */
const classes = new Map(
  Object.entries(modules).flatMap(([entry, module]) =>
    Object.entries(module)
      .filter(([, Class]) => Object.hasOwn(Object(Class), 'define'))
      .map(([name, Class]) => {
        const { type } = (Class as unknown as { define(): { type: string } }).define();
        return [type, `modules['${entry}'].${name}`];
      }),
  ),
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

/** Loads the golden files of these types in a process of their own, by their classes in this order. */
async function load(order: readonly string[]): Promise<Found> {
  const pairs = order.map((type) => `['${type}', ${classes.get(type)}]`);
  const found = await runModule(`
    import * as tamis from 'tamis';
    import * as schemes from 'tamis/schemes';
    import * as url from 'tamis/url';
    import { loadGolden } from './tests/js/support/load-golden.mjs';
    const modules = { tamis, 'tamis/url': url };
    const files = ${JSON.stringify(files.filter(({ type }) => order.includes(type)))};
    console.log(JSON.stringify(loadGolden([${pairs}], files, Object.values(schemes))));
  `);
  return JSON.parse(found);
}

const schemeParts = schemes.map(({ name }) => name);

/** How many modules of the core each type brings in this order: the first also brings the base. */
function broughtIn(order: readonly string[]): Record<string, number> {
  const come = new Set(['base']);
  return Object.fromEntries(
    order.map((type, i) => {
      const before = i === 0 ? 0 : come.size;
      for (const part of [partOf(type), ...(type === 'bloom' ? schemeParts : [])]) {
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
  test.each([
    ...types.map((type) => [`of ${type} alone`, [type]] as const),
    ['of all types, the last first', types.toReversed()] as const,
  ])('%s', async (_name, order) => {
    const { faults, kept, brought } = await load(order);
    expect(faults).toEqual([]);
    expect(kept).toBe(validOf(order).length);
    expect(brought).toEqual(broughtIn(order));
  });
});
