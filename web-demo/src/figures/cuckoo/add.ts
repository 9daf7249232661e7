// Names are added until the filter is full. Fingerprints that make room are moved one by one.

import { plural } from '../../format';
import type { Step, Tone } from '../shared/model';
import { type Picture, stepOf } from './draw';
import {
  type Adding,
  addUntilFull,
  BUCKET_SIZE,
  FINGERPRINT_BITS,
  findExample,
  makeFilter,
  type Standing,
  slotsOf,
} from './filter';

/** The number of names that are added step by step. After these, all names that find room at once share a step. */
const FIRST = 3;

/** The fingerprint in each slot, for these positions of the names. */
function slotsFor(standing: Standing, fingerprints: ReadonlyMap<string, number>): number[] {
  return standing.map((name) => (name === undefined ? 0 : (fingerprints.get(name) as number)));
}

const bucketOf = (slot: number): number => Math.floor(slot / BUCKET_SIZE);

/** The steps of adding one name, which may be rejected. */
function addingSteps(adding: Adding, fingerprints: ReadonlyMap<string, number>): Step[] {
  const { name, home, taken, moves, standings } = adding;
  const { fingerprint, first, second } = home;
  const looked = [first, second];
  const waiting = { name, home, tone: 'new' as Tone };
  const picture = (standing: Standing): Picture => {
    return { slots: slotsFor(standing, fingerprints), standing };
  };
  const before = picture(standings[0] as Standing);
  const hash = `The hash of ${name} gives the fingerprint ${fingerprint} and the buckets ${first} and ${second}.`;
  const isRefused = !taken;
  const isTight = isRefused || moves.length > 0;
  const steps = [
    stepOf({ ...before, waiting, looked }, `${hash}${isTight ? ' Both buckets are full.' : ''}`),
  ];
  if (isRefused) return [...steps, refusedStep({ ...before, waiting, looked }, name)];
  moves.forEach((move, i) => {
    const standing = standings[i + 1] as Standing;
    const moved = standing[move.to] as string;
    const tones = new Map<number, Tone>([[move.to, 'second']]);
    const why =
      i === 0
        ? 'Its fingerprint and the bucket it stands in tell which that is.'
        : 'The move before made room for it.';
    steps.push(
      stepOf(
        { ...picture(standing), waiting, looked, tones, move },
        `${moved} moves to its other bucket, ${bucketOf(move.to)}. ${why}`,
      ),
    );
  });
  const last = standings.at(-1) as Standing;
  const slot = last.indexOf(name);
  const other = bucketOf(slot) === first || isTight ? '' : ` Bucket ${first} is full.`;
  steps.push(
    stepOf(
      { ...picture(last), looked: [bucketOf(slot)], tones: new Map([[slot, 'new']]) },
      `${other}${isTight ? ` Now there is room.` : ''} ${name} goes into bucket ${bucketOf(slot)}.`.trim(),
    ),
  );
  return steps;
}

function refusedStep(picture: Picture, name: string): Step {
  const free = picture.slots.filter((fingerprint) => fingerprint === 0).length;
  const why =
    free === 0
      ? `All ${picture.slots.length} slots are taken.`
      : `No chain of moves leads to one of the free slots, ${free} in number.`;
  return stepOf(picture, `${why} add('${name}') throws ERR_TAMIS_FULL and changes nothing.`, {
    verdict: 'refused',
    words: `Full: ${name} is refused.`,
  });
}

/** Checks that each added name is still found, and reports that. */
function lastStep(additions: readonly Adding[], seed: bigint, picture: Picture): Step {
  const names = additions.filter(({ taken }) => taken).map(({ name }) => name);
  const filter = makeFilter(seed, names);
  try {
    const same = slotsOf(filter).join() === picture.slots.join();
    if (!same) throw new Error('the same names made another filter');
    const found = names.filter((name) => filter.has(name)).length;
    return stepOf(
      picture,
      `No move lost a name. The filter was made for ${plural(filter.capacity, 'name')}, and takes more while there is room.`,
      { verdict: 'probable', words: `${found} of ${names.length} names are found.` },
    );
  } finally {
    filter.dispose();
  }
}

/** The steps from the empty filter to the name that finds no room. */
export function addSteps(): readonly Step[] {
  const { seed } = findExample();
  const additions = addUntilFull(seed);
  const fingerprints = new Map(additions.map(({ name, home }) => [name, home.fingerprint]));
  const empty = additions[0]?.standings[0] as Standing;
  const nothing: Picture = { slots: empty.map(() => 0), standing: empty };
  const steps = [
    stepOf(
      nothing,
      `Each of these ${empty.length / BUCKET_SIZE} buckets is a nest with ${BUCKET_SIZE} slots. A slot keeps ` +
        `${FINGERPRINT_BITS} bits of a key: its fingerprint, a number. The names beside them are for you.`,
    ),
  ];
  const firstTight = additions.findIndex(({ moves }) => moves.length > 0);
  additions.forEach((adding, i) => {
    if (i < FIRST || i >= firstTight) steps.push(...addingSteps(adding, fingerprints));
    else if (i === firstTight - 1) steps.push(bulkStep(adding, firstTight - FIRST, fingerprints));
  });
  const full = additions.at(-1) as Adding;
  const standing = full.standings[0] as Standing;
  steps.push(lastStep(additions, seed, { slots: full.slots, standing }));
  return steps;
}

function bulkStep(last: Adding, count: number, fingerprints: ReadonlyMap<string, number>): Step {
  const standing = last.standings.at(-1) as Standing;
  return stepOf(
    { slots: slotsFor(standing, fingerprints), standing },
    `${count} more names find a free slot in one of their two buckets, the first if it has one.`,
  );
}
