// <tamis-bytes>: look into a file, field by field. Nothing leaves the page.

import { make } from '../../../../web-demo/src/dom';
import { type Field, HEADER, integer, readFields } from './fields.js';
import { HexView } from './hex-view.js';
import './bytes.css';

/** The most bytes that readers take unless the caller raises `maxBytes`. */
const MOST_LOADED = 2 ** 28;

const samples: readonly (readonly [name: string, label: string])[] = [
  ['bloom', 'Bloom filter, 8 names'],
  ['cuckoo', 'Cuckoo filter, 8 names'],
  ['ribbon', 'Ribbon filter, 20,000 hosts'],
  ['url-list', 'List of URLs'],
  ['flipped', 'Damaged: a flipped bit'],
  ['cut', 'Damaged: cut short'],
];

/** The heading of a type's section on this page. */
function findSection(type: number): HTMLElement | undefined {
  const headings = document.querySelectorAll<HTMLElement>('h3[id]');
  return [...headings].find(({ textContent }) => textContent?.includes(`(type ${type})`));
}

function meaningCell({ meaning, type, isWrong }: Field): HTMLTableCellElement {
  const cell = make('td');
  const section = type === undefined ? undefined : findSection(type);
  if (section) {
    const link = make('a', '', meaning);
    link.href = `#${section.id}`;
    cell.append(link);
  } else {
    cell.textContent = isWrong ? `Wrong: ${meaning}` : meaning;
  }
  return cell;
}

function rowOf(field: Field): HTMLTableRowElement {
  const row = make('tr', field.isWrong ? 'bytes-wrong' : '');
  const name = make('th', '', field.name);
  name.scope = 'row';
  const hex = make('td');
  hex.append(make('code', '', field.hex));
  const value = make('td', '', field.value);
  row.append(name, make('td', '', `${field.offset}`), hex, value, meaningCell(field));
  return row;
}

function tableOf(fields: readonly Field[]): HTMLElement {
  const table = make('table');
  table.append(make('caption', '', 'The header, 64 bytes'));
  const head = make('tr');
  for (const name of ['Field', 'Offset', 'Bytes', 'Value', 'Meaning']) {
    const cell = make('th', '', name);
    cell.scope = 'col';
    head.append(cell);
  }
  const body = make('tbody');
  body.append(...fields.map(rowOf));
  table.createTHead().append(head);
  table.append(body);
  const box = make('div', 'table');
  box.tabIndex = 0;
  box.setAttribute('role', 'group');
  box.setAttribute('aria-label', 'The header');
  box.append(table);
  return box;
}

class TamisBytes extends HTMLElement {
  readonly #verdict = make('div', 'bytes-verdict');
  readonly #fields = make('div');
  readonly #hex = new HexView();
  readonly #input = make('input');
  /** Counts the files, so that one that arrives late is dropped. */
  #turn = 0;

  connectedCallback(): void {
    if (this.#input.isConnected) return;
    this.#verdict.setAttribute('role', 'status');
    this.#hex.root.hidden = true;
    this.replaceChildren(this.#makeDrop(), this.#verdict, this.#fields, this.#hex.root);
  }

  #makeDrop(): HTMLElement {
    const drop = make('div', 'bytes-drop');
    this.#input.type = 'file';
    // An empty value lets the same file be chosen again after a change.
    this.#input.addEventListener('click', () => {
      this.#input.value = '';
    });
    this.#input.addEventListener('change', () => this.#take(this.#input.files?.[0]));
    const label = make('label', '', 'Choose a .tamis file, or drop it here. ');
    label.append(this.#input);
    const row = make('div', 'bytes-row');
    row.setAttribute('role', 'group');
    row.setAttribute('aria-label', 'Samples');
    row.append(make('span', '', 'Or take a sample: '), ...samples.map((it) => this.#sample(...it)));
    drop.append(
      label,
      row,
      make('p', '', 'The file stays on your machine. This page sends nothing.'),
    );
    this.#listenForDrops(drop);
    return drop;
  }

  #sample(name: string, text: string): HTMLButtonElement {
    const button = make('button', '', text);
    button.dataset.sample = name;
    button.addEventListener('click', async () => {
      const { makeSample } = await import('./samples.js');
      this.#input.value = '';
      void this.#take(new Blob([new Uint8Array(makeSample(name))]));
    });
    return button;
  }

  #listenForDrops(drop: HTMLElement): void {
    drop.addEventListener('dragover', (event) => {
      event.preventDefault();
      drop.classList.add('is-over');
    });
    drop.addEventListener('dragleave', () => drop.classList.remove('is-over'));
    drop.addEventListener('drop', (event) => {
      event.preventDefault();
      drop.classList.remove('is-over');
      void this.#take(event.dataTransfer?.files[0]);
    });
  }

  /** Shows a file: its verdict, its header, and the bytes around the damage. */
  async #take(blob: Blob | undefined): Promise<void> {
    if (!blob) return;
    const turn = ++this.#turn;
    this.#verdict.className = 'bytes-verdict';
    this.#verdict.textContent = 'Reading the file';
    const { judge, payloadCrcOf } = await import('./verdict.js');
    const isLoaded = blob.size <= MOST_LOADED;
    const part = isLoaded ? blob : blob.slice(0, HEADER);
    const bytes = new Uint8Array(await part.arrayBuffer());
    if (turn !== this.#turn) return;
    const payloadCrc = isLoaded ? payloadCrcOf(bytes) : undefined;
    const { state, sentences, at } = isLoaded
      ? judge(bytes)
      : {
          state: 'other',
          sentences: ['It has more than 256 MiB, so its checksum was not computed.'],
        };
    this.#verdict.classList.add(`is-${state}`);
    this.#verdict.replaceChildren(
      ...sentences.map((sentence) => make('p', '', sentence)),
      make('p', '', `${integer(blob.size)} bytes.`),
    );
    this.#fields.replaceChildren(
      tableOf(readFields(bytes.subarray(0, HEADER), { size: blob.size, payloadCrc })),
    );
    this.#hex.root.hidden = false;
    this.#hex.show(blob, at ?? 0, at !== undefined);
  }
}

export function defineBytes(): void {
  customElements.define('tamis-bytes', TamisBytes);
}
