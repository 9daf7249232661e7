// One look-up, bit by bit. A false positive shows whose bits it found.

import type { Step } from '../shared/model';
import { members } from '../shared/names';
import { judgeLookUp, listOf } from '../shared/words';
import { deriveBits, describeDerivation } from './derive';
import { bitsOf, HASHES, makeFilter, positionsOf, settersOf } from './filter';
import { drawLookUp, type LookUp } from './look-up-draw';

function describeLooked({ bits, positions }: LookUp, looked: number): string {
  const items = positions
    .slice(0, looked)
    .map((bit) => `bit ${bit} (${bits[bit] ? 'set' : 'clear'})`);
  return `Looked at: ${listOf(items)}.`;
}

const isIn = (bits: readonly boolean[]): string[] => [
  `${members.length} names are in the filter: ${listOf(members)}.`,
  `${bits.filter(Boolean).length} of its ${bits.length} bits are set.`,
];

function beginning(lookUp: LookUp): Step {
  const { bits } = lookUp;
  const before: LookUp = { ...lookUp, positions: [] };
  return {
    caption:
      `${members.length} names went into these ${bits.length} bits. Each name set ${HASHES} of ` +
      'them. The names themselves are not kept.',
    scene: (width, pressed) => drawLookUp(before, { looked: 0 }, width, pressed),
    text: isIn(bits),
  };
}

function hashing(lookUp: LookUp): Step {
  const { name, positions, bits } = lookUp;
  const derivation = deriveBits(name);
  const chosen = `The hash of ${name} chooses the bits ${listOf(positions)}.`;
  const words = describeDerivation(name, derivation);
  return {
    caption: `${chosen} Four numbers are made from the hash, and the first seven bits of each are a position.`,
    scene: (width, pressed) => drawLookUp(lookUp, { looked: 0, derivation }, width, pressed),
    text: [...isIn(bits), chosen, ...words],
  };
}

function looking(lookUp: LookUp, looked: number): Step {
  const { name, bits, positions } = lookUp;
  const bit = positions[looked - 1] as number;
  const scene = (width: number, pressed?: string) => drawLookUp(lookUp, { looked }, width, pressed);
  const text = [...isIn(bits), describeLooked(lookUp, looked)];
  if (bits[bit]) {
    return { caption: `Bit ${bit} is set, so ${name} may be in the set.`, scene, text };
  }
  const answer = judgeLookUp(name, false, false);
  return {
    caption: `Bit ${bit} is clear. Adding ${name} would have set it. One clear bit is enough.`,
    answer,
    scene,
    text: [...text, `Answer: false. ${answer.words}`],
  };
}

function conclude(lookUp: LookUp): Step {
  const { name, bits, positions, setters } = lookUp;
  const wrong = !members.includes(name);
  const answer = judgeLookUp(name, true, !wrong);
  const culprits = positions.map((bit) => `Bit ${bit} was set by ${listOf(setters[bit] ?? [])}.`);
  const looked = positions.length;
  return {
    caption: wrong
      ? `Nobody added ${name}. Other names set all of its bits. The lines lead from each bit to them.`
      : `All of its bits are set, since ${name} was added. The filter cannot know who set them.`,
    answer,
    scene: (width, pressed) =>
      drawLookUp(lookUp, { looked, end: wrong ? 'wrong' : 'member' }, width, pressed),
    text: [
      ...isIn(bits),
      describeLooked(lookUp, looked),
      `Answer: true. ${answer.words}`,
      ...(wrong ? culprits : []),
    ],
  };
}

/** The steps of looking a name up. */
export function lookUpSteps(name: string): readonly Step[] {
  const filter = makeFilter();
  try {
    const bits = bitsOf(filter);
    const setters = settersOf(filter, members);
    const positions = name === '' ? [] : positionsOf(filter, name);
    const lookUp = { name, bits, positions, setters };
    if (name === '') return [beginning(lookUp)];
    const clear = positions.findIndex((bit) => !bits[bit]);
    const looked = clear < 0 ? positions.length : clear + 1;
    const steps = [beginning(lookUp), hashing(lookUp)];
    for (let i = 1; i <= looked; i++) steps.push(looking(lookUp, i));
    if (clear < 0) steps.push(conclude(lookUp));
    return steps;
  } finally {
    filter.dispose();
  }
}
