// Drawings that the views of the URL figure share: texts in cells, prefixes, and the sorted list.
import type { Mark, Scene, Step, Tone } from '../shared/model';
import { hex } from './list';

/** Gives all steps the height of the tallest, so that nothing below them moves. */
export function level(steps: readonly Step[]): readonly Step[] {
  const heights = new Map<number, number>();
  const heightAt = (width: number): number => {
    const known = heights.get(width);
    if (known !== undefined) return known;
    const height = Math.max(...steps.map((step) => step.scene(width).height));
    heights.set(width, height);
    return height;
  };
  return steps.map((step) => ({
    ...step,
    scene: (width): Scene => ({ ...step.scene(width), height: heightAt(width) }),
  }));
}

/** One byte of a URL as people see it. A byte that is not printable is shown as two digits. */
function characterOf(byte: string): string {
  const code = byte.charCodeAt(0);
  return code > 0x20 && code < 0x7f ? byte : code.toString(16).padStart(2, '0');
}

/** A text of bytes for reading aloud and copying. A byte that is not printable is written as `<09>`. */
export const readable = (text: string): string =>
  text.replace(/[^\x21-\x7e]/g, (c) => `<${c.charCodeAt(0).toString(16).padStart(2, '0')}>`);

export interface Drawn {
  readonly marks: readonly Mark[];
  /** The height at which the next drawing may begin. */
  readonly bottom: number;
}

/** Draws a text with each character in a cell. */
export function drawCharacters(
  text: string,
  place: { readonly name: string; readonly width: number; readonly top: number },
  toneOf: (index: number) => Tone = () => 'off',
): Drawn {
  const { name, width, top } = place;
  const size = width >= 560 ? 18 : 16;
  const columns = Math.floor((width - 2) / size);
  const marks = [...text].map(
    (byte, i): Mark => ({
      kind: 'cell',
      key: `${name}${i}`,
      x: 1 + (i % columns) * size,
      y: top + Math.floor(i / columns) * 26,
      width: size - 2,
      height: 22,
      tone: toneOf(i),
      text: characterOf(byte),
    }),
  );
  return { marks, bottom: top + Math.ceil(text.length / columns) * 26 };
}

/** A line of text. */
export const line = (
  key: string,
  x: number,
  y: number,
  text: string,
  bold = false,
): Extract<Mark, { kind: 'text' }> => ({ kind: 'text', key, x, y, text, bold });

/** Shortens a text to a width. If the text is too long, its middle is left out. */
export function shorten(text: string, width: number): string {
  const most = Math.max(8, Math.floor(width / 7.6));
  if (text.length <= most) return text;
  const half = Math.floor((most - 3) / 2);
  return `${text.slice(0, half)}...${text.slice(-half)}`;
}

const ENTRY_WIDTH = 60;
const ENTRY_HEIGHT = 22;

/** A sorted list of prefixes, as cells. */
export function drawEntries(
  prefixes: readonly number[],
  place: { readonly width: number; readonly top: number },
  toneOf: (prefix: number, index: number) => Tone,
): Drawn {
  const { width, top } = place;
  const columns = Math.max(1, Math.floor((width + 4) / (ENTRY_WIDTH + 4)));
  const marks = prefixes.map(
    (prefix, i): Mark => ({
      kind: 'cell',
      key: `entry${hex(prefix)}`,
      x: 2 + (i % columns) * (ENTRY_WIDTH + 4),
      y: top + Math.floor(i / columns) * (ENTRY_HEIGHT + 4),
      width: ENTRY_WIDTH,
      height: ENTRY_HEIGHT,
      tone: toneOf(prefix, i),
      text: hex(prefix),
    }),
  );
  const rows = Math.ceil(prefixes.length / columns);
  return { marks, bottom: top + rows * (ENTRY_HEIGHT + 4) };
}

/** One prefix as a cell. */
export const drawPrefix = (
  key: string,
  prefix: number,
  x: number,
  y: number,
  tone: Tone,
): Mark => ({
  kind: 'cell',
  key,
  x,
  y,
  width: ENTRY_WIDTH,
  height: ENTRY_HEIGHT,
  tone,
  text: hex(prefix),
});
