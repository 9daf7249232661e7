// The expressions of a URL, their hashes, and the search for 4 bytes of each in the sorted list.
import { plural } from '../../format';
import type { Mark, Scene, Step, Tone } from '../shared/model';
import { listOf } from '../shared/words';
import { drawEntries, drawPrefix, line, shorten } from './draw';
import { entriesOf, hex } from './list';
import { culpritOf, type Looked, type LookUp } from './look-up';

const ROW = 30;

interface Rows {
  /** True if the prefixes are shown: next to the expressions, or below them on a narrow page. */
  readonly hashes: boolean;
  readonly toneOf: (row: Looked) => Tone;
  /** The word after a prefix. */
  readonly wordOf?: (row: Looked) => string;
}

/** The expressions in rows. */
function drawRows(looked: readonly Looked[], width: number, rows: Rows): Scene {
  const { hashes, toneOf, wordOf = () => '' } = rows;
  const isWide = width >= 560;
  const height = isWide || !hashes ? ROW : 2 * ROW;
  const room = isWide ? width - 200 : width;
  const longest = Math.max(...looked.map(({ expression }) => expression.length));
  const column = isWide ? Math.min(room, longest * 7.6 + 24) : 2;
  const marks = looked.flatMap((one, i): Mark[] => {
    const y = 16 + i * height;
    const tone = toneOf(one);
    const isHit = tone === 'hit' || tone === 'wrong';
    const label = line(`row${i}`, 1, y, shorten(one.expression, room), isHit);
    if (tone === 'faint') return [{ ...label, tone }];
    if (!hashes) return [label];
    const below = isWide ? y : y + 26;
    return [
      label,
      drawPrefix(`prefix${i}`, one.prefix, column, below - 12, tone),
      line(`word${i}`, column + 80, below, wordOf(one), isHit),
    ];
  });
  return { height: 8 + looked.length * height, marks };
}

const describe = ({ expression, prefix }: Looked): string => `${expression}: ${hex(prefix)}`;

function makingExpressions({ looked }: LookUp): Step[] {
  const searched = looked.filter((one) => one.searched);
  const skipped = looked.length - searched.length;
  const all = `${plural(looked.length, 'expression')}: ${listOf(looked.map((one) => one.expression))}.`;
  const steps: Step[] = [
    {
      caption:
        'A list may hold the page, a folder above it, or a domain above its host. ' +
        `So the link has ${plural(looked.length, 'expression')}.`,
      scene: (width) => drawRows(looked, width, { hashes: false, toneOf: () => 'off' }),
      text: [all],
    },
  ];
  if (skipped > 0) {
    steps.push({
      caption:
        `The list says which shapes its entries have. ${plural(skipped, 'expression')} of other shapes ` +
        `${skipped === 1 ? 'needs' : 'need'} no search.`,
      scene: (width) =>
        drawRows(looked, width, {
          hashes: false,
          toneOf: (one) => (one.searched ? 'off' : 'faint'),
        }),
      text: [
        `Left to search: ${listOf(searched.map((one) => one.expression))}.`,
        `Of other shapes: ${listOf(looked.filter((one) => !one.searched).map((one) => one.expression))}.`,
      ],
    });
  }
  steps.push({
    caption:
      'SHA-256 makes 32 bytes of each expression. The first 4 bytes are searched in the list.',
    scene: (width) =>
      drawRows(looked, width, {
        hashes: true,
        toneOf: (one) => (one.searched ? 'new' : 'faint'),
      }),
    text: ['The first 4 bytes of each SHA-256, in hexadecimal:', ...searched.map(describe)],
  });
  return steps;
}

/** The entries around a place in the list, in words. */
function placeOf(prefix: number, prefixes: readonly number[]): string {
  const at = prefixes.findIndex((entry) => entry >= prefix);
  if (prefixes[at] === prefix) return `It is entry ${at + 1} of ${prefixes.length}.`;
  if (at < 0) return `It comes behind the last entry, ${hex(prefixes.at(-1) as number)}.`;
  if (at === 0) return `It comes before the first entry, ${hex(prefixes[0] as number)}.`;
  return `It would stand between ${hex(prefixes[at - 1] as number)} and ${hex(prefixes[at] as number)}.`;
}

function searching(one: Looked, { prefixes }: LookUp['list']): Step {
  const { expression, prefix, hit } = one;
  const next = prefixes.findIndex((entry) => entry >= prefix);
  const toneOf = (entry: number, i: number): Tone => {
    if (entry === prefix) return 'hit';
    const after = next < 0 ? prefixes.length : next;
    return !hit && (i === after || i === after - 1) ? 'looked' : 'off';
  };
  const scene = (width: number): Scene => {
    const top = drawPrefix('sought', prefix, 2, 28, hit ? 'hit' : 'miss');
    const drawn = drawEntries(prefixes, { width, top: 90 }, toneOf);
    return {
      height: drawn.bottom + 4,
      marks: [
        line('title', 1, 12, shorten(expression, width), true),
        top,
        line('title2', 1, 72, `The sorted list: ${entriesOf(prefixes.length)} of 4 bytes`, true),
        ...drawn.marks,
      ],
    };
  };
  const place = placeOf(prefix, prefixes);
  return {
    caption: hit
      ? `${hex(prefix)} is in the list: a hit.`
      : `${hex(prefix)} is not in the list. ${place}`,
    scene,
    text: [
      `${expression} has ${hex(prefix)}. ${place}`,
      `The list has ${entriesOf(prefixes.length)}.`,
      `The sorted list: ${prefixes.map(hex).join(' ')}`,
    ],
  };
}

function conclude(look: LookUp): Step {
  const { looked, answer, isListed } = look;
  const hits = looked.filter(({ hit }) => hit);
  const words =
    answer === 'safe'
      ? 'safe: the link is not in the list, and that is certain.'
      : isListed
        ? 'maybe: probably in the list, and that is right.'
        : 'maybe: probably in the list, and that is wrong: a false positive.';
  const why = hits.map(
    (one) => `${one.expression} has the 4 bytes of the entry ${culpritOf(one)}.`,
  );
  return {
    caption:
      answer === 'safe'
        ? 'None of the expressions is in the list. No server has heard of this link.'
        : isListed
          ? 'Four bytes of a hash may be those of another entry. So only the confirm server knows for certain.'
          : `Two hashes begin with the same 4 bytes. ${why[0]}`,
    answer: { verdict: answer === 'safe' ? 'absent' : isListed ? 'probable' : 'wrong', words },
    scene: (width) =>
      drawRows(looked, width, {
        hashes: true,
        toneOf: ({ searched, hit }) =>
          hit ? (isListed ? 'hit' : 'wrong') : searched ? 'miss' : 'faint',
        wordOf: ({ hit }) => (hit ? 'is in the list' : 'is not in the list'),
      }),
    text: [
      `check gives '${answer}'.`,
      words,
      hits.length === 0 ? 'No expression hits.' : `Hits: ${listOf(hits.map(describe))}.`,
      ...why,
    ],
  };
}

/** The steps from a canonical URL to the answer. */
export function searchSteps(look: LookUp): Step[] {
  const searched = look.looked.filter((one) => one.searched);
  return [
    ...makingExpressions(look),
    ...searched.map((one) => searching(one, look.list)),
    conclude(look),
  ];
}
