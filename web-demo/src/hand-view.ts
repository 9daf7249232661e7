import { byId } from './dom';
import { fillFigures } from './figures-view';
import type { Job } from './filling';
import { type DemoFilter, type DemoInstance, demoFilter } from './filters';
import { bytes, integer, percent } from './format';

/** A capacity that is small enough to fill by hand. */
const CAPACITY = 20;
const FPR = 0.05;
const BATCH = 10;

const form = byId('hand-form', HTMLFormElement);
const input = byId('hand-key', HTMLInputElement);
const answer = byId('hand-answer', HTMLParagraphElement);
const figures = byId('hand-figures', HTMLDListElement);
const deleteButton = byId('hand-delete', HTMLButtonElement);
const rotateButton = byId('hand-rotate', HTMLButtonElement);

/** The meaning of each refusal of a filter, in words for the visitor. */
const refusals: Readonly<Record<string, string>> = {
  ERR_TAMIS_FULL:
    'no room: the filter is full, and nothing was changed. Delete a key, or start over. In a program, ' +
    'make a larger filter.',
  ERR_TAMIS_TOMBSTONED:
    'it was deleted, or looks as if it were, and cannot come back. Nothing was changed.',
  ERR_TAMIS_NOT_DELETABLE:
    'not deletable: other keys may share every one of its regions. Nothing was changed.',
};

const sayings = {
  add: (isNew: boolean) => (isNew ? 'added; it was certainly new.' : 'added; it looked present.'),
  lookUp: (has: boolean) => (has ? 'probably present' : 'certainly absent'),
  delete: (was: boolean) => (was ? 'deleted.' : 'nothing to delete: it was certainly absent.'),
};

/** A small filter of the chosen type, which the visitor changes key by key. */
export class HandView {
  #entry: DemoFilter = demoFilter('');
  #filter: DemoInstance | undefined;
  #option: number | undefined;
  #madeUp = 0;

  constructor() {
    const on = (id: string, act: () => void): void =>
      byId(id, HTMLButtonElement).addEventListener('click', act);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#withKey((filter, key) => {
        const copies = filter.countOf?.(key) ?? 0;
        const counted = copies > 0 ? `, ${copies === 1 ? 'one copy' : `${copies} copies`}` : '';
        return `${this.#lookUp(filter, key)}${counted}.`;
      });
    });
    on('hand-add', () => this.#withKey((filter, key) => sayings.add(filter.add(key))));
    on('hand-delete', () =>
      this.#withKey((filter, key) => sayings.delete(filter.delete?.(key) ?? false)),
    );
    on('hand-fill', () => this.#addMadeUp());
    on('hand-rotate', () => {
      this.#filter?.rotate?.();
      this.#say('A new period: the oldest is forgotten.');
    });
    on('hand-clear', () => this.#start());
  }

  /** Starts over if the type or its option has changed. */
  set({ type, option }: Job): void {
    const entry = demoFilter(type);
    if (this.#filter && entry === this.#entry && option === this.#option) return;
    this.#entry = entry;
    this.#option = option;
    this.#start();
  }

  #start(): void {
    this.#filter?.dispose();
    this.#filter = undefined;
    this.#madeUp = 0;
    try {
      const { className } = this.#entry;
      const settings = { capacity: CAPACITY, fpr: FPR, option: this.#option };
      this.#filter = this.#entry.create(settings);
      deleteButton.hidden = !this.#filter.delete;
      rotateButton.hidden = !this.#filter.rotate;
      this.#say(`An empty ${className}, made for ${CAPACITY} keys at ${percent(FPR)}.`);
    } catch (error) {
      answer.textContent = `The filter was not built: ${String(error)}`;
    }
  }

  #lookUp(filter: DemoInstance, key: string): string {
    const has = filter.has(key);
    const isCertain = has || !filter.falseNegativeRate;
    return isCertain
      ? sayings.lookUp(has)
      : 'absent, but not for certain: tombstones may hide a key';
  }

  #withKey(act: (filter: DemoInstance, key: string) => string): void {
    const filter = this.#filter;
    const key = input.value;
    if (!filter) return;
    if (key === '') this.#say('Type a key first.');
    else this.#say(`${key}: ${this.#attempt(() => act(filter, key))}`);
  }

  #addMadeUp(): void {
    const filter = this.#filter;
    if (!filter) return;
    const keys = Array.from({ length: BATCH }, (_, i) => `key-${this.#madeUp + i + 1}`);
    const said = this.#attempt(() => {
      filter.addMany(keys);
      this.#madeUp += BATCH;
      return `Added ${keys[0]} to ${keys.at(-1)}.`;
    });
    this.#say(said);
  }

  /** Performs an action, and shows its result or the reason for its refusal. */
  #attempt(act: () => string): string {
    try {
      return act();
    } catch (error) {
      const { code = '', index, message } = error as Error & { code?: string; index?: number };
      const refusal = refusals[code] ?? message;
      if (index === undefined) return refusal;
      const refused = `key-${this.#madeUp + index + 1}`;
      this.#madeUp += index;
      return `${refused}: ${refusal}`;
    }
  }

  #say(text: string): void {
    answer.textContent = text;
    const filter = this.#filter;
    if (!filter) return;
    fillFigures(figures, [
      ['Keys', integer(filter.count), `made for ${CAPACITY}`],
      ['False positives', percent(filter.estimatedFpr), 'as filled now'],
      ['Memory', bytes(filter.sizeBytes)],
      ...this.#entry.present(filter),
    ]);
  }
}
