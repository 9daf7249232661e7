// Two sieves, one below the other. Each consists of the slots of one level of the filter.

import type { Mark, Tone } from '../shared/model';
import type { Level } from '../shared/retrieval';
import type { Levels } from './filter';

export const CHIP_HEIGHT = 22;
export const CHIP_WIDTH = 66;
const GAP = 4;
export const SIEVE_HEIGHT = 24;

/** The bits of a slot, the highest first. */
export function showBits(value: number, width: number): string {
  return value.toString(2).padStart(width, '0');
}

/** The slots of both levels in words. */
export function describeLevels({ first, second }: Levels): string[] {
  const list = ({ slots, width }: Level) => slots.map((slot) => showBits(slot, width)).join(' ');
  return [
    `Slots of the first sieve: ${list(first)}.`,
    `Slots of the second sieve: ${list(second)}.`,
  ];
}

export interface Sieve {
  readonly level: Level;
  readonly name: string;
  readonly y: number;
  /** The slots of the name that is looked up. */
  readonly looked?: readonly number[];
  readonly tone?: Tone;
}

/** The middle of the upper edge of a slot. */
export function slotTop({ level, y }: Sieve, slot: number, width: number) {
  const across = (width - 2 - GAP * (level.slots.length - 1)) / level.slots.length;
  return { x: 1 + slot * (across + GAP) + across / 2, y };
}

/** A sieve over the whole width, its slots with their bits. */
export function drawSieve(sieve: Sieve, width: number): Mark[] {
  const { level, name, y, looked, tone = 'looked' } = sieve;
  const count = level.slots.length;
  const across = (width - 2 - GAP * (count - 1)) / count;
  return level.slots.map((value, i) => ({
    kind: 'cell',
    key: `${name} ${i}`,
    x: 1 + i * (across + GAP),
    y,
    width: across,
    height: SIEVE_HEIGHT,
    tone: looked?.includes(i) ? tone : 'on',
    text: showBits(value, level.width),
  }));
}

const chipsPerRow = (width: number): number => Math.floor((width + GAP) / (CHIP_WIDTH + GAP));

/** The height of that number of chips. */
export function chipsHeight(count: number, width: number): number {
  return Math.ceil(count / chipsPerRow(width)) * (CHIP_HEIGHT + GAP);
}

export interface Chip {
  readonly name: string;
  readonly tone: Tone;
}

/** A name in its box. */
export function drawChip({ name, tone }: Chip, x: number, y: number): Mark {
  const box = { x, y, width: CHIP_WIDTH, height: CHIP_HEIGHT };
  return { kind: 'cell', key: `name ${name}`, ...box, tone, text: name };
}

/** Names in rows that end at `bottom`, so that they lie on the sieve. */
export function drawChips(chips: readonly Chip[], width: number, bottom: number): Mark[] {
  const top = bottom - chipsHeight(chips.length, width);
  const columns = chipsPerRow(width);
  return chips.map((chip, i) => {
    const y = top + Math.floor(i / columns) * (CHIP_HEIGHT + GAP);
    return drawChip(chip, 1 + (i % columns) * (CHIP_WIDTH + GAP), y);
  });
}
