// The fourth part's results as tables: the one in README.md, and the figures.

import { insideBinomialBound, number, table } from './report.mjs';

export const labelOf = ({ type, options }) =>
  options?.arity === undefined ? type : `${type}, ${options.arity}-wise`;

/** How many times the least possible bits are taken. */
const overhead = ({ payloadBytes, keys, designedRate }) =>
  (8 * payloadBytes) / (keys * Math.log2(1 / designedRate));

export function accuracyTable({ types, fpr, date, commit }) {
  const all = Object.values(types);
  const head = all[0].sizes.map(({ keys }) => `n = ${number(keys, 0)}`);
  const rows = all.map((own) => [
    `\`${own.type}\`${labelOf(own).slice(own.type.length)}`,
    ...own.sizes.map((size) => number(overhead(size), 3)),
  ]);
  return (
    `${table(['bits, of n log2(1/FPR)', ...head], rows)}\n\n` +
    `Payload of a full filter that was asked for ${number(fpr * 100, 2)} % (2^-8), against the rate that it was ` +
    'designed for, which is no higher. `ScalableBloomFilter` of one layer; `RotatingBloomFilter` of two ' +
    'generations, n the keys of one; `TombstoneBloomFilter` for as many deletes as keys. ' +
    `${date.slice(0, 10)}, commit ${commit.slice(0, 12)}.`
  );
}

export function accuracyFigures({ types }) {
  const rows = [];
  for (const size of types.ribbon.sizes) {
    const { keys } = size;
    const bound = keys >= 1_000_000 ? 1.005 : keys >= 100_000 ? 1.01 : keys >= 1000 ? 1.03 : 1.1;
    const got = overhead(size);
    rows.push({
      what: `RibbonFilter, n = ${number(keys, 0)}: payload, of n log2(1/FPR)`,
      bound: `<= ${bound}`,
      got: number(got, 4),
      reached: got <= bound,
    });
  }
  const runs = Object.entries(types).flatMap(([name, { sizes, built = [], isStatic }]) =>
    [...sizes, ...built].map((run) => ({ ...run, name, isStatic })),
  );
  const missed = runs.reduce((sum, { falseNegatives }) => sum + falseNegatives, 0);
  rows.push({
    what: 'false negatives',
    bound: '0',
    got: number(missed, 0),
    reached: missed === 0,
  });
  // The rate of one Bloom filter of few keys may be above that of most: it has no part in this.
  const above = runs.filter(
    ({ isStatic, falsePositives, asked, designedRate }) =>
      isStatic && !insideBinomialBound(falsePositives, asked, designedRate),
  );
  rows.push({
    what: 'false-positive rates of what is built once, off the designed ones by more than chance',
    bound: 'none',
    got: above.map(({ name, keys }) => `${name}, ${number(keys, 0)} keys`).join('; ') || 'none',
    reached: above.length === 0,
  });
  return rows;
}
