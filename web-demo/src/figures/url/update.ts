// An update: a delta of a few bytes turns the present list into the next one. FORMAT.md, section 5.20.
import type { UrlDelta, UrlList } from 'tamis/url';
import { bytes, hexOf, integer, plural } from '../../format';
import { payloadOf } from '../shared/bytes';
import { makeGrid } from '../shared/grid';
import type { Mark, Scene, Step, Tone } from '../shared/model';
import { listOf } from '../shared/words';
import { drawEntries, drawLegend, level, line } from './draw';
import { entries, entriesOf, hex, makeBuilder, readIntegers, readList } from './list';

const GONE: readonly string[] = ['gift-card.example/', 'game-skins.example/'];
const CAME: readonly string[] = [
  'quiz-reward.example/',
  'refund-desk.example/',
  'tap-to-pay.example/',
];

/** The number of hosts in the long list. */
const LONG = 20_000;

/** The sizes of the header and the record, in bytes. */
const HEADER = 64;
const RECORD = 8;

interface Change {
  readonly file: Uint8Array;
  /** The places of the removed entries in the old list. */
  readonly removals: readonly number[];
  readonly additions: readonly number[];
  /** The ends of the parts of the file. */
  readonly ends: readonly [header: number, record: number, removals: number, additions: number];
}

function readDelta(delta: UrlDelta): Change {
  const file = delta.toBytes();
  const view = payloadOf(file);
  const removals = readIntegers(view, RECORD, delta.removals, view.getUint8(5));
  const additions = readIntegers(view, removals.end, delta.additions, view.getUint8(6));
  const ends = [0, RECORD, removals.end, additions.end].map((end) => HEADER + end);
  if (ends[3] !== file.length) throw new Error('the bytes give a different delta');
  return {
    file,
    removals: removals.values,
    additions: additions.values,
    ends: ends as unknown as Change['ends'],
  };
}

function drawList(
  title: string,
  prefixes: readonly number[],
  width: number,
  toneOf: (prefix: number) => Tone,
): Scene {
  const drawn = drawEntries(prefixes, { width, top: 28 }, toneOf);
  return { height: drawn.bottom, marks: [line('title', 1, 12, title, true), ...drawn.marks] };
}

const PARTS: readonly (readonly [tone: Tone, name: string])[] = [
  ['off', 'header'],
  ['second', 'record'],
  ['wrong', 'what goes'],
  ['new', 'what comes'],
];

function drawFile({ file, ends }: Change, width: number): Scene {
  const top = 28;
  const grid = makeGrid(file.length, {
    width,
    top,
    wide: 32,
    narrow: 16,
    largest: 26,
    name: 'byte',
  });
  const partOf = (i: number) => PARTS[ends.findIndex((end) => i < end)] as (typeof PARTS)[number];
  const cells = [...file].map((byte, i) => grid.mark(i, partOf(i)[0], hexOf(Uint8Array.of(byte))));
  const legend = drawLegend(PARTS, width, top + grid.height + 10);
  return {
    height: legend.bottom,
    marks: [
      line('title', 1, 12, `The delta: ${file.length} bytes`, true),
      ...cells,
      ...legend.marks,
    ],
  };
}

function drawBars(rows: readonly (readonly [name: string, size: number])[], width: number): Scene {
  const most = Math.max(...rows.map(([, size]) => size));
  const marks = rows.flatMap(([name, size], i): Mark[] => [
    line(`bar name ${i}`, 1, 14 + 56 * i, `${name}: ${bytes(size)}`, true),
    {
      kind: 'cell',
      key: `bar${i}`,
      x: 1,
      y: 26 + 56 * i,
      width: Math.max(2, (size / most) * (width - 2)),
      height: 16,
      tone: i === 0 ? 'on' : 'new',
    },
  ]);
  return { height: 56 * rows.length + 4, marks };
}

/** The sizes of a long list, and of the same change to it. */
function measureLong(): { readonly list: number; readonly delta: number } {
  const many = Array.from({ length: LONG }, (_, i) => `host-${i}.example/`);
  const older = makeBuilder([...many, ...GONE]).build();
  const newer = makeBuilder([...many, ...CAME]).build();
  const delta = newer.diff(older);
  const sizes = { list: newer.toBytes().length, delta: delta.toBytes().length };
  for (const made of [older, newer, delta]) made.dispose();
  return sizes;
}

