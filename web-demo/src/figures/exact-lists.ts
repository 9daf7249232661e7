// Both lists go through the two sieves: the second stops what the first let through by mistake.

import { percent, plural } from '../format';
import { chipsHeight, drawChips, drawSieve, SIEVE_HEIGHT } from './exact-draw';
import {
  excluded,
  findSeed,
  included,
  type Levels,
  levelsOf,
  makeFilter,
  wayOf,
} from './exact-filter';
import type { Mark, Scene, Step, Tone } from './model';
import { listOf } from './words';

/** Where names lie: above the first sieve, between the two, or below both. */
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
  let y = 0;
  const marks = room.flatMap((count, zone) => {
    const top = y;
    const bottom = top + HEAD + chipsHeight(count, width);
    y = bottom + SIEVE_HEIGHT + SPACE;
    const names = falls.filter((fall) => fall.zone === zone);
    const label = { x: 1, y: top + 9, text: zoneLabels[zone] as string, tone: 'faint' } as const;
    const chips: Mark[] = [
      { kind: 'text', key: `label ${zone}`, ...label },
      ...drawChips(names, width, bottom),
    ];
    if (zone === 2) return chips;
    const level = zone === 0 ? first : second;
    const name = zone === 0 ? 'first' : 'second';
    return [...drawSieve({ level, name, y: bottom }, width), ...chips];
  });
  return { height: y - SIEVE_HEIGHT, marks };
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
    const levels = levelsOf(filter);
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

function describeLevels({ first, second }: Levels): string[] {
  const bits = (slots: readonly number[], width: number) =>
    slots.map((slot) => slot.toString(2).padStart(width, '0')).join(' ');
  return [
    `Slots of the first sieve: ${bits(first.slots, first.width)}.`,
    `Slots of the second sieve: ${bits(second.slots, second.width)}.`,
  ];
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
    `A name in neither list passes with a chance of ${percent(filter.fprOutside)}.`;
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
