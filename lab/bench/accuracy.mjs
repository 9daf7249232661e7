// Bits per key of every type that takes a rate, compared with the theoretical minimum, log2(1/rate). Nothing is timed.

import * as tamis from 'tamis';
import { classesOf } from '../../tests/js/support/all-classes.mjs';
import { HEADER_BYTES } from './contenders.mjs';
import { randomHashes } from './keys.mjs';
import { ones } from './measure.mjs';

const RATE = 2 ** -8;
/** The numbers of keys for which filters are built. */
const SIZES = [100, 1000, 10_000, 30_000, 100_000, 1_000_000, 10_000_000];
const CURVE_KEYS = 1_000_000;
const CURVE_RATES = { largest: 0.1, smallest: 1e-6, perDecade: 20 };
const BUILT_WIDTHS = [4, 8, 12, 16, 20];

/** Every class that can be built from hashes, by the name of its results. BinaryFuseFilter has two widths. */
const KINDS = classesOf(tamis)
  .filter((Class) => Class.fromHashes || Class.prototype.addHashes)
  .flatMap((Class) => {
    const kind = { Class, type: Class.name, isStatic: Class.fromHashes && true };
    if (Class.name !== 'BinaryFuseFilter') return [[Class.prototype.type, kind]];
    return [4, 3].map((arity) => [`fuse-${arity}`, { ...kind, arity }]);
  });

/** The payload size and the designed rate of a full filter. Checks that it finds all its keys. */
function measureFull({ Class, isStatic, arity }, members, rate) {
  const options = { ...rate, ...(arity && { arity }) };
  const filter = isStatic
    ? Class.fromHashes(members, options)
    : new Class({ capacity: members.length, ...options });
  if (!isStatic) filter.addHashes(members);
  const missed = members.length - ones(filter.hasHashes(members));
  if (missed > 0) throw new Error(`${Class.name}: ${missed} false negatives`);
  const payloadBytes = filter.toBytes().length - HEADER_BYTES;
  const { fpr: designedRate } = filter;
  filter.dispose();
  return { keys: members.length, payloadBytes, designedRate };
}

/** Pairs of a rate and the bits per key that `sizeFor` gives, from the highest rate to the lowest. */
function curve({ Class, isStatic, arity }) {
  const { largest, smallest, perDecade } = CURVE_RATES;
  const steps = Math.round(Math.log10(largest / smallest) * perDecade);
  const points = new Map();
  for (let i = 0; i <= steps; i++) {
    const fpr = largest * 10 ** (-i / perDecade);
    const asked = { capacity: CURVE_KEYS, fpr, ...(arity && { arity }) };
    let rate = 2 ** Math.floor(Math.log2(fpr));
    if (!isStatic) {
      const filter = new Class(asked);
      rate = filter.fpr;
      filter.dispose();
    }
    // A type with whole bits gives the same rate for several points of the chart.
    points.set(rate, (8 * Class.sizeFor(asked)) / CURVE_KEYS);
  }
  return [...points].map(([rate, bits]) => [Number(rate.toPrecision(5)), Number(bits.toFixed(3))]);
}

export function measureAccuracy({ keyCount, say }) {
  const sizes = SIZES.filter((size) => size <= 10 * keyCount);
  const members = randomHashes(0, Math.min(CURVE_KEYS, keyCount));
  const types = KINDS.map(([name, kind]) => {
    say(`accuracy: ${name}`);
    const { Class, ...shown } = kind;
    const widths = kind.isStatic ? BUILT_WIDTHS : undefined;
    return [
      name,
      {
        ...shown,
        sizes: sizes.map((size) => measureFull(kind, randomHashes(0, size), { fpr: RATE })),
        curve: curve(kind),
        built: widths?.map((fingerprintBits) => measureFull(kind, members, { fingerprintBits })),
      },
    ];
  });
  return { fpr: RATE, curveKeys: CURVE_KEYS, types: Object.fromEntries(types) };
}
