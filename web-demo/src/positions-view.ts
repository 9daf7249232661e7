import type { BloomFilter } from 'tamis';
import type { Answer } from './answer';
import { byId, make, makeButton } from './dom';
import { bytes, integer, plural } from './format';
import { loadOwners, type Owners } from './owners';
import type { Page } from './page';

/** The number of bits that are shown on each side of a bit that was read. */
const AROUND = 6;
/** The number of hosts that are named at a bit. Further hosts are only counted. */
const NAMED = 2;

const list = byId('positions', HTMLOListElement);
const ownersButton = byId('owners', HTMLButtonElement);
const ownersNote = byId('owners-note', HTMLParagraphElement);

function namesOf(setters: readonly string[]): string {
  const shown = setters.slice(0, NAMED).join(', ');
  const rest = setters.length - NAMED;
  const more = rest > 0 ? ` and ${integer(rest)} more` : '';
  return shown ? `set by ${shown}${more}` : 'set by no host';
}

/**
 * The bits of a look-up as text, each with its neighbours. If the list is loaded, the hosts that set a bit are named.
 */
export class PositionsView {
  readonly #page: Page;
  readonly #onPick: (position: number) => void;

  constructor(page: Page, onPick: (position: number) => void) {
    this.#page = page;
    this.#onPick = onPick;
    const { textBytes, filterBytes } = page.info;
    const times = Math.round(textBytes / filterBytes);
    ownersNote.textContent =
      'The filter cannot tell: it keeps no hosts. ' +
      `This loads the list itself: ${bytes(textBytes)}, ${times} times the filter.`;
    ownersButton.disabled = false;
    ownersButton.addEventListener('click', () => this.#load());
    page.onAnswer((answer, owners) => this.#show(answer, owners));
  }

  #show(answer: Answer | null, owners: Owners | undefined): void {
    const rows = (answer?.bits ?? []).map(({ position, set }, i) => {
      const row = make('li');
      const button = makeButton(set ? 'bit bit-set' : 'bit', '', () => this.#onPick(position));
      button.dataset.bit = String(position);
      button.dataset.set = String(set);
      const text = make('span', 'bit-text', `Bit ${integer(position)} is `);
      text.append(make('b', '', set ? 'set' : 'clear'));
      const strip = neighbours(this.#page.filter, position);
      button.append(make('span', 'bit-rank', String(i + 1)), text, strip);
      row.append(button);
      if (owners) row.append(make('p', 'bit-owners', namesOf(owners.of(position))));
      return row;
    });
    list.replaceChildren(...rows);
    if (owners) this.#tellTruth(answer, owners);
  }

  /** Names facts that only the list can tell, and the filter alone cannot. */
  #tellTruth(answer: Answer | null, owners: Owners): void {
    ownersButton.ariaDisabled = 'true'; // not `disabled`, which would drop the keyboard's focus
    ownersButton.textContent = `${plural(owners.hosts.length, 'host')} loaded`;
    if (answer === null) return;
    const { host, probable } = answer;
    const wrong = probable ? ': a false positive' : '';
    ownersNote.textContent = owners.has(host)
      ? `The list itself names ${host}.`
      : `The list itself does not name ${host}${wrong}.`;
  }

  async #load(): Promise<void> {
    if (ownersButton.ariaDisabled === 'true') return;
    ownersButton.ariaDisabled = 'true';
    ownersNote.textContent = 'Loading the list ...';
    try {
      this.#page.tell(await loadOwners(this.#page.filter));
    } catch (error) {
      ownersNote.textContent = `The list did not load: ${error}`;
      ownersButton.ariaDisabled = 'false';
    }
  }
}

function neighbours(filter: BloomFilter, position: number): HTMLSpanElement {
  const strip = make('span', 'neighbours');
  strip.ariaHidden = 'true';
  for (let i = position - AROUND; i <= position + AROUND; i++) {
    const outside = i < 0 || i >= filter.bits;
    const cell = make('i', outside ? 'outside' : filter.bitAt(i) ? 'on' : 'off');
    if (i === position) cell.classList.add('looked');
    strip.append(cell);
  }
  return strip;
}
