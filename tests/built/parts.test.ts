// The parts of the wasm: a class of any entry loads its own part, alone in its process or after others.

import { describe, expect, test } from '@jest/globals';
import * as tamis from 'tamis';
import * as url from 'tamis/url';
import { classesOf } from '../js/support/all-classes.mjs';
import { isLong } from '../js/support/budget.js';
import { runModule } from '../js/support/child.js';
import { goldenWithBytes } from '../js/support/golden.js';
import { modulesOf, partOf } from '../js/support/parts.js';
import { schemes } from '../js/support/schemes.js';

/** For each type its class, as an expression with the name of its entry. */
const classes = new Map<string, string>(
  [
    ...classesOf(tamis).map((Class) => ['tamis', Class] as const),
    ...classesOf(url).map((Class) => ['tamis/url', Class] as const),
  ].map(([entry, { name, prototype }]) => [prototype.type, `modules['${entry}'].${name}`]),
);

const files = goldenWithBytes();
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

/** Loads the golden files of these types in a process of their own, by their classes in this order. */
async function load(order: readonly string[], path = inParts): Promise<Found> {
  const pairs = order.map((type) => `['${type}', ${classes.get(type)}]`);
  const found = await runModule(`
    import * as tamis from '${path('tamis')}';
    import * as schemes from '${path('tamis/schemes')}';
    import * as url from '${path('tamis/url')}';
    import { loadGolden } from './tests/js/support/load-golden.mjs';
    const modules = { tamis, 'tamis/url': url };
    const files = ${JSON.stringify(files.filter(({ type }) => order.includes(type)))};
    console.log(JSON.stringify(loadGolden([${pairs}], files, Object.values(schemes))));
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
  // In steps of 7, which has no common divisor with their number, each type comes once.
  const inSteps = types.map((_, i) => types[(3 + 7 * i) % types.length] as string);
  // A process for each type takes seconds, and npm run test:web has three orders in each engine.
  test.each([
    ...(isLong ? types.map((type) => [`of ${type} alone`, [type]] as const) : []),
    ...(isLong ? [['of all types, in steps', inSteps] as const] : []),
    ['of all types, the last first', types.toReversed()] as const,
  ])('%s', async (_name, order) => {
    expect(new Set(order).size).toBe(order.length);
    const { faults, kept, brought } = await load(order);
    expect(faults).toEqual([]);
    expect(kept).toBe(validOf(order).length);
    expect(brought).toEqual(broughtIn(order));
  });
});

test("all golden files by Node's own form of the package, which has no parts", async () => {
  const byName = (entry: string) => entry;
  const { faults, kept, brought } = await load(types, byName);
  expect(faults).toEqual([]);
  expect(kept).toBe(validOf(types).length);
  for (const modules of Object.values(brought)) {
    expect(modules).toBeLessThanOrEqual(1);
  }
});
