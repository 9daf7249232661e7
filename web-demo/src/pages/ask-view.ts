import { pagesInfo } from 'virtual:pages-info';
import { byId, debounce, fillPicks } from '../dom';
import { integer, oneIn } from '../format';
import type { LookUps, Task } from './look-ups';
import { costOf, failureOf } from './tell';

const form = byId('ask', HTMLFormElement);
const input = byId('password', HTMLInputElement);
const verdictBox = byId('verdict', HTMLDivElement);
const word = byId('verdict-word', HTMLParagraphElement);
const why = byId('verdict-why', HTMLParagraphElement);
const cost = byId('verdict-cost', HTMLParagraphElement);
const announcer = byId('announce', HTMLParagraphElement);

const { fpr, picks } = pagesInfo;
const PICKS = {
  listed: picks.listed,
  good: picks.good,
  neighbour: [picks.neighbour],
  unlucky: [picks.unlucky],
} as const;

type Tone = 'none' | 'absent' | 'probable';

function say(tone: Tone, words: string, reason: string, costs = ''): void {
  verdictBox.dataset.answer = tone;
  word.textContent = words;
  why.textContent = reason;
  cost.textContent = costs;
}

/** The page's message if there was no look-up, or if it failed. */
export function showNoAnswer(words: string, reason: string): void {
  say('none', words, reason);
  verdictBox.ariaBusy = 'false';
}

/** The question: looks up the text in the field on request, and describes the result. */
export class AskView {
  readonly #lookUps: LookUps;
  readonly #announce = debounce(() => {
    announcer.textContent = [word, why, cost].map((part) => part.textContent).join('. ');
  }, 600);

  constructor(lookUps: LookUps) {
    this.#lookUps = lookUps;
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#ask();
    });
    for (const [kind, passwords] of Object.entries(PICKS)) {
      const choices = passwords.map((text) => ({ label: text, text }));
      fillPicks(kind, choices, (password) => {
        input.value = password;
        void this.#ask();
      });
    }
  }

  /** Describes the cost of the last look-up so far. */
  showCost(): void {
    const task = this.#lookUps.tasks.at(-1);
    if (task?.answer === undefined) return;
    const { ms } = task.answer;
    cost.textContent = `${costOf(task)}. The answer took ${ms.toFixed(ms < 10 ? 1 : 0)} ms.`;
  }

  async #ask(): Promise<void> {
    const password = input.value;
    if (password === '') return showNoAnswer('Look up a password', 'Type one above, or pick one.');
    verdictBox.ariaBusy = 'true';
    say('none', 'Looking it up', '');
    const task = await this.#lookUps.lookUp(password);
    // Another look-up began in the meantime, and its answer is on its way.
    if (task !== this.#lookUps.tasks.at(-1)) return;
    this.#show(password, task);
    verdictBox.ariaBusy = 'false';
    this.#announce();
  }

  #show(password: string, task: Task): void {
    const { answer, page = 0 } = task;
    const number = integer(page + 1);
    if (answer === undefined) {
      say(
        'none',
        'No answer',
        `${failureOf(task, this.#lookUps.status?.manifest)} That makes no password safe.`,
      );
    } else if (answer.isListed) {
      const rate = `${(100 * fpr).toPrecision(1)} %`;
      const known =
        password === picks.unlucky ? ' This is one of them: nobody put it on the list.' : '';
      say(
        'probable',
        `On the list, or a false positive: ${rate}`,
        `Page ${number} may have it. Of the passwords that are not listed, ${oneIn(fpr)} looks so.${known}`,
      );
    } else {
      say('absent', 'Certainly not on the list', `Page ${number} does not have it.`);
    }
    this.showCost();
  }
}
