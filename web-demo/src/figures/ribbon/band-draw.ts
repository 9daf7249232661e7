// Draws a stage of the build of a ribbon filter.
import type { Mark, Scene, Tone } from '../shared/model';
import type { Level } from '../shared/retrieval';
import type { KeyEquation } from './filter';
import { type DrawnRow, drawSystem, type Frame, placesOf } from './system';

type Text = Extract<Mark, { kind: 'text' }>;

export interface Stage {
  readonly rows: readonly DrawnRow[];
  readonly slots: readonly (number | null)[];
  /** The text in the empty corner on the left. */
  readonly state: string;
  /** A key whose row is emphasized. The other rows are then drawn faintly. */
  readonly shown?: KeyEquation;
}

function frameOf({ slots, width: bits }: Level, width: number): Frame {
  const columns = slots.length;
  const bit = width >= 560 ? 6 : 3.5;
  const across = (width - (bits + 2) * bit) / columns;
  const down = width >= 560 ? 2.5 : 1.5;
  return { left: 0, top: 2, columns, lines: columns, bits, across, down, bit };
}

/** Draws lines from the marks of a row down to the slots, and one to its fingerprint. */
function drawFall({ key, marked }: KeyEquation, line: number, frame: Frame): Mark {
  const { left, top, across, down } = frame;
  const { slots, sums } = placesOf(frame);
  const xOf = (slot: number) => left + (slot + 0.5) * across;
  const from = top + (line + 0.5) * down;
  const falls = marked.map((slot) => `M${xOf(slot)} ${from}V${slots}`).join('');
  const d = `${falls}M${xOf(marked.at(-1) as number)} ${from}H${sums}`;
  return { kind: 'path', key: `fall ${key}`, d, tone: 'fine' };
}

export function drawStage(stage: Stage, level: Level, width: number): Scene {
  const { rows, slots, state, shown } = stage;
  const frame = frameOf(level, width);
  const { right, bottom, end } = placesOf(frame);
  const say = (key: string, text: string, place: Pick<Text, 'x' | 'y' | 'anchor'>): Mark => ({
    kind: 'text',
    key,
    text,
    ...place,
  });
  const line = rows.find(({ key }) => key === shown?.key)?.line ?? 0;
  // The rows run below the words until they are sorted.
  const ground: Mark = {
    ...{ kind: 'path', key: 'words', tone: 'ground', filled: true },
    d: `M4 ${bottom - 46}h${7 * state.length + 8}v44H4z`,
  };
  const texts: Mark[] = [
    ...(shown ? [] : [ground]),
    say('prints', 'fingerprints \u2192', { x: right - 6, y: 16, anchor: 'end' }),
    say('state', state, { x: 8, y: bottom - 34, anchor: 'start' }),
    say('stored', 'slots \u2193', { x: 8, y: bottom - 14, anchor: 'start' }),
  ];
  const toneOf = (slot: number): Tone => (!shown || shown.marked.includes(slot) ? 'blend' : 'off');
  const system = drawSystem(rows, slots, frame, toneOf);
  const fall = shown ? [drawFall(shown, line, frame)] : [];
  return { height: end + 4, marks: [...system, ...fall, ...texts] };
}
