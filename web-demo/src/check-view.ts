import type { BloomFilter } from 'tamis';
import { type Answer, ask } from './answer';
import { byId, debounce, make } from './dom';
import { integer, oneIn, plural } from './format';
import { hostOf, madeUpHost } from './host';
import type { ListInfo, PickKind } from './list';

/** Strangers asked at a stretch while hunting, before the page may paint. */
const HUNT_BATCH = 64;

const input = byId('host', HTMLInputElement);
const verdict = byId('verdict', HTMLDivElement);
const word = byId('verdict-word', HTMLParagraphElement);
const why = byId('verdict-why', HTMLParagraphElement);
const pips = byId('pips', HTMLDivElement);
const askedHost = byId('asked-host', HTMLElement);
const announcer = byId('announce', HTMLParagraphElement);
const huntButton = byId('hunt', HTMLButtonElement);
const huntNote = byId('hunt-note', HTMLParagraphElement);

function explain({ asked }: Answer, rate: number): string {
  const clear = asked.filter(({ set }) => !set).length;
  if (clear > 0) {
    return (
      `${clear === 1 ? 'One' : integer(clear)} of its ${asked.length} bits ` +
      `${clear === 1 ? 'is' : 'are'} clear. Adding this host would have set all of them, ` +
      'so it was never added.'
    );
  }
  return (
    `All of its ${asked.length} bits are set. Either it was added, or other hosts happened to set ` +
    `them all, as they do for about ${oneIn(rate)} hosts that are not listed.`
  );
}

/** Draws the answer; null where there is no question, a string where there can be no answer. */
function show(answer: Answer | string | null, rate: number): void {
  pips.replaceChildren();
  if (answer === null || typeof answer === 'string') {
    verdict.dataset.answer = 'none';
    word.textContent = answer === null ? 'Ask about a host' : 'No answer';
    why.textContent = answer ?? 'Type one above, or pick one below.';
    return;
  }
  verdict.dataset.answer = answer.probable ? 'probable' : 'absent';
  word.textContent = answer.probable ? 'Probably listed' : 'Certainly not listed';
  why.textContent = explain(answer, rate);
  pips.append(...answer.asked.map(({ set }) => make('span', set ? 'pip pip-set' : 'pip')));
}

/** The question: asks as the visitor types, and hands each answer on. */
export class CheckView {
  readonly #filter: BloomFilter;
  readonly #rate: number;
  readonly #onAnswer: (answer: Answer | null, text: string) => void;
  readonly #announce = debounce(() => {
    announcer.textContent = input.value ? `${askedHost.textContent}: ${word.textContent}` : '';
  }, 600);
  #triedHosts = 0;

  constructor(
    filter: BloomFilter,
    info: ListInfo,
    onAnswer: (answer: Answer | null, text: string) => void,
  ) {
    this.#filter = filter;
    this.#rate = filter.estimatedFpr;
    this.#onAnswer = onAnswer;
    input.addEventListener('input', () => this.#ask());
    for (const [kind, hosts] of Object.entries(info.picks)) this.#addPicks(kind as PickKind, hosts);
    huntButton.disabled = false;
    huntButton.addEventListener('click', () => this.#hunt());
  }

  /** Puts `text` into the field and asks it. */
  setText(text: string): void {
    input.value = text;
    this.#ask();
  }

  #ask(): void {
    const host = hostOf(input.value);
    askedHost.textContent = host || '\u00a0';
    let answer: Answer | null = null;
    try {
      if (host) answer = ask(this.#filter, host);
      show(answer, this.#rate);
    } catch (error) {
      show(error instanceof Error ? error.message : String(error), this.#rate);
    }
    this.#announce();
    this.#onAnswer(answer, input.value);
  }

  #addPicks(kind: PickKind, hosts: readonly string[]): void {
    const buttons = hosts.map((host) => {
      const button = make('button', 'pick', host);
      button.type = 'button';
      button.addEventListener('click', () => this.setText(host));
      return button;
    });
    byId(`picks-${kind}`, HTMLDivElement).replaceChildren(...buttons);
  }

  /** Asks made-up hosts until one is positive; a second press goes on from there. */
  #hunt(): void {
    if (huntButton.ariaDisabled === 'true') return;
    huntButton.ariaDisabled = 'true'; // not `disabled`, which would drop the keyboard's focus
    const start = this.#triedHosts;
    const batch = (): void => {
      const hosts = Array.from({ length: HUNT_BATCH }, (_, i) => madeUpHost(this.#triedHosts + i));
      const hit = this.#filter.hasMany(hosts).indexOf(1);
      this.#triedHosts += hit < 0 ? HUNT_BATCH : hit + 1;
      const tried = plural(this.#triedHosts - start, 'made-up host');
      if (hit < 0) {
        huntNote.textContent = `Asked ${tried} ...`;
        setTimeout(batch);
        return;
      }
      const found = hosts[hit] ?? '';
      this.setText(found);
      huntNote.textContent =
        `Asked ${tried}; the filter is wrong about ${found}. Nobody can register a name under ` +
        `.example, so it is on no list: other hosts set its bits. Expected: ${oneIn(this.#rate)}.`;
      huntButton.ariaDisabled = 'false';
      huntButton.textContent = 'Find another';
    };
    batch();
  }
}
