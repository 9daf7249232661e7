// The bytes of a file in hexadecimal, a page at a time. Only that page is read, so that large files stay fast.

import { make } from '../../../../web-demo/src/dom';
import { hexOf, integer } from './fields.js';

const PAGE = 256;

/** A view so narrow that a line has half the bytes. */
const narrow = matchMedia('(max-width: 640px)');

export class HexView {
  readonly root = make('div', 'bytes-hex');
  readonly #title = make('p', 'bytes-range');
  readonly #text = make('pre');
  readonly #first = make('button', '', 'First');
  readonly #back = make('button', '', 'Back');
  readonly #next = make('button', '', 'Next');
  readonly #last = make('button', '', 'Last');
  readonly #go = make('input');
  #blob = new Blob();
  #start = 0;
  #mark: number | undefined;
  /** Counts the pages that were turned to, so that one that arrives late is dropped. */
  #turn = 0;

  constructor() {
    this.#text.tabIndex = 0;
    this.#text.setAttribute('role', 'group');
    this.#text.setAttribute('aria-label', 'Bytes in hexadecimal');
    this.#go.type = 'number';
    this.#go.min = '0';
    const label = make('label', '', 'Go to byte ');
    label.append(this.#go);
    const row = make('div', 'bytes-row');
    row.append(this.#first, this.#back, this.#next, this.#last, label);
    this.root.append(this.#title, this.#text, row);
    this.#first.addEventListener('click', () => this.#turnTo(0));
    this.#back.addEventListener('click', () => this.#turnTo(this.#start - PAGE));
    this.#next.addEventListener('click', () => this.#turnTo(this.#start + PAGE));
    this.#last.addEventListener('click', () => this.#turnTo(this.#blob.size - 1));
    this.#go.addEventListener('change', () => this.#turnTo(this.#go.valueAsNumber));
    narrow.addEventListener('change', () => this.#turnTo(this.#start));
  }

  /** Shows the page with byte `at`, and marks that byte if `isMarked`. */
  show(blob: Blob, at: number, isMarked: boolean): void {
    this.#blob = blob;
    this.#mark = isMarked ? at : undefined;
    this.#go.max = `${Math.max(0, blob.size - 1)}`;
    this.#turnTo(at);
  }

  async #turnTo(at: number): Promise<void> {
    const { size } = this.#blob;
    const last = Math.max(0, size - 1);
    const within = Number.isNaN(at) ? 0 : Math.min(Math.max(0, Math.trunc(at)), last);
    this.#start = within - (within % PAGE);
    const end = Math.min(size, this.#start + PAGE);
    const turn = ++this.#turn;
    const bytes = new Uint8Array(await this.#blob.slice(this.#start, end).arrayBuffer());
    if (turn !== this.#turn) return;
    this.#title.textContent =
      size === 0
        ? 'The file is empty.'
        : `Bytes ${integer(this.#start)} to ${integer(end - 1)} of ${integer(size)}`;
    this.#draw(bytes);
    for (const button of [this.#first, this.#back]) setDisabled(button, this.#start === 0);
    for (const button of [this.#next, this.#last]) setDisabled(button, end >= size);
  }

  #draw(bytes: Uint8Array): void {
    const width = narrow.matches ? 8 : 16;
    const parts: (string | Node)[] = [];
    for (let line = 0; line < bytes.length; line += width) {
      parts.push(`${(this.#start + line).toString(16).padStart(8, '0')}  `);
      const row = bytes.subarray(line, line + width);
      const marked = (this.#mark ?? -1) - this.#start - line;
      if (marked >= 0 && marked < row.length) {
        const before = hexOf(row.subarray(0, marked));
        const after = hexOf(row.subarray(marked + 1));
        const mark = make('mark', '', hexOf(row.subarray(marked, marked + 1)));
        parts.push(before && `${before} `, mark, after && ` ${after}`, '\n');
      } else {
        parts.push(`${hexOf(row)}\n`);
      }
    }
    this.#text.replaceChildren(...parts);
  }
}

/** Disables a button. It keeps the focus, which it would lose by `disabled`. */
function setDisabled(button: HTMLButtonElement, isDisabled: boolean): void {
  button.setAttribute('aria-disabled', `${isDisabled}`);
}
