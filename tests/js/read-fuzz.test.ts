/** tamis/read beside tamis, on random files of every type with keys and on damaged ones. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from '@jest/globals';

import * as read from 'tamis/read';
import { classesOf } from './support/all-classes.mjs';
import { budget, isLong, seed } from './support/budget.js';
import { runModule } from './support/child.js';
import { bundle } from './support/read-bundle.js';
import { classNames as names, type Tally } from './support/read-fuzz.js';

/** The number of files of each type. */
const [files, damaged] = [budget(390, 14), budget(15_400, 300)];

/** For each type the counts of all that was compared, or the error that names the difference. */
let outcomes: Record<string, Tally | string> = {};

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tamis-fuzz-'));
  const module = join(folder, 'fuzz.mjs');
  await bundle(fileURLToPath(new URL('support/read-fuzz.ts', import.meta.url)), module);
  const found = await runModule(`
    import { fuzz } from ${JSON.stringify(module)};
    const outcomes = {};
    for (const name of ${JSON.stringify(names)}) {
      try {
        outcomes[name] = fuzz(name, ${seed}, ${files}, ${damaged});
      } catch (error) {
        outcomes[name] = error.stack;
      }
    }
    console.log(JSON.stringify(outcomes));
  `);
  rmSync(folder, { recursive: true });
  outcomes = JSON.parse(found);
  if (isLong) console.log(outcomes);
});

test('every class that has keys has its random files', () => {
  const keyed = classesOf(read).map(({ name }) => name as string);
  expect([...names, 'BitArray'].sort()).toEqual(keyed.sort());
});

const sumOf = (counts: Readonly<Record<string, number>>) =>
  Object.values(counts).reduce((total, count) => total + count, 0);

describe(`seed ${seed}`, () => {
  test.each(names)('%s', (name) => {
    const tally = outcomes[name] as Tally;
    expect(tally).toEqual(expect.any(Object));
    expect(tally.files).toBe(files);
    expect(tally.damaged).toBe(damaged);
    // Each kind of case must have occurred.
    expect(tally.keyed).toBeGreaterThan(files / 5);
    expect(tally.keys).toBeGreaterThan(files * 300);
    expect(tally.taken).toBeGreaterThan(damaged / 20);
    expect(sumOf(tally.refused)).toBe(damaged - tally.taken);
    expect(sumOf(tally.notBuilt)).toBeLessThanOrEqual(files / 10);
  });

  test('as much as there should be', () => {
    const tallies = names.map((name) => outcomes[name] as Tally);
    const total = (of: (tally: Tally) => number) =>
      tallies.reduce((sum, tally) => sum + of(tally), 0);
    expect(total((tally) => tally.files)).toBe(names.length * files);
    expect(total((tally) => tally.answers)).toBeGreaterThan(budget(14_000_000, 400_000));
    expect(total((tally) => tally.damaged)).toBe(names.length * damaged);
    const codes = [...new Set(tallies.flatMap(({ refused }) => Object.keys(refused)))];
    expect(codes.map((code) => code.replace('ERR_TAMIS_', '')).sort()).toEqual([
      ...['CORRUPT', 'KEY_REQUIRED', 'NOT_TAMIS', 'TOO_LARGE', 'TRUNCATED', 'UNKNOWN_TYPE'],
      ...['UNSUPPORTED', 'UNSUPPORTED_VERSION', 'WRONG_KEY', 'WRONG_TYPE'],
    ]);
  });
});
