import type { BloomFilter } from 'tamis';
import type { Answer, ReadBit } from './answer';
import { byId, onSchemeChange, prefersReducedMotion } from './dom';
import { integer, percent } from './format';
import { drawStrip, STRIP_HEIGHT, type View } from './strip-draw';

const SPAN_MIN = 16;
/** The number of visible bits after a jump to one of them. */
const CLOSE_UP = 32;
const ZOOM_STEP = 2;
const TRAVEL_MS = 450;

const canvas = byId('strip', HTMLCanvasElement);
const range = byId('strip-range', HTMLParagraphElement);

function prefixSums(bits: string): Uint32Array {
  const sums = new Uint32Array(bits.length + 1);
  for (let i = 0; i < bits.length; i++) sums[i + 1] = (sums[i] ?? 0) + (bits[i] === '1' ? 1 : 0);
  return sums;
}

/** The bit array as a strip that zooms from the whole filter to single bits. */
export class StripView {
  readonly #bits: number;
  readonly #sums: Uint32Array;
  readonly #pen: CanvasRenderingContext2D;
  #view: View;
  #target: View;
  #looked: readonly ReadBit[] = [];
  #width = 0;
  #frame = 0;

  constructor(filter: BloomFilter) {
    const pen = canvas.getContext('2d');
    if (!pen) throw new Error('this browser gives no 2d canvas');
    this.#pen = pen;
    this.#bits = filter.bits;
    this.#sums = prefixSums(filter.toBitString());
    this.#view = { from: 0, span: filter.bits };
    this.#target = this.#view;
    canvas.ariaValueMax = String(filter.bits - 1);
    new ResizeObserver(() => this.#resize()).observe(canvas);
    onSchemeChange(() => this.#draw());
    this.#listen();
    this.#tell();
  }

  show(answer: Answer | null): void {
    this.#looked = answer?.bits ?? [];
    this.#draw();
  }

  /** Moves one bit to the middle, at close range. */
  goTo(position: number): void {
    const span = Math.min(CLOSE_UP, this.#bits);
    this.#travel({ from: position + 0.5 - span / 2, span });
  }

  #listen(): void {
    byId('zoom-in', HTMLButtonElement).addEventListener('click', () => this.#zoom(ZOOM_STEP));
    byId('zoom-out', HTMLButtonElement).addEventListener('click', () => this.#zoom(1 / ZOOM_STEP));
    byId('zoom-all', HTMLButtonElement).addEventListener('click', () => this.#showAll());
    canvas.addEventListener('keydown', (event) => this.#key(event));
    canvas.addEventListener(
      'wheel',
      (event) => {
        // Otherwise the page could not be scrolled past the strip.
        if (document.activeElement !== canvas && !event.ctrlKey) return;
        event.preventDefault();
        this.#zoom(2 ** (-event.deltaY / 240), event.offsetX / this.#width, false);
      },
      { passive: false },
    );
    let lastX = 0;
    canvas.addEventListener('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      lastX = event.clientX;
    });
    canvas.addEventListener('pointermove', (event) => {
      if (!canvas.hasPointerCapture(event.pointerId)) return;
      this.#pan((lastX - event.clientX) / this.#width, false);
      lastX = event.clientX;
    });
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { from, span } = this.#target;
    const step = event.shiftKey ? 0.9 : 0.1;
    const actions: Readonly<Record<string, () => void>> = {
      '+': () => this.#zoom(ZOOM_STEP),
      '=': () => this.#zoom(ZOOM_STEP),
      '-': () => this.#zoom(1 / ZOOM_STEP),
      '0': () => this.#showAll(),
      ArrowLeft: () => this.#pan(-step),
      ArrowRight: () => this.#pan(step),
      ArrowUp: () => this.#pan(step),
      ArrowDown: () => this.#pan(-step),
      PageUp: () => this.#pan(0.9),
      PageDown: () => this.#pan(-0.9),
      Home: () => this.#travel({ from: 0, span }),
      End: () => this.#travel({ from: from + this.#bits, span }),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  #showAll(): void {
    this.#travel({ from: 0, span: this.#bits });
  }

  /** Zooms around `anchor`, a share of the width. The bit there stays in place. */
  #zoom(factor: number, anchor = 0.5, animated = true): void {
    const { from, span } = this.#target;
    const wanted = Math.min(this.#bits, Math.max(Math.min(SPAN_MIN, this.#bits), span / factor));
    this.#travel({ from: from + anchor * (span - wanted), span: wanted }, animated);
  }

  #pan(share: number, animated = true): void {
    const { from, span } = this.#target;
    this.#travel({ from: from + share * span, span }, animated);
  }

  #travel({ from, span }: View, animated = true): void {
    this.#target = { from: Math.min(this.#bits - span, Math.max(0, from)), span };
    cancelAnimationFrame(this.#frame);
    this.#tell();
    if (!animated || prefersReducedMotion()) {
      this.#view = this.#target;
      this.#draw();
      return;
    }
    const start = this.#view;
    const end = this.#target;
    const began = performance.now();
    const step = (now: number): void => {
      const t = Math.min(1, Math.max(0, (now - began) / TRAVEL_MS));
      const eased = 1 - (1 - t) ** 3;
      // The animation multiplies the span by a ratio, so that a thousandfold zoom looks even.
      const span = start.span * (end.span / start.span) ** eased;
      const share = start.span === end.span ? eased : (start.span - span) / (start.span - end.span);
      this.#view = t === 1 ? end : { from: start.from + share * (end.from - start.from), span };
      this.#draw();
      if (t < 1) this.#frame = requestAnimationFrame(step);
    };
    this.#frame = requestAnimationFrame(step);
  }

  #tell(): void {
    const from = Math.floor(this.#target.from);
    const to = Math.min(this.#bits, Math.ceil(this.#target.from + this.#target.span));
    const set = (this.#sums[to] ?? 0) - (this.#sums[from] ?? 0);
    const text =
      `bits ${integer(from)} to ${integer(to - 1)} of ${integer(this.#bits)}, ` +
      `${percent(set / (to - from))} of them set`;
    range.textContent = text;
    canvas.ariaValueNow = String(from);
    canvas.ariaValueText = text;
  }

  #resize(): void {
    this.#width = canvas.clientWidth;
    canvas.width = Math.round(this.#width * devicePixelRatio);
    canvas.height = Math.round(STRIP_HEIGHT * devicePixelRatio);
    this.#draw();
  }

  #draw(): void {
    if (this.#width === 0) return;
    this.#pen.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    const strip = { sums: this.#sums, view: this.#view, looked: this.#looked };
    drawStrip(this.#pen, this.#width, strip);
  }
}
