// The badges of README.md, from the saved results: the same results give the same files, results/badges/*.svg.

import { makeBadge } from 'badge-maker';
import { kB, number, percent, time } from './format.mjs';

/** Shades that bear white letters. */
const COLOR = '#0b6b7d';
const LABEL_COLOR = '#46525b';

/** What each badge says, by its name: a label and a message. */
export function badges({ contenders }, { sizes }, dependencies) {
  const { times, counts } = contenders.tamis;
  return {
    size: ['BloomFilter, min + gzip', kB(sizes['tamis: BloomFilter'].gzip)],
    speed: ['look-up in Node', `${time(Math.max(times.hit.min, times.miss.min))} ns`],
    rate: ['false positives', percent(counts.falsePositives / counts.asked)],
    misses: ['false negatives', `${counts.falseNegatives} of ${number(counts.keys)}`],
    dependencies: ['dependencies', number(dependencies)],
  };
}

/** The file of a badge. */
export const drawBadge = ([label, message]) =>
  `${makeBadge({ label, message, labelColor: LABEL_COLOR, color: COLOR })}\n`;

/** The badges as pictures of a document at the top of the repository. */
export const badgeLine = (all) =>
  Object.entries(all)
    .map(([name, text]) => `![${text.join(': ')}](js/bench/results/badges/${name}.svg)`)
    .join(' ');
