// Faults of results: false answers, and measures that take longer than before.

import { binomialInterval } from '../../js/examples/binomial.mjs';
import { CONTENDERS, packageOf } from './contenders.mjs';
import { number, table } from './format.mjs';
import { alarms } from './report-url.mjs';

/** The probability that a fault is reported although there is none. */
const ALPHA = 1e-9;
const MUCH = 1.05;

/** The measures of a part that are slower than those of the build before by more than 5 %. */
export function slowerTable(part, { contenders, before, rounds }) {
  let compared = 0;
  const rows = [];
  for (const [name, { times }] of Object.entries(contenders)) {
    for (const [measure, { min }] of Object.entries(times)) {
      const old = before[name].times[measure]?.min;
      if (old === undefined) continue;
      compared++;
      if (min <= MUCH * old) continue;
      rows.push([name, measure, number(old, 2), number(min, 2), `${number(min / old, 2)}x`]);
    }
  }
  const head = `${part}: of ${compared} minima of ${rounds} rounds, ${rows.length} are slower by more than 5 %`;
  if (rows.length === 0) return head;
  return `${head}\n\n${table(['', 'measure', 'before', 'after', ''], rows)}`;
}

/** True if the rate is above the designed one; false if there is no designed rate. */
const isAbove = ({ falsePositives, asked, designedRate }) =>
  falsePositives > (designedRate && binomialInterval(asked, designedRate, ALPHA).high);

/** All counts of tamis in a part: a label, and the counts. */
function* countsOf(part, { contenders = {}, refused = {}, types = {} }) {
  for (const [name, { counts }] of Object.entries(contenders)) {
    if (packageOf(CONTENDERS[part][name]) === 'tamis') yield [name, counts];
  }
  for (const [name, counts] of Object.entries(refused)) yield [`${name}, refusing`, counts];
  for (const [name, { sizes, built = [], isStatic }] of Object.entries(types)) {
    for (const size of [...sizes, ...built]) {
      // One small Bloom filter may have a higher rate than most, so its rate is not checked.
      const { designedRate, ...counts } = size;
      yield [`${name}, ${number(size.keys)} keys`, isStatic ? size : counts];
    }
  }
}

/** The counts of pages. They are built once, so their rate is exactly that of their fingerprints. */
function* faultsOfPages({ asked, fingerprintBits, sets }) {
  const { low, high } = binomialInterval(asked, 2 ** -fingerprintBits, ALPHA);
  for (const { keys, falseNegatives, falsePositives } of sets) {
    const name = `pages of ${number(keys)} keys`;
    if (falseNegatives > 0) yield `${name}: ${falseNegatives} false negatives`;
    if (falsePositives < low || falsePositives > high) {
      yield `${name}: ${falsePositives} of ${asked} absent keys pass, not ${low} to ${high}`;
    }
  }
}

/** The wrong answers of tamis: one sentence each. */
export function faultsOf(part, results) {
  const faults = [];
  for (const [name, counts] of countsOf(part, results)) {
    const { falseNegatives, falsePositives, asked, isRight } = counts;
    if (falseNegatives > 0) faults.push(`${name}: ${falseNegatives} false negatives`);
    if (isAbove(counts)) faults.push(`${name}: ${falsePositives} of ${asked} absent keys pass`);
    if (isRight === false) faults.push(`${name}: its lists of keys are wrong`);
  }
  if (part === 'pages') faults.push(...faultsOfPages(results));
  if (part === 'url' && results.contenders.set) {
    const { absentKeys, falseAlarms, rate } = alarms(results.contenders);
    const { low, high } = binomialInterval(absentKeys, rate, ALPHA);
    if (falseAlarms < low || falseAlarms > high) {
      faults.push(`${falseAlarms} false alarms for ${absentKeys} URLs`);
    }
  }
  return faults;
}
