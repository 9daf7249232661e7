import { byId, copyButton, debounce, make } from '../dom';
import { fillFigures } from '../figures-view';
import { bytes, integer, oneIn, percent } from '../format';
import { allSizes, type SizeRow } from './all-sizes';
import { type Four, type Solution, solve } from './solve';
import { InputError, readBits, readCount, readHashes, readRate } from './units';

type Name = keyof Four;

const form = byId('calculator-form', HTMLFormElement);
const figures = byId('calculator-figures', HTMLDListElement);
const note = byId('calculator-note', HTMLParagraphElement);
const table = byId('calculator-sizes', HTMLTableSectionElement);

const readers: Readonly<Record<Name, (text: string) => number>> = {
  n: readCount,
  p: readRate,
  m: readBits,
  k: readHashes,
};
const names = Object.keys(readers) as readonly Name[];
const inputs = Object.fromEntries(
  names.map((name) => [name, byId(`calculator-${name}`, HTMLInputElement)]),
) as Readonly<Record<Name, HTMLInputElement>>;

/** Browsers refuse an address that changes too often. */
const WRITE_MS = 300;

/** What is typed is computed at once, and lies in the query string. */
export class CalculatorView {
  readonly #writeSoon = debounce(() => this.#write(), WRITE_MS);

  constructor() {
    const fields = new URLSearchParams(location.search);
    if (names.some((name) => fields.has(name))) {
      for (const name of names) inputs[name].value = fields.get(name) ?? '';
    }
    form.addEventListener('submit', (event) => event.preventDefault());
    form.addEventListener('input', () => {
      this.#compute();
      this.#writeSoon();
    });
    byId('calculator-clear', HTMLButtonElement).addEventListener('click', () => {
      for (const name of names) inputs[name].value = '';
      inputs.n.focus();
      this.#compute();
      this.#writeSoon();
    });
    copyButton(byId('calculator-link', HTMLButtonElement), () => {
      const link = new URL(`?${this.#query()}`, location.href);
      link.hash = 'calculator';
      return link.href;
    });
    this.#compute();
  }

  #compute(): void {
    try {
      const given = this.#read();
      const solution = solve(given);
      this.#show(given, solution);
      this.#showSizes(allSizes({ capacity: solution.n, fpr: given.p ?? solution.p }), solution.n);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      note.textContent = error.message;
      note.classList.add('is-error');
      figures.replaceChildren();
      table.replaceChildren();
    }
  }

  /** What was given; marks the field that cannot be read. */
  #read(): Partial<Four> {
    const given: Partial<Record<Name, number>> = {};
    let fault: InputError | undefined;
    for (const name of names) {
      const input = inputs[name];
      input.removeAttribute('aria-invalid');
      if (input.value.trim() === '') continue;
      try {
        given[name] = readers[name](input.value);
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        input.ariaInvalid = 'true';
        fault ??= error;
      }
    }
    if (fault) throw fault;
    return given;
  }

  #show(given: Partial<Four>, { n, p, m, k, note: words }: Solution): void {
    const origin = (name: Name): string => (given[name] === undefined ? 'computed' : 'given');
    fillFigures(figures, [
      ['Keys (n)', integer(n), origin('n')],
      ['False positives (p)', percent(p), `${oneIn(p)} absent keys`],
      ['Memory (m)', `${integer(m)} bits`, `${bytes(Math.ceil(m / 8))}, ${origin('m')}`],
      ['Hashes (k)', integer(k), origin('k')],
      ['Bits per key', (m / n).toFixed(2)],
    ]);
    note.classList.remove('is-error');
    note.textContent =
      `${words} A Bloom filter of ${integer(m)} bits and ${integer(k)} hashes holds ${integer(n)} keys at ${percent(p)}.`.trim();
  }

  #showSizes(rows: readonly SizeRow[], keys: number): void {
    const most = Math.max(...rows.map(({ bytes: size, isOther }) => (isOther ? 0 : (size ?? 0))));
    table.replaceChildren(
      ...rows.map(({ className, note: words, isOther, bytes: size }) => {
        const row = make('tr');
        row.dataset.type = className;
        const head = make('th', '', className);
        head.scope = 'row';
        head.append(make('small', '', words));
        if (size === undefined) {
          row.append(head, make('td', '', 'not possible'), make('td', '', '-'));
          return row;
        }
        row.dataset.bytes = String(size);
        if (!isOther) {
          const bar = make('span', 'bar bar-filter');
          bar.style.width = `${(100 * size) / most}%`;
          head.append(bar);
        }
        const each = ((8 * size) / keys).toFixed(1);
        row.append(head, make('td', '', integer(size)), make('td', '', each));
        return row;
      }),
    );
  }

  #query(): URLSearchParams {
    const fields = new URLSearchParams(location.search);
    for (const name of names) {
      const text = inputs[name].value.trim();
      if (text === '') fields.delete(name);
      else fields.set(name, text);
    }
    return fields;
  }

  #write(): void {
    const query = String(this.#query());
    const path = query === '' ? location.pathname : `?${query}`;
    history.replaceState(history.state, '', path + location.hash);
  }
}
