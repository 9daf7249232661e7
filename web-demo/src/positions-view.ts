import type { BloomFilter } from 'tamis';
import type { Answer } from './answer';
import { byId, make } from './dom';
import { bytes, integer, plural } from './format';
import { type ListInfo, loadHosts } from './list';

/** Bits shown on each side of an asked one. */
const AROUND = 6;
/** Hosts named at a bit before the rest is only counted. */
const NAMED = 2;

const list = byId('positions', HTMLOListElement);
const ownersButton = byId('owners', HTMLButtonElement);
const ownersNote = byId('owners-note', HTMLParagraphElement);

/** The asked bits as text, each with its neighbourhood; and, on request, who set it. */
export class PositionsView {
  readonly #filter: BloomFilter;
  readonly #onPick: (position: number) => void;
  #answer: Answer | null = null;
  #hosts: readonly string[] = [];
  /** The positions of all hosts, k after k. */
  #hostPositions = new Float64Array(0);

  constructor(filter: BloomFilter, info: ListInfo, onPick: (position: number) => void) {
    this.#filter = filter;
    this.#onPick = onPick;
    const times = Math.round(info.textBytes / info.filterBytes);
    ownersNote.textContent =
      'The filter cannot tell: it keeps no hosts. ' +
      `This loads the list itself (${bytes(info.textBytes)}, ${times} times the filter).`;
    ownersButton.disabled = false;
    ownersButton.addEventListener('click', () => this.#loadOwners());
  }

  show(answer: Answer | null): void {
    this.#answer = answer;
    const rows = (answer?.asked ?? []).map(({ position, set }, i) => {
      const row = make('li');
      const button = make('button', set ? 'bit bit-set' : 'bit');
      button.type = 'button';
      button.dataset.bit = String(position);
      button.dataset.set = String(set);
      const text = make('span', 'bit-text', `Bit ${integer(position)} is `);
      text.append(make('b', '', set ? 'set' : 'clear'));
      button.append(make('span', 'bit-rank', String(i + 1)), text, this.#neighbours(position));
      button.addEventListener('click', () => this.#onPick(position));
      row.append(button);
      const owners = this.#owners(position);
      if (owners) row.append(make('p', 'bit-owners', owners));
      return row;
    });
    list.replaceChildren(...rows);
    if (this.#hosts.length > 0) this.#tellTruth();
  }

  #neighbours(position: number): HTMLSpanElement {
    const strip = make('span', 'neighbours');
    strip.ariaHidden = 'true';
    for (let i = position - AROUND; i <= position + AROUND; i++) {
      const outside = i < 0 || i >= this.#filter.bits;
      const cell = make('i', outside ? 'outside' : this.#filter.bitAt(i) ? 'on' : 'off');
      if (i === position) cell.classList.add('asked');
      strip.append(cell);
    }
    return strip;
  }

  #owners(position: number): string {
    if (this.#hosts.length === 0) return '';
    const named = new Set<string>();
    this.#hostPositions.forEach((at, i) => {
      if (at === position) named.add(this.#hosts[Math.floor(i / this.#filter.hashes)] ?? '');
    });
    const shown = [...named].slice(0, NAMED).join(', ');
    const more = named.size > NAMED ? ` and ${integer(named.size - NAMED)} more` : '';
    return shown ? `set by ${shown}${more}` : 'set by nobody';
  }

  /** With the list at hand, what the filter alone can never say. */
  #tellTruth(): void {
    const host = this.#answer?.host;
    if (host === undefined) return;
    const listed = this.#hosts.includes(host);
    ownersNote.textContent = listed
      ? `The list itself names ${host}: this "probably" was right.`
      : `The list itself does not name ${host}${this.#answer?.probable ? ': a false positive' : ''}.`;
  }

  async #loadOwners(): Promise<void> {
    if (ownersButton.ariaDisabled === 'true') return;
    ownersButton.ariaDisabled = 'true'; // not `disabled`, which would drop the keyboard's focus
    ownersNote.textContent = 'Loading the list ...';
    try {
      const hosts = await loadHosts('phishing');
      const positions = hosts.flatMap((host) => this.#filter.positions(host));
      this.#hostPositions = Float64Array.from(positions);
      this.#hosts = hosts;
      ownersButton.textContent = `${plural(hosts.length, 'host')} loaded`;
      this.show(this.#answer);
    } catch (error) {
      ownersNote.textContent = `The list did not load: ${error}`;
      ownersButton.ariaDisabled = 'false';
    }
  }
}