const answers = (list: UrlList): string =>
  listOf([...GONE, ...CAME].map((entry) => `${entry} '${list.check(`http://${entry}`)}'`));

/** The steps of one update. */
export function updateSteps(): readonly Step[] {
  const older = makeBuilder().build();
  const wanted = makeBuilder([
    ...entries.filter((entry) => !GONE.includes(entry)),
    ...CAME,
  ]).build();
  const delta = wanted.diff(older);
  const newer = older.apply(delta);
  try {
    const old = readList(older);
    const made = readList(newer);
    const change = readDelta(delta);
    const gone = change.removals.map((i) => old.prefixes[i] as number);
    const merged = [
      ...old.prefixes.filter((prefix) => !gone.includes(prefix)),
      ...change.additions,
    ];
    if (merged.sort((a, b) => a - b).join() !== made.prefixes.join()) {
      throw new Error('the delta makes another list');
    }
    const { file, additions, ends } = change;
    const long = measureLong();
    const listed = (prefixes: readonly number[]) => `Entries: ${prefixes.map(hex).join(' ')}.`;
    const sizes = `The header has ${ends[0]} bytes, the record ${RECORD}, the removals ${ends[2] - ends[1]}, the additions ${ends[3] - ends[2]}.`;
    return level([
      {
        caption: `Your browser has a list of ${old.prefixes.length} entries. The publisher has a newer one.`,
        scene: (width) => drawList('The list in hand', old.prefixes, width, () => 'off'),
        text: [
          `The list has ${entriesOf(old.prefixes.length)}.`,
          `The publisher's has ${entriesOf(made.prefixes.length)}.`,
          listed(old.prefixes),
          `check gives: ${answers(older)}.`,
        ],
      },
      {
        caption: `The browser fetches the difference alone: ${file.length} bytes. The whole list has ${made.file.length}.`,
        scene: (width) => drawFile(change, width),
        text: [
          `${plural(gone.length, 'removal')} and ${plural(additions.length, 'addition')} in ${file.length} bytes.`,
          sizes,
        ],
      },
      {
        caption: `First, ${entriesOf(gone.length)} are removed. The delta names only their places in the list.`,
        scene: (width) =>
          drawList('What goes', old.prefixes, width, (prefix) =>
            gone.includes(prefix) ? 'wrong' : 'off',
          ),
        text: change.removals.map(
          (i) => `Place ${i}, from 0: ${hex(old.prefixes[i] as number)} goes.`,
        ),
      },
      {
        caption: `Then ${entriesOf(additions.length)} are merged in. The list stays sorted.`,
        scene: (width) =>
          drawList('What comes', made.prefixes, width, (prefix) =>
            additions.includes(prefix) ? 'new' : 'off',
          ),
        text: additions.map((prefix) => `${hex(prefix)} comes.`),
      },
      {
        caption:
          'The package takes SHA-256 of the result. It must be the one that the delta names, or the old list stays.',
        answer: { verdict: 'absent', words: `The new list has ${made.prefixes.length} entries.` },
        scene: (width) => drawList('The new list', made.prefixes, width, () => 'off'),
        text: [
          `The new list has ${entriesOf(made.prefixes.length)}.`,
          'Its identity is the one that the delta names.',
          listed(made.prefixes),
          `check now gives: ${answers(newer)}.`,
        ],
      },
      {
        caption:
          `In a list of ${integer(LONG)} hosts, the same change takes ${bytes(long.delta)}. ` +
          `The whole list takes ${bytes(long.list)}.`,
        scene: (width) =>
          drawBars(
            [
              [`A list of ${integer(LONG)} hosts`, long.list],
              ['The delta', long.delta],
            ],
            width,
          ),
        text: [
          `The list has ${integer(long.list)} bytes, and the delta ${integer(long.delta)}.`,
          `That is one byte in ${integer(Math.round(long.list / long.delta))}.`,
        ],
      },
    ]);
  } finally {
    for (const made of [older, wanted, delta, newer]) made.dispose();
  }
}
