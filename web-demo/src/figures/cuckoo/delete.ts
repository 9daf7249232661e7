// A name is looked up and then deleted. Deleting a false positive also deletes a real key.

import type { Step, Tone } from '../shared/model';
import { judgeLookUp, listOf } from '../shared/words';
import { type Picture, stepOf } from './draw';
import {
  addUntilFull,
  BUCKET_SIZE,
  findExample,
  findSlot,
  held,
  homeOf,
  makeFilter,
  type Standing,
  slotsOf,
} from './filter';

/** The slots of the members. Nothing had to be moved for them. */
function standingOf(seed: bigint): Standing {
  return addUntilFull(seed)[held.length - 1]?.standings.at(-1) as Standing;
}

/** The effect of the delete on the other names, by the filter's present answers. */
function aftermath(name: string, lost: readonly string[], picture: Picture): Step {
  const victim = lost[0];
  if (victim !== undefined) {
    return stepOf(
      picture,
      `Nobody deleted ${victim}, but ${name} took its fingerprint along. Delete only keys that you added.`,
      {
        verdict: 'wrong',
        words: `has('${victim}') is false, and that is wrong: a false negative.`,
      },
    );
  }
  return stepOf(
    picture,
    held.includes(name)
      ? `Each of the other ${held.length - 1} names is still found. Delete a key that you added, and no other is lost.`
      : 'Each name is still found, since two have this fingerprint and these buckets. One of them is gone all the same.',
    { verdict: 'probable', words: 'No other name is missing.' },
  );
}

/** The steps of looking a name up, and of deleting it. */
export function deleteSteps(name: string): readonly Step[] {
  const { seed } = findExample();
  const filter = makeFilter(seed, held);
  try {
    const slots = slotsOf(filter);
    const standing = standingOf(seed);
    const full: Picture = { slots, standing };
    const steps = [
      stepOf(
        full,
        `${held.length} names are in: ${listOf(held)}. The filter knows only the numbers.`,
      ),
    ];
    if (name === '') return steps;

    const home = homeOf(name, slots.length / BUCKET_SIZE, seed);
    const { fingerprint, first, second } = home;
    // A member is in its slot already, so it is not drawn a second time.
    const waiting = { name: held.includes(name) ? `${name}?` : name, home, tone: 'new' as Tone };
    const looked = [first, second];
    steps.push(
      stepOf(
        { ...full, waiting, looked },
        `The hash of ${name} gives the fingerprint ${fingerprint} and the buckets ${first} and ${second}.`,
      ),
    );

    const slot = findSlot(slots, first, fingerprint) ?? findSlot(slots, second, fingerprint);
    const found = filter.has(name);
    if (found !== (slot !== undefined)) throw new Error(`the bytes do not show ${name}`);
    const answer = judgeLookUp(name, found, held.includes(name));
    if (slot === undefined) {
      steps.push(
        stepOf(
          { ...full, waiting, looked },
          `Neither bucket has the fingerprint ${fingerprint}. delete('${name}') is ${filter.delete(name)}, and nothing changes.`,
          answer,
        ),
      );
      return steps;
    }

    const owner = standing[slot] as string;
    const bucket = Math.floor(slot / BUCKET_SIZE);
    const tone: Tone = answer.verdict === 'wrong' ? 'wrong' : 'hit';
    const tones = new Map<number, Tone>([[slot, tone]]);
    steps.push(
      stepOf(
        { ...full, waiting, looked, tones },
        owner === name
          ? `Bucket ${bucket} has the fingerprint ${fingerprint}. It is the one that ${name} put there.`
          : `Bucket ${bucket} has the fingerprint ${fingerprint}. It is that of ${owner}, who has the same buckets.`,
        answer,
      ),
    );

    const deleted = filter.delete(name);
    const after = slotsOf(filter);
    const cleared = after.flatMap((value, i) => (value === slots[i] ? [] : [i]));
    if (!deleted || cleared.join() !== String(slot)) throw new Error('another slot was cleared');
    const left = standing.map((stands, i) => (i === slot ? undefined : stands));
    const empty: Picture = { slots: after, standing: left };
    steps.push(
      stepOf(
        { ...empty, waiting, looked: [bucket] },
        `delete('${name}') is true: the fingerprint ${fingerprint} of bucket ${bucket} is gone. The filter cannot know whose it was.`,
      ),
    );
    const lost = held.filter((other) => other !== name && !filter.has(other));
    steps.push(
      aftermath(name, lost, lost.length === 0 ? empty : missing(empty, lost[0] as string, seed)),
    );
    return steps;
  } finally {
    filter.dispose();
  }
}

/** The lost name, above the buckets in which its fingerprint should be. */
function missing(picture: Picture, name: string, seed: bigint): Picture {
  const home = homeOf(name, picture.slots.length / BUCKET_SIZE, seed);
  return { ...picture, waiting: { name, home, tone: 'wrong' }, looked: [home.first, home.second] };
}
