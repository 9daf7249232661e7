// The fourth part: how many bits a key takes, of every type that takes a rate, against the least that is
// possible, log2(1/rate). Nothing is timed. chart.mjs draws what is saved.

import * as tamis from 'tamis';
import { accuracyFigures, accuracyTable } from './accuracy-report.mjs';
import { ones } from './loops.mjs';
import { figureTable } from './report.mjs';
import { environment, finish, say } from './run.mjs';
import { randomHashes } from './urls.mjs';

const FPR = 2 ** -8;
const STRANGERS = 1_000_000;
const HEADER_BYTES = 64;
/** 30,000: there RibbonFilter begins to bump keys, and the small ones end. */
const SIZES = [100, 1000, 10_000, 30_000, 100_000, 1_000_000, 10_000_000];
const CURVE_KEYS = 1_000_000;
const CURVE_RATES = { largest: 0.1, smallest: 1e-6, perDecade: 20 };
const BUILT_WIDTHS = [4, 8, 12, 16, 20];

/** @type {Record<string, { type: string, isStatic?: boolean, options?: object }>} */
const TYPES = {
  ribbon: { type: 'RibbonFilter', isStatic: true },
  'fuse-4': { type: 'BinaryFuseFilter', isStatic: true, options: { arity: 4 } },
  'fuse-3': { type: 'BinaryFuseFilter', isStatic: true, options: { arity: 3 } },
  cuckoo: { type: 'CuckooFilter' },
  bloom: { type: 'BloomFilter' },
  'blocked-bloom': { type: 'BlockedBloomFilter' },
  'deletable-bloom': { type: 'DeletableBloomFilter' },
  'scalable-bloom': { type: 'ScalableBloomFilter' },
  'd-left-counting': { type: 'DLeftCountingFilter' },
  'rotating-bloom': { type: 'RotatingBloomFilter' },
  'tombstone-bloom': { type: 'TombstoneBloomFilter' },
  'counting-bloom': { type: 'CountingBloomFilter' },
};

function filled({ type, isStatic, options }, hashes, rate) {
  const { [type]: Class } = tamis;
  if (isStatic) return Class.fromHashes(hashes, { ...rate, ...options });
  const filter = new Class({ capacity: hashes.length, ...rate, ...options });
  filter.addHashes(hashes);
  return filter;
}

/** Payload bytes, designed rate, and what passes, of a filter that is full. */
function measured(kind, members, strangers, rate) {
  const filter = filled(kind, members, rate);
  const falseNegatives = members.length - ones(filter.hasHashes(members));
  const falsePositives = ones(filter.hasHashes(strangers));
  const payloadBytes = filter.toBytes().length - HEADER_BYTES;
  const { fpr: designedRate } = filter;
  filter.dispose();
  const keys = members.length;
  return {
    keys,
    payloadBytes,
    designedRate,
    falseNegatives,
    falsePositives,
    asked: strangers.length,
  };
}

/** Bytes by `sizeFor` at the rates that a type has between the largest and the smallest. */
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
    // A type of whole bits has fewer rates than are asked for.
    points.set(rate, (8 * Class.sizeFor(asked)) / CURVE_KEYS);
  }
  return [...points].map(([rate, bitsPerKey]) => ({
    rate: Number(rate.toPrecision(5)),
    bitsPerKey: Number(bitsPerKey.toFixed(3)),
  }));
}

export function runAccuracy({ keyCount, out }) {
  const sizes = SIZES.filter((size) => size <= 10 * keyCount);
  const strangers = randomHashes(sizes.at(-1), STRANGERS);
  const types = {};
  for (const [name, kind] of Object.entries(TYPES)) {
    say(`accuracy: ${name}`);
    types[name] = {
      ...kind,
      sizes: sizes.map((size) => measured(kind, randomHashes(0, size), strangers, { fpr: FPR })),
      curve: curve(kind),
    };
    if (kind.isStatic) {
      const members = randomHashes(0, Math.min(CURVE_KEYS, keyCount));
      types[name].built = BUILT_WIDTHS.map((fingerprintBits) =>
        measured(kind, members, strangers, { fingerprintBits }),
      );
    }
  }
  const results = { ...environment(), fpr: FPR, curveKeys: CURVE_KEYS, types };
  delete results.clock;
  results.figures = accuracyFigures(results);
  process.stdout.write(`${accuracyTable(results)}\n\n${figureTable(results.figures)}\n\n`);
  finish(results, out);
}
