import type { Remote } from 'comlink';
import type { CheckerAnswer } from 'tamis/url';
import { byId, debounce, fillPicks, make, makeButton } from '../dom';
import { integer, messageOf, oneIn, plural } from '../format';
import type { DemoChecker } from './checker-worker';
import { EXAMPLES } from './examples';
import type { Confirmation, LookUp } from './protocol';

/** The number of links that are shown one by one. Hits come first. */
const SHOWN = 60;

const input = byId('text', HTMLTextAreaElement);
const verdictBox = byId('verdict', HTMLDivElement);
const word = byId('verdict-word', HTMLParagraphElement);
const why = byId('verdict-why', HTMLParagraphElement);
const askButton = byId('ask', HTMLButtonElement);
const announcer = byId('announce', HTMLParagraphElement);
const linkList = byId('links', HTMLOListElement);
const linksNote = byId('links-note', HTMLParagraphElement);
const huntButton = byId('hunt', HTMLButtonElement);
const huntNote = byId('hunt-note', HTMLParagraphElement);

type Answer = CheckerAnswer | 'unsafe' | 'false-positive' | 'unconfirmed';

interface Link {
  readonly url: string;
  answer: Answer;
}

/** The colour and the word of each answer. */
const WORDS: Readonly<Record<Answer, readonly [tone: string, word: string, short: string]>> = {
  safe: ['absent', 'Not on the list', 'not listed'],
  maybe: ['probable', 'May be on the list', 'may be listed'],
  invalid: ['none', 'No web page', 'no web page'],
  unknown: ['none', 'No list, no answer', 'no answer'],
  unsafe: ['probable', 'On the list', 'listed'],
  'false-positive': ['absent', 'Not on the list: a false positive', 'false positive'],
  unconfirmed: ['probable', 'May be on the list; nobody confirms it', 'not confirmed'],
};

function answerOf({ verdict, from }: Confirmation): Answer {
  if (verdict === 'safe') return from === 'list' ? 'safe' : 'false-positive';
  return verdict === 'unknown' ? 'unconfirmed' : verdict;
}

/** The URLs to check in a text. A text of one word is a URL as it stands. A longer text is searched for links. */
async function urlsIn(text: string): Promise<string[]> {
  const word = text.trim();
  if (word === '') return [];
  if (!/\s/.test(word)) return [word];
  // A visitor who checks one URL at a time does not need the link finder.
  const { findLinks } = await import('./find-links');
  return findLinks(word);
}

/** Events that the rest of the page is told of. */
export interface CheckEvents {
  /** Prepares the confirm server for a question. */
  onHit(): Promise<void>;
  onLookUp(lookUp: LookUp | undefined): void;
  onChecked(count: number): void;
  onConfirmed(url: string, confirmation: Confirmation, lookUp: LookUp): Promise<void>;
}

