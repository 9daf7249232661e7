// Figures that are counted once and not timed. First the bits per key of every type that takes a rate, against the
// least possible, log2(1/rate): chart.mjs draws them. Then the load at which a table refuses its first key.

import * as tamis from 'tamis';
import { classesOf } from '../../tests/js/support/all-classes.mjs';
import { FPR, HEADER_BYTES } from './contenders.mjs';
import { randomHashes } from './keys.mjs';
import { ones } from './measure.mjs';

const RATE = 2 ** -8;
const ABSENT_KEYS = 1_000_000;
/** 30,000: there RibbonFilter begins to bump keys, and the small ones end. */
const SIZES = [100, 1000, 10_000, 30_000, 100_000, 1_000_000, 10_000_000];
const CURVE_KEYS = 1_000_000;
const CURVE_RATES = { largest: 0.1, smallest: 1e-6, perDecade: 20 };
const BUILT_WIDTHS = [4, 8, 12, 16, 20];

/** Classes with options that change the bits per key, by the names of the results. */
const VARIANTS = {
  BinaryFuseFilter: { 'fuse-4': { arity: 4 }, 'fuse-3': { arity: 3 } },
};

/** Every class that takes hashes. @type {[string, { type: string, isStatic?: boolean, options?: object }][]} */
const KINDS = classesOf(tamis)
  .filter((Class) => Class.fromHashes || Class.prototype.addHashes)
  .flatMap((Class) =>
    Object.entries(VARIANTS[Class.name] ?? { [Class.prototype.type]: undefined }).map(
      ([name, options]) => [
        name,
        { type: Class.name, isStatic: Class.fromHashes && true, options },
      ],
    ),
  );

function fill({ type, isStatic, options }, hashes, rate) {
  const { [type]: Class } = tamis;
  if (isStatic) return Class.fromHashes(hashes, { ...rate, ...options });
  const filter = new Class({ capacity: hashes.length, ...rate, ...options });
  filter.addHashes(hashes);
  return filter;
}

/** Payload bytes, designed rate and false positives of a full filter. */
function measureFull(kind, members, absentKeys, rate) {
  const filter = fill(kind, members, rate);
  const figures = {
    keys: members.length,
    payloadBytes: filter.toBytes().length - HEADER_BYTES,
    designedRate: filter.fpr,
    falseNegatives: members.length - ones(filter.hasHashes(members)),
    falsePositives: ones(filter.hasHashes(absentKeys)),
    asked: absentKeys.length,
  };
  filter.dispose();
  return figures;
}

/** Bytes by `sizeFor` at each rate of a type, from the largest to the smallest. */
function curve({ type, isStatic, options }) {
  const { [type]: Class } = tamis;
  const { largest, smallest, perDecade } = CURVE_RATES;
  const steps = Math.round(Math.log10(largest / smallest) * perDecade);
  const points = new Map();
  for (let i = 0; i <= steps; i++) {
    const asked = { capacity: CURVE_KEYS, fpr: largest * 10 ** (-i / perDecade), ...options };
    let rate = 2 ** Math.floor(Math.log2(asked.fpr));
    if (!isStatic) {
      const filter = new Class(asked);
      rate = filter.fpr;
      filter.dispose();
    }
    // A type of whole bits has fewer rates than the chart has.
    points.set(rate, (8 * Class.sizeFor(asked)) / CURVE_KEYS);
  }
  return [...points].map(([rate, bitsPerKey]) => ({
    rate: Number(rate.toPrecision(5)),
    bitsPerKey: Number(bitsPerKey.toFixed(3)),
  }));
}

export function measureAccuracy({ keyCount, say }) {
  const sizes = SIZES.filter((size) => size <= 10 * keyCount);
  const absentKeys = randomHashes(sizes.at(-1), ABSENT_KEYS);
  const types = {};
  for (const [name, kind] of KINDS) {
    say(`accuracy: ${name}`);
    types[name] = {
      ...kind,
      sizes: sizes.map((size) =>
        measureFull(kind, randomHashes(0, size), absentKeys, { fpr: RATE }),
      ),
      curve: curve(kind),
    };
    if (kind.isStatic) {
      const members = randomHashes(0, Math.min(CURVE_KEYS, keyCount));
      types[name].built = BUILT_WIDTHS.map((fingerprintBits) =>
        measureFull(kind, members, absentKeys, { fingerprintBits }),
      );
    }
  }
  return { fpr: RATE, curveKeys: CURVE_KEYS, types };
}

/** Adds distinct keys until the filter refuses one. It must still find every key that it took. */
function refusal(filter) {
  const step = 1000;
  const hashes = randomHashes(0, 2 * filter.capacity);
  let code;
  for (let at = 0; code === undefined && at < hashes.length; at += step) {
    try {
      filter.addHashes(hashes.subarray(at, at + step));
    } catch (error) {
      code = error.code;
    }
  }
  if (code !== 'ERR_TAMIS_FULL') throw new Error(`expected ERR_TAMIS_FULL, got ${code}`);
  const { capacity, count, loadFactor } = filter;
  const falseNegatives = count - ones(filter.hasHashes(hashes.subarray(0, count)));
  filter.dispose();
  return { capacity, count, loadFactor, falseNegatives };
}

export const refusals = (capacity) => ({
  'cuckoo-12': refusal(new tamis.CuckooFilter({ capacity, fingerprintBits: 12 })),
  'd-left-counting': refusal(new tamis.DLeftCountingFilter({ capacity, fpr: FPR })),
});
