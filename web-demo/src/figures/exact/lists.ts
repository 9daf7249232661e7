// Both lists go through the two sieves. The second sieve stops the names that passed the first by mistake.

import { plural } from '../../format';
import type { Mark, Scene, Step, Tone } from '../shared/model';
import { chanceOf, listOf } from '../shared/words';
import { chipsHeight, describeLevels, drawChips, drawSieve, SIEVE_HEIGHT } from './draw';
import { excluded, findSeed, included, type Levels, levelsOf, makeFilter, wayOf } from './filter';

/** The places of names: above the first sieve, between the two, or below both. */
type Zone = 0 | 1 | 2;

interface Fall {
  readonly name: string;
  readonly zone: Zone;
  readonly tone: Tone;
}

const HEAD = 22;
const SPACE = 12;

const zoneLabels = ['The two lists', 'Passed the first sieve', 'Passed both sieves'] as const;

function drawFalls(falls: readonly Fall[], levels: Levels, width: number): Scene {
  const { first, second, caught } = levels;
  const room = [included.length + excluded.length, included.length + caught, included.length];
  const marks: Mark[] = [];
  const chips = new Map<string, Mark>();
  let y = 0;
  room.forEach((count, zone) => {
    const label = { x: 1, y: y + 9, text: zoneLabels[zone] as string, tone: 'faint' } as const;
    marks.push({ kind: 'text', key: `label ${zone}`, ...label });
    const bottom = y + HEAD + chipsHeight(count, width);
    const inZone = falls.filter((fall) => fall.zone === zone);
    for (const chip of drawChips(inZone, width, bottom)) chips.set(chip.key, chip);
    const level = [first, second][zone];
    const name = zone === 0 ? 'first' : 'second';
    if (level) marks.push(...drawSieve({ level, name, y: bottom }, width));
    y = bottom + SIEVE_HEIGHT + SPACE;
  });
  // Names come last, in an order that does not change when one falls, so that its fall is animated.
  const ordered = falls.flatMap(({ name }) => chips.get(`name ${name}`) ?? []);
  return { height: y - SIEVE_HEIGHT, marks: [...marks, ...ordered] };
}

const zoneWords = ['On the first sieve', 'On the second sieve', 'Below both sieves'] as const;

function describe(falls: readonly Fall[]): string[] {
  return zoneWords.map((words, zone) => {
    const names = falls.filter((fall) => fall.zone === zone).map(({ name }) => name);
    return `${words}: ${listOf(names) || 'no name'}.`;
  });
}

/** The steps of sifting both lists. */
export function listsSteps(): readonly Step[] {
  const seed = findSeed();
  const filter = makeFilter(seed);
  try {
    const levels = levelsOf(filter, seed);
    const ways = excluded.map((name) => wayOf(filter, levels, name, seed));
    const through = ways.filter(({ passesFirst }) => passesFirst).map(({ name }) => name);
    if (through.length !== levels.caught) throw new Error('the bytes count other names');
    for (const name of included) wayOf(filter, levels, name, seed);

    const put = (inner: Zone, wrong: Zone, wrongTone: Tone): Fall[] => [
      ...included.map((name): Fall => ({ name, zone: inner, tone: 'new' })),
      ...excluded.map((name): Fall => {
        const isThrough = through.includes(name);
        return { name, zone: isThrough ? wrong : 0, tone: isThrough ? wrongTone : 'off' };
      }),
    ];
    const bits = levels.first.width;
    const stored = included.length + levels.caught;
    const steps: Step[] = [];
    const push = (falls: Fall[], caption: string, answer?: Step['answer']) =>
      steps.push({
        caption,
        ...(answer ? { answer } : {}),
        scene: (width) => drawFalls(falls, levels, width),
        text: [...(answer ? [answer.words] : []), ...describe(falls), ...describeLevels(levels)],
      });

    push(
      put(0, 0, 'off'),
      `${included.length} names are included, the filled ones. ${excluded.length} are excluded. ` +
        'Two sieves will tell them apart, and keep no name.',
    );
    push(
      put(1, 0, 'off'),
      `The first sieve has ${plural(levels.first.slots.length, 'slot')} of ${bits} bits. ` +
        'They are solved so that every included name passes.',
    );
    push(
      put(1, 1, 'wrong'),
      `It stops ${excluded.length - through.length} of the excluded names. ${through.length} pass by chance: ` +
        `false positives, about 1 in ${2 ** bits}. The second sieve is there for these.`,
    );
    push(
      put(2, 1, 'wrong'),
      `The second sieve knows these ${stored} names only, by a bit each. The ${included.length} included names pass.`,
    );
    push(
      put(2, 1, 'locked'),
      `It stops the ${through.length} false positives, each of them. No error is left on the two lists.`,
    );
    steps.push(conclude(filter, levels, put(2, 1, 'locked')));
    return steps;
  } finally {
    filter.dispose();
  }
}

function conclude(
  filter: ReturnType<typeof makeFilter>,
  levels: Levels,
  falls: readonly Fall[],
): Step {
  const right = included.filter((name) => filter.has(name)).length;
  const denied = excluded.filter((name) => !filter.has(name)).length;
  const count = included.length + excluded.length;
  const words = `has is right for ${right + denied} of ${count} names.`;
  const bits = levels.first.slots.length * levels.first.width + levels.second.slots.length;
  const caption =
    `The slots take ${bits} bits for ${count} names. ` +
    `A name in neither list passes with a chance of ${chanceOf(filter.fprOutside)}.`;
  return {
    caption,
    answer: { verdict: 'absent', words },
    scene: (width) => drawFalls(falls, levels, width),
    text: [
      words,
      `has is true for ${right} of ${included.length} included names, and false for ${denied} of ${excluded.length} excluded ones.`,
      caption,
      ...describe(falls),
      ...describeLevels(levels),
    ],
  };
}