/** The question: checks the text as the visitor types, and asks the server on request. */
export class CheckView {
  readonly #checker: Remote<DemoChecker>;
  readonly #events: CheckEvents;
  readonly #announce = debounce(() => {
    announcer.textContent = input.value.trim() ? `${word.textContent}. ${why.textContent}` : '';
  }, 600);
  #links: Link[] = [];
  #chosen: Link | undefined;
  #entries = 0;
  #ms = 0;
  /** Answers that arrive after those of a later text are dropped. */
  #asked = 0;

  constructor(checker: Remote<DemoChecker>, events: CheckEvents) {
    this.#checker = checker;
    this.#events = events;
    input.addEventListener('input', () => this.check());
    askButton.addEventListener('click', () => this.#confirm());
    huntButton.addEventListener('click', () => this.#hunt());
    huntButton.disabled = false;
    for (const [kind, examples] of Object.entries(EXAMPLES)) {
      fillPicks(kind, examples, (text) => this.setText(text));
    }
  }

  /** Sets the number of entries in the list. The probability of a false positive depends on it. */
  set entries(count: number) {
    this.#entries = count;
  }

  setText(text: string): Promise<void> {
    input.value = text;
    return this.check();
  }

  /** Checks the text. It does so again after a change of the list. */
  async check(): Promise<void> {
    const round = ++this.#asked;
    verdictBox.ariaBusy = 'true';
    try {
      const urls = await urlsIn(input.value);
      if (round !== this.#asked) return;
      const { verdicts, ms } = await this.#checker.check(urls);
      if (round !== this.#asked) return;
      this.#events.onChecked(urls.length);
      this.#links = urls.map((url, i) => ({ url, answer: verdicts[i] ?? 'unknown' }));
      this.#chosen = this.#links.find(({ answer }) => answer === 'maybe') ?? this.#links[0];
      this.#ms = ms;
      await this.#show();
    } catch (error) {
      verdictBox.dataset.answer = 'none';
      word.textContent = 'No answer';
      why.textContent = messageOf(error);
    }
    if (round !== this.#asked) return;
    verdictBox.ariaBusy = 'false';
    this.#announce();
  }

  async #show(): Promise<void> {
    const round = this.#asked;
    const chosen = this.#chosen;
    const isUsable = chosen && !['invalid', 'unknown'].includes(chosen.answer);
    const lookUp = isUsable ? await this.#checker.lookUp(chosen.url) : undefined;
    if (round !== this.#asked || chosen !== this.#chosen) return;
    this.#events.onLookUp(lookUp);
    this.#showLinks();
    if (this.#links.length > 1) this.#showMany();
    else this.#showOne(chosen, lookUp);
    const open = this.#links.filter(({ answer }) => answer === 'maybe').length;
    askButton.hidden = open === 0;
    if (open > 0) void this.#events.onHit();
    askButton.textContent =
      this.#links.length > 1
        ? `Confirm ${open === 1 ? 'it' : plural(open, 'hit')} with the server`
        : 'Confirm with the server';
  }

  #showOne(link: Link | undefined, lookUp: LookUp | undefined): void {
    if (link === undefined) {
      verdictBox.dataset.answer = 'none';
      word.textContent = input.value.trim() ? 'No links in this text' : 'Check a link';
      why.textContent = input.value.trim() ? '' : 'Type one above, or pick one below.';
      return;
    }
    const [tone, text] = WORDS[link.answer];
    verdictBox.dataset.answer = tone;
    word.textContent = text;
    why.textContent = this.#explain(link.answer, lookUp);
  }

  #explain(answer: Answer, lookUp: LookUp | undefined): string {
    const expressions = lookUp?.expressions ?? [];
    const hits = expressions.filter(({ isHit }) => isHit);
    const asked = plural(expressions.length, 'expression');
    switch (answer) {
      case 'safe':
        return `None of its ${asked} begins like an entry. That is certain, and nothing was sent.`;
      case 'maybe': {
        const chance = oneIn((expressions.length * this.#entries) / 2 ** 32);
        const what = hits.length === 1 ? 'One' : integer(hits.length);
        return (
          `${what} of its ${asked} begins like an entry, as in about ${chance} links that are not ` +
          'listed. Nothing was sent yet.'
        );
      }
      case 'unsafe':
        return `The server knows the whole hash of ${hits[0]?.text ?? 'it'}: listed.`;
      case 'false-positive':
        return 'The server knows no entry with this hash; only its first four bytes are like one.';
      case 'unconfirmed':
        return 'The confirm server gave no answer. That makes no link safe.';
      case 'invalid':
        return 'No browser opens a page for this text.';
      case 'unknown':
        return 'There is no list, or it has expired. That makes no link safe.';
    }
  }

  #showMany(): void {
    const count = (...answers: Answer[]): number =>
      this.#links.filter(({ answer }) => answers.includes(answer)).length;
    const listed = count('unsafe');
    const open = count('maybe', 'unconfirmed');
    const unanswered = count('unknown');
    const total = plural(this.#links.length, 'link');
    verdictBox.dataset.answer = listed + open > 0 ? 'probable' : unanswered > 0 ? 'none' : 'absent';
    word.textContent =
      unanswered > 0
        ? 'No list, no answer'
        : open > 0
          ? `${integer(open)} of ${total} may be on the list`
          : listed > 0
            ? `${integer(listed)} of ${total} on the list`
            : `None of ${total} on the list`;
    const parts = [`Checked in ${this.#ms.toFixed(1)} ms.`];
    if (open > 0 && listed > 0) parts.push(`${integer(listed)} listed for certain.`);
    if (count('false-positive') > 0)
      parts.push(plural(count('false-positive'), 'false positive').concat('.'));
    why.textContent = parts.join(' ');
  }

  #showLinks(): void {
    const isList = this.#links.length > 1;
    linkList.hidden = !isList;
    const first = (link: Link): number => (link.answer === 'safe' ? 1 : 0);
    const shown = [...this.#links].sort((a, b) => first(a) - first(b)).slice(0, SHOWN);
    const rows = shown.map((link) => {
      const [tone, , short] = WORDS[link.answer];
      const button = makeButton('link', '', async () => {
        this.#chosen = link;
        const at = [...linkList.children].indexOf(button.parentElement as Element);
        await this.#show();
        linkList.children[at]?.querySelector('button')?.focus();
      });
      button.dataset.answer = tone;
      button.ariaPressed = String(link === this.#chosen);
      button.append(make('span', 'link-url', link.url), make('b', 'link-word', short));
      const row = make('li');
      row.append(button);
      return row;
    });
    linkList.replaceChildren(...(isList ? rows : []));
    const hidden = this.#links.length - shown.length;
    linksNote.hidden = hidden <= 0;
    linksNote.textContent = `And ${integer(hidden)} more.`;
  }

  async #confirm(): Promise<void> {
    if (askButton.ariaDisabled === 'true') return;
    const round = this.#asked;
    askButton.ariaDisabled = 'true'; // not `disabled`, which would drop the keyboard's focus
    await this.#events.onHit();
    for (const link of this.#links.filter(({ answer }) => answer === 'maybe')) {
      const lookUp = await this.#checker.lookUp(link.url);
      const confirmation = await this.#checker.verify(link.url);
      await this.#events.onConfirmed(link.url, confirmation, lookUp);
      link.answer = answerOf(confirmation);
    }
    askButton.ariaDisabled = 'false';
    if (round !== this.#asked) return;
    await this.#show();
    this.#announce();
    // The button is removed with its question.
    input.focus();
  }

  async #hunt(): Promise<void> {
    if (huntButton.ariaDisabled === 'true') return;
    huntButton.ariaDisabled = 'true';
    huntNote.textContent = 'Trying ...';
    try {
      const { url, tried } = await this.#checker.hunt();
      await this.setText(url);
      huntNote.textContent =
        `Tried ${plural(tried, 'made-up host')}. Expected: one in ` +
        `${integer(Math.round(2 ** 32 / this.#entries))}. Confirm it, and it is cleared.`;
      huntButton.textContent = 'Find another';
    } catch (error) {
      huntNote.textContent = messageOf(error);
    }
    huntButton.ariaDisabled = 'false';
  }
}
