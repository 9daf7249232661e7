// A d-left counting filter: a fingerprint with a small counter, in the emptiest of four buckets.
import { DLeftCountingFilter, hashKey } from 'tamis';
import { range } from '../shared/bit-field';
import { payloadOf, readField, readU64 } from '../shared/bytes';
import {
  type Call,
  type Called,
  drawCall,
  isWrong,
  makeStep,
  makeTurns,
  type Turn,
  toneOf,
} from '../shared/calls';
import { CHIP_HEIGHT } from '../shared/chips';
import { fmix64, scale, splitmix64 } from '../shared/hash';
import type { FigureType, Mark, Scene, Step, Tone } from '../shared/model';
import { members } from '../shared/names';
import { listOf } from '../shared/words';

const OPTIONS = { capacity: 48, fpr: 0.1 };
const TABLES = 4;
const CELLS = 8;
/** The number of names that are added before one of them is added again, and deleted. */
const NAMES = 8;

interface Cell {
  readonly remainder: number;
  readonly copies: number;
}

interface Table {
  readonly buckets: number;
  readonly remainderBits: number;
  /** The cells by sub-table, bucket and place. */
  readonly cells: readonly Cell[];
}

function tableOf(filter: DLeftCountingFilter): Table {
  const payload = payloadOf(filter.toBytes());
  const buckets = readU64(payload, 0);
  const remainderBits = payload.getUint32(8, true);
  const cells = range(TABLES * buckets * CELLS).map((c) => {
    const cell = readField(payload, 16, c, remainderBits + 2);
    return { remainder: cell % 2 ** remainderBits, copies: Math.floor(cell / 2 ** remainderBits) };
  });
  return { buckets, remainderBits, cells };
}

/** A key's remainder, and its bucket in each sub-table: FORMAT.md, 5.9. */
interface Place {
  readonly remainder: number;
  /** The numbers of the buckets, counted through all sub-tables. */
  readonly buckets: readonly number[];
}

function placeOf(key: string, { buckets, remainderBits }: Table): Place {
  const g = fmix64(hashKey(key));
  const q = g & ((1n << BigInt(remainderBits)) - 1n);
  const mix = splitmix64(q);
  const first = scale(g, buckets);
  const turns = [0, ...[0n, 21n, 42n].map((shift) => scale(mix << shift, buckets))];
  return {
    remainder: Number(q),
    buckets: turns.map((turn, i) => i * buckets + ((first + turn) % buckets)),
  };
}

interface Shown extends Turn<Table> {
  /** The place of the called key. */
  readonly place?: Place;
}

const bucketOf = (cell: number): number => Math.floor(cell / CELLS);

function usedIn({ cells }: Table, bucket: number): number {
  return cells.filter(({ copies }, c) => copies > 0 && bucketOf(c) === bucket).length;
}

/** The cell that the call changed, or in which its key was found. */
function touchedCell({ now, before, called, place }: Shown): number {
  if (!called || !place) return -1;
  if (called.do !== 'has') {
    return now.cells.findIndex(({ copies }, c) => copies !== before.cells[c]?.copies);
  }
  return now.cells.findIndex(
    ({ remainder, copies }, c) =>
      copies > 0 && remainder === place.remainder && place.buckets.includes(bucketOf(c)),
  );
}

const hex = ({ remainder }: Cell): string => remainder.toString(16).padStart(2, '0');

function drawTable(shown: Shown, width: number): Scene {
  const { now: table, called, place } = shown;
  const touched = touchedCell(shown);
  const wide = width >= 640;
  const side = Math.floor((wide ? width / TABLES - 20 : width - 12) / CELLS);
  const [pitch, tall] = [36, 24];
  const marks: Mark[] = [drawCall(shown, width)];
  const high = table.buckets * pitch + 28;
  const head = CHIP_HEIGHT + 20;
  const corner = (bucket: number) => {
    const [i, row] = [Math.floor(bucket / table.buckets), bucket % table.buckets];
    return {
      x: 6 + (wide ? (i * width) / TABLES : 0),
      y: head + 18 + row * pitch + (wide ? 0 : i * high),
    };
  };
  for (let bucket = 0; bucket < TABLES * table.buckets; bucket++) {
    const { x, y } = corner(bucket);
    if (bucket % table.buckets === 0) {
      const text = `Sub-table ${bucket / table.buckets + 1}`;
      marks.push({
        kind: 'text',
        key: `table ${bucket}`,
        x: x - 4,
        y: y - 16,
        text,
        tone: 'faint',
      });
    }
    const mine = place?.buckets.includes(bucket);
    const box = { x: x - 4, y: y - 4, width: side * CELLS + 5, height: tall + 8 };
    marks.push({ kind: 'cell', key: `bucket ${bucket}`, ...box, tone: mine ? 'miss' : 'faint' });
    for (let c = bucket * CELLS; c < (bucket + 1) * CELLS; c++) {
      const cell = table.cells[c] as Cell;
      const at = { x: x + (c % CELLS) * side, y, width: side - 3, height: tall };
      const text =
        cell.copies === 0 ? '' : cell.copies > 1 ? `${hex(cell)}x${cell.copies}` : hex(cell);
      marks.push({
        kind: 'cell',
        key: `cell${c}`,
        ...at,
        tone: toneOfCell(c, cell, touched, called),
        text,
      });
    }
  }
  return { height: head + (wide ? high : TABLES * high) + 4, marks };
}

