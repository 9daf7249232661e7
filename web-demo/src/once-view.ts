import { byId, copyTextButton, make, makeBar, makeRow, radioPill } from './dom';
import { fillFigures } from './figures-view';
import { integer, messageOf, oneIn, percent, plural } from './format';
import { madeUpHost } from './host';
import { loadHosts } from './list';
import type { OnceBuilt, OnceFinding, OnceJob, Size } from './once-job';
import { keyOf, type Once, onceType, onceTypes, rateOf } from './once-types';

const MADE_UP = 5000;
const RATES = [0.1, 0.01, 0.001, 0.000001];

const form = byId('once-form', HTMLFormElement);
const types = byId('once-types', HTMLFieldSetElement);
const summary = byId('once-summary', HTMLParagraphElement);
const list = byId('once-list', HTMLTextAreaElement);
const others = byId('once-others', HTMLTextAreaElement);
const othersRow = byId('once-others-row', HTMLDivElement);
const rate = byId('once-fpr', HTMLSelectElement);
const note = byId('once-note', HTMLParagraphElement);
const key = byId('once-key', HTMLInputElement);
const answer = byId('once-answer', HTMLParagraphElement);
const figures = byId('once-figures', HTMLDListElement);
const sizes = byId('once-sizes', HTMLTableSectionElement);
const sizesNote = byId('sizes-note-all', HTMLParagraphElement);
const snippet = byId('once-snippet', HTMLElement);

const hosts = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, i) => madeUpHost(from + i));

/** A filter or a map of the visitor's list: a worker builds it, and this view uses it. */
export class OnceView {
  #entry = onceType('');
  #worker: Worker | undefined;
  #built: Once | undefined;

  constructor() {
    const build = (): void => this.#build();
    const choices = onceTypes.map((entry) =>
      radioPill('once-type', entry, () => this.#choose(entry.type)),
    );
    types.append(...choices);
    rate.replaceChildren(...RATES.map((value) => new Option(oneIn(value), String(value))));
    rate.value = '0.01';
    rate.addEventListener('change', build);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#build();
    });
    for (const field of [list, others]) field.addEventListener('input', () => this.#changed());
    key.addEventListener('input', () => this.#lookUp());
    const sample = (id: string, fill: () => void | Promise<void>): void =>
      byId(id, HTMLButtonElement).addEventListener('click', () => void this.#take(fill));
    sample('once-names', () => this.#fillNames());
    sample('once-made-up', () => this.#fillMadeUp());
    sample('once-phishing', async () =>
      this.#fill(await loadHosts('phishing'), await loadHosts('legitimate')),
    );
    copyTextButton('copy-once', snippet);
    this.#fillMadeUp();
    this.#choose(this.#entry.type);
  }

  #choose(type: string): void {
    this.#entry = onceType(type);
    const { className, isExact = false } = this.#entry;
    summary.replaceChildren(make('b', '', className), `: ${this.#entry.summary}`);
    othersRow.hidden = !isExact;
    for (const radio of types.querySelectorAll('input')) radio.checked = radio.value === type;
    this.#build();
  }

  #fill(keys: readonly string[], excluded: readonly string[]): void {
    list.value = keys.join('\n');
    others.value = excluded.join('\n');
    key.value = keys[0] ?? '';
  }

  #fillNames(): void {
    const hasValues = this.#entry.type === 'bloomier';
    this.#fill(hasValues ? ['alice 7', 'bob 3'] : ['alice', 'bob'], ['carol', 'dave']);
  }

  #fillMadeUp(): void {
    this.#fill(hosts(0, MADE_UP), hosts(MADE_UP, 2 * MADE_UP));
  }

