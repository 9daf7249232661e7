// The wrong answers of tamis in a part's results.

import { binomialInterval } from '../../js/examples/binomial.mjs';
import { CONTENDERS, packageOf } from './contenders.mjs';
import { number } from './format.mjs';
import { alarms } from './report-url.mjs';

/** The probability that a fault is reported although there is none. */
const ALPHA = 1e-9;

/** One sentence for each kind of wrong answer in these counts. */
function* faultsIn(name, counts) {
  const { falseNegatives, falsePositives, asked, designedRate, isRight } = counts;
  if (falseNegatives > 0) yield `${name}: ${falseNegatives} false negatives`;
  if (isRight === false) yield `${name}: its lists of keys are wrong`;
  if (designedRate === undefined) return;
  const most = designedRate && binomialInterval(asked, designedRate, ALPHA).high;
  if (falsePositives > most) yield `${name}: ${falsePositives} of ${asked} absent keys pass`;
}

/** The counts of tamis in a part: a label, and the counts. */
function* countsOf(part, { contenders = {}, sets = [], asked, fingerprintBits }) {
  for (const [name, { counts }] of Object.entries(contenders)) {
    const contender = CONTENDERS[part][name];
    if (contender && packageOf(contender) === 'tamis') yield [name, counts];
  }
  for (const set of sets) {
    yield [
      `pages of ${number(set.keys)} keys`,
      { ...set, asked, designedRate: 2 ** -fingerprintBits },
    ];
  }
}

/** The wrong answers of tamis: one sentence each. */
export function faultsOf(part, results) {
  const faults = [];
  for (const [name, counts] of countsOf(part, results)) faults.push(...faultsIn(name, counts));
  if (part !== 'url') return faults;
  const { absentKeys, falseAlarms, rate } = alarms(results.contenders);
  const { low, high } = binomialInterval(absentKeys, rate, ALPHA);
  if (falseAlarms < low || falseAlarms > high) {
    faults.push(`${falseAlarms} false alarms for ${absentKeys} URLs`);
  }
  return faults;
}