function toneOfCell(c: number, { copies }: Cell, touched: number, called?: Called): Tone {
  if (c === touched && called) return isWrong(called) ? 'wrong' : toneOf(called);
  return copies > 0 ? 'on' : 'off';
}

/** The name of a bucket, such as: sub-table 2, bucket 1. */
function nameBucket(bucket: number, { buckets }: Table): string {
  return `sub-table ${Math.floor(bucket / buckets) + 1}, bucket ${(bucket % buckets) + 1}`;
}

function captionOf(shown: Shown): string {
  const { now: table, before, called, place } = shown;
  if (!called || !place) {
    return `${TABLES} sub-tables of ${table.buckets} buckets. A key has one bucket in each. A bucket has room for ${CELLS} fingerprints.`;
  }
  const { do: name, key, result } = called;
  const touched = touchedCell(shown);
  const copies = table.cells[touched]?.copies ?? 0;
  const where = touched < 0 ? '' : nameBucket(bucketOf(touched), table);
  const print = place.remainder.toString(16).padStart(2, '0');
  if (name === 'add') {
    const had = before.cells[touched]?.copies ?? 0;
    if (had > 0)
      return `The fingerprint ${print} is there already. Its counter grows to ${copies}.`;
    const used = place.buckets.map((bucket) => usedIn(before, bucket));
    return `${key} has the fingerprint ${print}. Its four buckets hold ${listOf(used)}. It goes to the emptiest, the leftmost of equals: ${where}.`;
  }
  if (name === 'delete') {
    return copies > 0
      ? `Deleting ${key} takes 1 from its counter, which is ${copies} now.`
      : `Deleting the last copy of ${key} frees the cell. No other key's fingerprint changes.`;
  }
  return result
    ? `The fingerprint ${print} stands in ${where}. countOf('${key}') is ${copies}.`
    : `None of the four buckets holds the fingerprint ${print}.`;
}

function describeCells({ cells, buckets }: Table): string[] {
  return range(TABLES * buckets).map((bucket) => {
    const used = cells.filter(({ copies }, c) => copies > 0 && bucketOf(c) === bucket);
    const items = used.map((cell) => `${hex(cell)} (${cell.copies})`);
    const name = nameBucket(bucket, { cells, buckets, remainderBits: 0 });
    return `S${name.slice(1)}: ${items.length === 0 ? 'empty' : items.join(' ')}.`;
  });
}

/** The drawing must agree with the bytes: an add changes a cell in one of the key's buckets to its remainder. */
function check(shown: Shown): void {
  const { called, place, now: table } = shown;
  if (!called || !place || called.do === 'has') return;
  const touched = touchedCell(shown);
  const right = place.buckets.includes(bucketOf(touched));
  const added = called.do === 'add' && table.cells[touched]?.remainder !== place.remainder;
  if (!right || added) throw new Error(`${called.key} is not in the cell that is drawn`);
}

function makeSteps(): readonly Step[] {
  const filter = new DLeftCountingFilter(OPTIONS);
  try {
    const names = members.slice(0, NAMES);
    const first = names[0] as string;
    const calls: Call[] = names.map((key) => ({ do: 'add', key }));
    for (const name of ['add', 'has', 'delete', 'has', 'delete', 'has'] as const) {
      calls.push({ do: name, key: first });
    }
    return makeTurns(filter, calls, () => tableOf(filter)).map((turn) => {
      const { call, called, now } = turn;
      const place = called && placeOf(call.key, now);
      const shown: Shown = { ...turn, ...(place ? { place } : {}) };
      check(shown);
      const buckets = place?.buckets.map((bucket) => nameBucket(bucket, now)).join('; ');
      return makeStep(turn, {
        caption: captionOf(shown),
        scene: (width) => drawTable(shown, width),
        text: [...describeCells(now), ...(buckets ? [`Its buckets are ${buckets}.`] : [])],
      });
    });
  } finally {
    filter.dispose();
  }
}

export const figure: FigureType = {
  title: 'A d-left counting filter',
  initial: {},
  controls: () => [],
  steps: makeSteps,
};
