import { byId, copyButton, debounce, makeBar, makeRow } from '../dom';
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

const refused = byId('calculator-refused', HTMLParagraphElement);

/** The initial values of the fields for a visitor who comes without a link. */
const defaults = Object.fromEntries(
  names.map((name) => [name, inputs[name].defaultValue]),
) as Readonly<Record<Name, string>>;

const WORDS: Readonly<Record<Name, string>> = {
  n: 'Keys',
  p: 'False positives',
  m: 'Memory',
  k: 'Hashes',
};

/** Browsers refuse too frequent changes of the address. */
const WRITE_MS = 300;
/** The number of characters that a message quotes of a text in the address. */
const SAID_LENGTH = 40;

function isReadable(name: Name, text: string): boolean {
  try {
    readers[name](text);
    return true;
  } catch (error) {
    if (error instanceof InputError) return false;
    throw error;
  }
}

/** The calculator computes results from the input at once, and keeps the input in the query string. */
export class CalculatorView {
  readonly #writeSoon = debounce(() => this.#write(), WRITE_MS);
  /** The field whose latest edit already has an entry in the browser's history. */
  #edited: string | undefined;

  constructor() {
    this.#restore();
    addEventListener('popstate', () => this.#restore());
    form.addEventListener('submit', (event) => event.preventDefault());
    form.addEventListener('input', () => {
      refused.hidden = true;
      this.#compute();
      this.#writeSoon();
    });
    form.addEventListener('change', () => {
      this.#write();
      this.#edited = undefined;
    });
    byId('calculator-clear', HTMLButtonElement).addEventListener('click', () => {
      for (const name of names) inputs[name].value = '';
      refused.hidden = true;
      this.#compute();
      this.#write();
      this.#edited = undefined;
      inputs.n.focus();
    });
    copyButton('calculator-link', () => {
      return new URL(`?${this.#query()}`, location.href).href;
    });
  }

  /** Fills the fields from the address. Unreadable values are rejected with a message. */
  #restore(): void {
    const fields = new URLSearchParams(location.search);
    const isLinked = names.some((name) => fields.has(name));
    const unread: string[] = [];
    for (const name of names) {
      const text = fields.get(name)?.trim() ?? '';
      const isGood = text === '' || isReadable(name, text);
      inputs[name].value = isLinked && isGood ? text : defaults[name];
      if (isGood) continue;
      const said = text.length > SAID_LENGTH ? `${text.slice(0, SAID_LENGTH)}...` : text;
      const instead = defaults[name] || 'nothing';
      unread.push(`${WORDS[name]}: "${said}" cannot be read, and ${instead} is in its place.`);
    }
    refused.hidden = unread.length === 0;
    refused.textContent = `The link is not right. ${unread.join(' ')}`;
    this.#edited = undefined;
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

  /** Returns the input, and marks a field that cannot be read. */
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
        const isPossible = size !== undefined;
        const cells = isPossible
          ? [integer(size), ((8 * size) / keys).toFixed(1)]
          : ['not possible', '-'];
        const row = makeRow(className, words, cells);
        row.dataset.type = className;
        if (isPossible) row.dataset.bytes = String(size);
        if (isPossible && !isOther) row.cells[0]?.append(makeBar('bar-filter', size / most));
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

  /** Each edit of a field is one step back in the browser. The single letters of an edit are not. */
  #write(): void {
    const query = String(this.#query());
    if (query === location.search.slice(1)) return;
    const address = query === '' ? location.pathname : `?${query}`;
    const edited = document.activeElement?.id ?? '';
    if (edited === this.#edited) history.replaceState(null, '', address);
    else history.pushState(null, '', address);
    this.#edited = edited;
  }
}