  /** Fills in a sample list, and builds from it at once. */
  async #take(fill: () => void | Promise<void>): Promise<void> {
    try {
      await fill();
      this.#build();
    } catch (error) {
      note.textContent = `The list did not load: ${error}`;
    }
  }

  #changed(): void {
    if (this.#built) {
      note.textContent = 'The list was changed, and the filter was not. Rebuild it.';
    }
  }

  #build(): void {
    this.#worker?.terminate();
    const job: OnceJob = {
      type: this.#entry.type,
      fpr: Number(rate.value),
      list: list.value,
      others: others.value,
    };
    note.textContent = 'Building ...';
    snippet.textContent = this.#entry.snippet(job.fpr);
    const worker = new Worker(new URL('./once-worker.ts', import.meta.url), { type: 'module' });
    this.#worker = worker;
    worker.addEventListener('message', ({ data }: MessageEvent<OnceFinding>) => {
      if ('built' in data) this.#show(data.built);
      else if ('refused' in data) this.#forget(`Not built. ${data.refused}`);
      else {
        worker.terminate();
        this.#compare(data.sizes, data.keys);
      }
    });
    worker.addEventListener('error', ({ message }) => this.#forget(`Not built. ${message}`));
    worker.postMessage(job);
  }

  #forget(why: string): void {
    this.#built?.dispose();
    this.#built = undefined;
    note.textContent = why;
    answer.textContent = 'There is nothing to look up in.';
    figures.replaceChildren();
  }

  /** Loads the bytes in the same way as a browser that fetched them. */
  #show({ bytes: made, ms, missed, alarms, passed, absentKeys }: OnceBuilt): void {
    this.#built?.dispose();
    const built = this.#entry.load(made);
    this.#built = built;
    const isExact = built.type === 'exact';
    const excluded = isExact
      ? ` ${integer(alarms)} of ${integer(built.excluded)} excluded are positive.`
      : '';
    note.textContent =
      `Built from ${plural(built.count, 'key')} in ${ms.toFixed(1)} ms, in a worker, which sent ` +
      `${plural(made.length, 'byte')}. It missed ${integer(missed)} of its keys.${excluded}`;
    fillFigures(figures, [
      ['Keys', integer(built.count), isExact ? `${integer(built.excluded)} excluded` : undefined],
      ['Bytes', integer(made.length), 'a header of 64 included'],
      ['Bits per key', ((8 * made.length) / built.count).toFixed(2)],
      ['False positives, by design', percent(rateOf(built))],
      ['False positives, measured', percent(passed / absentKeys), `of ${integer(absentKeys)}`],
    ]);
    this.#lookUp();
  }

  #lookUp(): void {
    const built = this.#built;
    const text = key.value.trim();
    if (!built) return;
    try {
      const name = keyOf(built, text);
      answer.textContent = text ? `${name}: ${this.#entry.say(built, name)}` : 'Type a key.';
    } catch (error) {
      answer.textContent = messageOf(error);
    }
  }

  #compare(found: readonly Size[], keys: number): void {
    // The list itself has no bar, because the bars of the filters would be dots next to it.
    const filters = found.filter(({ isList }) => !isList);
    const largest = Math.max(...filters.map((size) => size.bytes));
    const rows = [...found]
      .sort((a, b) => a.bytes - b.bytes)
      .map(({ name, can, isOnce, isList, bytes: size, rate: passing }) => {
        const each = keys === 0 ? '-' : ((8 * size) / keys).toFixed(1);
        const row = makeRow(name, can, [
          ...[integer(size), each, passing === 0 ? 'none' : percent(passing)],
        ]);
        row.className = name === this.#entry.className ? 'chosen' : '';
        const bar = isOnce ? 'bar-filter' : 'bar-text';
        if (!isList) row.cells[0]?.append(makeBar(bar, size / largest));
        return row;
      });
    sizes.replaceChildren(...rows);
    sizesNote.textContent =
      `${plural(keys, 'key')}, at a rate of ${oneIn(Number(rate.value))} at most. Each type was really built ` +
      'from the list. A type that cannot be built at this rate is left out.';
  }
}
