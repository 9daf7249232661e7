import { lookUp } from './answer';
import { byId, debounce, fillPicks } from './dom';
import { messageOf, oneIn, plural } from './format';
import { hostOf, madeUpHost } from './host';
import { loadOwners } from './owners';
import type { Page } from './page';
import { isSettled, showNoAnswer, showVerdict, verdictWord } from './verdict';

/** The number of made-up hosts that are looked up before the page may paint. */
const HUNT_BATCH = 64;

const input = byId('host', HTMLInputElement);
const hostShown = byId('asked-host', HTMLElement);
const announcer = byId('announce', HTMLParagraphElement);
const huntButton = byId('hunt', HTMLButtonElement);
const huntNote = byId('hunt-note', HTMLParagraphElement);

/** The question: looks up the text as the visitor types, and hands each answer to the page. */
export class CheckView {
  readonly #page: Page;
  readonly #announce = debounce(() => {
    if (!isSettled()) return;
    announcer.textContent = input.value ? `${hostShown.textContent}: ${verdictWord()}` : '';
  }, 600);
  /** A list that arrives after a later question is not used for that question. */
  #round = 0;
  #triedHosts = 0;

  constructor(page: Page) {
    this.#page = page;
    input.addEventListener('input', () => this.#lookUp());
    for (const [kind, hosts] of Object.entries(page.info.picks)) {
      const picks = hosts.map((host) => ({ label: host, text: host }));
      fillPicks(kind, picks, (host) => this.setText(host));
    }
    huntButton.disabled = false;
    huntButton.addEventListener('click', () => this.#hunt());
  }

  /** Puts `text` into the field and looks it up. */
  setText(text: string): void {
    input.value = text;
    this.#lookUp();
  }

  async #lookUp(): Promise<void> {
    const page = this.#page;
    this.#round++;
    const round = this.#round;
    page.text = input.value;
    const host = hostOf(input.value);
    hostShown.textContent = host || '\u00a0';
    this.#announce();
    try {
      if (!host) {
        showNoAnswer();
        page.show(null);
        return;
      }
      const answer = lookUp(page.filter, host);
      showVerdict(answer);
      page.show(answer);
      if (!answer.probable) return;
      try {
        const owners = await loadOwners(page.filter);
        if (round !== this.#round) return;
        showVerdict(answer, owners);
        page.show(answer, owners);
      } catch (error) {
        if (round !== this.#round) return;
        showVerdict(answer, undefined, `The list itself did not load: ${messageOf(error)}`);
      }
      this.#announce();
    } catch (error) {
      showNoAnswer(messageOf(error));
      page.show(null);
    }
  }

  /** Looks up made-up hosts until one is positive. A second press continues from there. */
  #hunt(): void {
    if (huntButton.ariaDisabled === 'true') return;
    huntButton.ariaDisabled = 'true'; // not `disabled`, which would drop the keyboard's focus
    const { filter } = this.#page;
    const start = this.#triedHosts;
    const batch = (): void => {
      const hosts = Array.from({ length: HUNT_BATCH }, (_, i) => madeUpHost(this.#triedHosts + i));
      const hit = filter.hasMany(hosts).indexOf(1);
      this.#triedHosts += hit < 0 ? HUNT_BATCH : hit + 1;
      const tried = plural(this.#triedHosts - start, 'made-up host');
      if (hit < 0) {
        huntNote.textContent = `Looked up ${tried} ...`;
        setTimeout(batch);
        return;
      }
      const found = hosts[hit] ?? '';
      this.setText(found);
      huntNote.textContent =
        `Looked up ${tried}. Expected: ${oneIn(filter.estimatedFpr)} is a false positive. ` +
        'Nobody can register a name under .example, so this one is on no list.';
      huntButton.ariaDisabled = 'false';
      huntButton.textContent = 'Find another';
    };
    batch();
  }
}
