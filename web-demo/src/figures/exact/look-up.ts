// One name on its way through the two sieves.

import type { Mark, Scene, Step, Tone } from '../shared/model';
import { chanceOf, listOf } from '../shared/words';
import {
  CHIP_HEIGHT,
  CHIP_WIDTH,
  describeLevels,
  drawChip,
  drawSieve,
  SIEVE_HEIGHT,
  type Sieve,
  showBits,
  slotTop,
} from './draw';
import {
  checkOf,
  excluded,
  findSeed,
  included,
  isFalsePositive,
  type Levels,
  levelsOf,
  makeFilter,
  type Way,
  wayOf,
} from './filter';

/** The name's progress: above a sieve, through it, or through both. */
interface Stage {
  readonly zone: 0 | 1 | 2;
  /** The sieves whose slots were looked at. */
  readonly looked: 0 | 1 | 2;
}

const LINE = 20;
/** The number of rows for the words below a sieve: one for all, or one each. */
const rowsOfWords = (width: number): number => (width >= 640 ? 1 : 3);
/** The distance from a name down to the sieve that it looks at. */
const FALL = 36;
/** The distance from one sieve to the next. Between them are its words, the name and the lines. */
function storeyFor(width: number): number {
  return SIEVE_HEIGHT + 12 + rowsOfWords(width) * LINE + CHIP_HEIGHT + FALL;
}
const TOP = CHIP_HEIGHT + FALL + 2;

/** The two sides of the comparison below a sieve. */
function wordsOf(way: Way, levels: Levels, zone: 0 | 1): readonly [string, string, string] {
  const { name, first, second, low } = way;
  const { width } = levels.first;
  const check = checkOf(levels, first);
  return zone === 0
    ? [
        `XOR of these slots: ${showBits(first.sum, width)}`,
        `${name}'s check bits: ${showBits(check, width)}`,
        first.sum === check ? 'the same: it passes' : 'not the same: it stops',
      ]
    : [
        `XOR of these slots: ${second.sum}`,
        `${name}'s own bit: ${low}`,
        second.sum === low ? 'the same: it stops' : 'not the same: it passes',
      ];
}

function drawWay(way: Way, levels: Levels, stage: Stage, width: number): Scene {
  const marks: Mark[] = [];
  const storey = storeyFor(width);
  const isIncluded = included.includes(way.name);
  const doors = [way.passesFirst, way.passes];
  for (const zone of [0, 1] as const) {
    const row = zone === 0 ? way.first : way.second;
    const isLooked = stage.looked > zone;
    const tone: Tone = doors[zone] ? 'hit' : 'miss';
    const sieve: Sieve = {
      level: zone === 0 ? levels.first : levels.second,
      name: zone === 0 ? 'first' : 'second',
      y: TOP + zone * storey,
      tone,
      looked: isLooked ? row.marked : [],
    };
    marks.push(...drawSieve(sieve, width));
    if (!isLooked) continue;
    if (stage.zone === zone) {
      for (const slot of row.marked) {
        const end = slotTop(sieve, slot, width);
        const d = `M${width / 2} ${sieve.y - FALL}L${end.x} ${end.y - 1}`;
        marks.push({ kind: 'path', key: `line ${zone} ${slot}`, d, tone: 'looked' });
      }
    }
    marks.push(...drawWords(wordsOf(way, levels, zone), zone, tone, width));
  }
  const tone: Tone =
    isFalsePositive(way) && stage.zone === 2 ? 'wrong' : isIncluded ? 'new' : 'off';
  const y = TOP - FALL - CHIP_HEIGHT + stage.zone * storey;
  const chip = drawChip({ name: way.name, tone }, (width - CHIP_WIDTH) / 2, y);
  return { height: TOP + 2 * storey, marks: way.name === '' ? marks : [...marks, chip] };
}

function drawWords(
  words: readonly [string, string, string],
  zone: number,
  tone: Tone,
  width: number,
): Mark[] {
  const y = TOP + zone * storeyFor(width) + SIEVE_HEIGHT + 16;
  const isRow = rowsOfWords(width) === 1;
  return words.map((text, i) => {
    const place = isRow ? { x: 1 + i * 220, y } : { x: 1, y: y + i * LINE };
    const said = i === 2 ? { tone, bold: true } : {};
    return { kind: 'text', key: `words ${zone} ${i}`, ...place, text, ...said };
  });
}

function answerFor(way: Way): NonNullable<Step['answer']> {
  const { name, passes } = way;
  const isListed = included.includes(name) || excluded.includes(name);
  if (isFalsePositive(way)) {
    return {
      verdict: 'wrong',
      words: `has('${name}') is true, and that is wrong: a false positive.`,
    };
  }
  return {
    verdict: passes ? 'probable' : 'absent',
    words: `has('${name}') is ${passes}${isListed ? ', and that is certain' : ''}.`,
  };
}

function kindOf(name: string): string {
  if (included.includes(name)) return `${name} is an included name.`;
  if (excluded.includes(name)) return `${name} is an excluded name.`;
  return `${name} is in neither list.`;
}

/** The steps of looking a name up. */
export function lookUpSteps(name: string): readonly Step[] {
  const seed = findSeed();
  const filter = makeFilter(seed);
  try {
    const levels = levelsOf(filter, seed);
    const way = wayOf(filter, levels, name, seed);
    const step = (stage: Stage, caption: string, answer?: Step['answer']): Step => ({
      caption,
      ...(answer ? { answer } : {}),
      scene: (width) => drawWay(way, levels, stage, width),
      text: [caption, ...(answer ? [answer.words] : []), ...describeLevels(levels)],
    });
    const start = 'Two sieves, one below the other. A name must pass both.';
    if (name === '') return [step({ zone: 0, looked: 0 }, start)];

    const [sum, own] = wordsOf(way, levels, 0);
    const steps = [
      step({ zone: 0, looked: 0 }, `${start} ${kindOf(name)}`),
      step(
        { zone: 0, looked: 1 },
        `The hash of ${name} chooses slots ${listOf(way.first.marked)}. ${sum}. ${own}.`,
        way.passesFirst ? undefined : answerFor(way),
      ),
    ];
    if (!way.passesFirst) return steps;
    steps.push(
      step(
        { zone: 1, looked: 1 },
        included.includes(name)
          ? `The bits agree, as they do for every included name.`
          : `The bits agree by chance. The second sieve must decide.`,
      ),
    );
    const [sumBelow, ownBelow] = wordsOf(way, levels, 1);
    steps.push(
      step(
        { zone: 1, looked: 2 },
        `Here ${name} has slots ${listOf(way.second.marked)}. ${sumBelow}. ${ownBelow}. To pass, they must differ.`,
        way.passes ? undefined : answerFor(way),
      ),
    );
    if (way.passes)
      steps.push(step({ zone: 2, looked: 2 }, endCaption(way, filter.fprOutside), answerFor(way)));
    return steps;
  } finally {
    filter.dispose();
  }
}

function endCaption(way: Way, rate: number): string {
  return isFalsePositive(way)
    ? `${way.name} is in neither list. Such a name passes both sieves with a chance of ${chanceOf(rate)}.`
    : `${way.name} passes both sieves. Every included name does.`;
}
