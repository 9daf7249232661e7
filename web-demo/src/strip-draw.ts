import type { ReadBit } from './answer';
import { cssValue } from './dom';
import { integer } from './format';

/** Heights of the strip's parts, in CSS pixels, from the top. */
const PINS = 30;
const BITS = 78;
const RULER = 24;
const TRACK = 8;
export const STRIP_HEIGHT = PINS + BITS + RULER + TRACK;

/** A bit of at least this width is drawn as a cell. Narrower bits are averaged into columns. */
const CELL_MIN = 3;
const DIGIT_MIN = 13;
const PIN_LABEL_GAP = 15;

/** The visible part of the array, in bits. Both numbers may be fractions while it moves. */
export interface View {
  readonly from: number;
  readonly span: number;
}

export interface Strip {
  /** sums[i] is the number of set bits below bit i. `sums` has one element more than the array has bits. */
  readonly sums: Uint32Array;
  readonly view: View;
  readonly looked: readonly ReadBit[];
}

function colors() {
  return {
    on: cssValue('--bit-on'),
    off: cssValue('--bit-off'),
    hit: cssValue('--set'),
    miss: cssValue('--clear'),
    ink: cssValue('--muted'),
    line: cssValue('--line'),
    surface: cssValue('--surface'),
    thumb: cssValue('--thumb'),
  };
}
type Colors = ReturnType<typeof colors>;

function setBetween(sums: Uint32Array, from: number, to: number): number {
  return (sums[to] ?? 0) - (sums[from] ?? 0);
}

/** Draws one column per pixel. The contrast is scaled to the random variation of a half-full array. */
function drawDensity(pen: CanvasRenderingContext2D, width: number, strip: Strip, ink: Colors) {
  const { sums, view } = strip;
  const bits = sums.length - 1;
  const step = 1 / devicePixelRatio;
  pen.fillStyle = ink.off;
  pen.fillRect(0, PINS, width, BITS);
  pen.fillStyle = ink.on;
  for (let x = 0; x < width; x += step) {
    const from = Math.floor(view.from + (x / width) * view.span);
    const to = Math.min(bits, Math.max(from + 1, Math.floor(from + (step / width) * view.span)));
    const count = to - from;
    if (count < 1) continue;
    const deviation = (setBetween(sums, from, to) / count - 0.5) * 2 * Math.sqrt(count);
    pen.globalAlpha = Math.min(1, Math.max(0, 0.5 + deviation / 5));
    pen.fillRect(x, PINS, step, BITS);
  }
  pen.globalAlpha = 1;
}

function drawCells(pen: CanvasRenderingContext2D, width: number, strip: Strip, ink: Colors) {
  const { sums, view, looked } = strip;
  const cell = width / view.span;
  const gap = cell >= 8 ? 2 : cell >= 5 ? 1 : 0;
  const radius = cell >= 12 ? 3 : 0;
  const lookedBits = new Map(looked.map(({ position, set }) => [position, set]));
  const last = Math.min(sums.length - 1, Math.ceil(view.from + view.span));
  pen.textAlign = 'center';
  pen.textBaseline = 'middle';
  pen.font = `600 ${Math.min(18, cell * 0.6)}px ${cssValue('--mono')}`;
  for (let i = Math.floor(view.from); i < last; i++) {
    const x = (i - view.from) * cell;
    const set = setBetween(sums, i, i + 1) === 1;
    const isLooked = lookedBits.has(i);
    pen.fillStyle = isLooked ? (set ? ink.hit : ink.miss) : set ? ink.on : ink.off;
    pen.beginPath();
    pen.roundRect(x + gap / 2, PINS, cell - gap, BITS, radius);
    pen.fill();
    if (cell < DIGIT_MIN) continue;
    pen.fillStyle = set || isLooked ? ink.surface : ink.ink;
    pen.fillText(set ? '1' : '0', x + cell / 2, PINS + BITS / 2);
  }
}

/** Draws a pin above each visible bit that was read. If there is room, it is numbered in the order of reading. */
function drawPins(pen: CanvasRenderingContext2D, width: number, strip: Strip, ink: Colors) {
  const { view, looked } = strip;
  pen.textAlign = 'center';
  pen.textBaseline = 'alphabetic';
  pen.font = `600 11px ${cssValue('--sans')}`;
  let free = Number.NEGATIVE_INFINITY;
  const inOrder = looked.map((bit, i) => ({ ...bit, rank: i + 1 }));
  inOrder.sort((a, b) => a.position - b.position);
  const cell = width / view.span;
  for (const { position, set, rank } of inOrder) {
    const x = (position + 0.5 - view.from) * cell;
    if (x < 0 || x > width) continue;
    pen.fillStyle = set ? ink.hit : ink.miss;
    pen.beginPath();
    pen.moveTo(x - 6, PINS - 13);
    pen.lineTo(x + 6, PINS - 13);
    pen.lineTo(x, PINS - 3);
    pen.fill();
    if (cell < CELL_MIN) pen.fillRect(x - 1, PINS - 4, 2, BITS + 4);
    const labelAt = Math.min(width - 6, Math.max(6, x));
    if (labelAt - free < PIN_LABEL_GAP) continue;
    pen.fillText(String(rank), labelAt, PINS - 17);
    free = labelAt;
  }
}

function drawRuler(pen: CanvasRenderingContext2D, width: number, strip: Strip, ink: Colors) {
  const { view } = strip;
  const rough = (view.span / width) * 110;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, [1, 2, 5, 10].map((f) => f * power).find((s) => s >= rough) ?? rough);
  pen.fillStyle = ink.ink;
  pen.font = `11px ${cssValue('--sans')}`;
  pen.textBaseline = 'top';
  for (let at = Math.ceil(view.from / step) * step; at < view.from + view.span; at += step) {
    const x = ((at + (view.span * CELL_MIN < width ? 0.5 : 0) - view.from) / view.span) * width;
    pen.fillRect(x, PINS + BITS + 2, 1, 4);
    pen.textAlign = x < 24 ? 'left' : x > width - 24 ? 'right' : 'center';
    pen.fillText(integer(at), x, PINS + BITS + 8);
  }
}

/** Draws the whole array as a thin track, with the position of the view and of the bits that were read. */
function drawTrack(pen: CanvasRenderingContext2D, width: number, strip: Strip, ink: Colors) {
  const { sums, view, looked } = strip;
  const bits = sums.length - 1;
  const top = STRIP_HEIGHT - TRACK;
  pen.fillStyle = ink.line;
  pen.beginPath();
  pen.roundRect(0, top, width, TRACK, TRACK / 2);
  pen.fill();
  const thumb = Math.max(14, (view.span / bits) * width);
  const at = (view.from / Math.max(1, bits - view.span)) * (width - thumb);
  pen.fillStyle = ink.thumb;
  pen.beginPath();
  pen.roundRect(at, top, thumb, TRACK, TRACK / 2);
  pen.fill();
  for (const { position, set } of looked) {
    pen.fillStyle = set ? ink.hit : ink.miss;
    pen.fillRect((position / bits) * width - 1, top, 2, TRACK);
  }
}

/** Draws the whole strip. `pen` is scaled to CSS pixels. */
export function drawStrip(pen: CanvasRenderingContext2D, width: number, strip: Strip): void {
  const ink = colors();
  pen.clearRect(0, 0, width, STRIP_HEIGHT);
  const cells = width / strip.view.span >= CELL_MIN;
  (cells ? drawCells : drawDensity)(pen, width, strip, ink);
  drawPins(pen, width, strip, ink);
  drawRuler(pen, width, strip, ink);
  drawTrack(pen, width, strip, ink);
}
