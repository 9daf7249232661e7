import { type Remote, transfer, wrap } from 'comlink';
import type { GuardAnswer, GuardVerdict, ListAction } from 'tamis/url';
import { byId, debounce, fillPicks } from '../dom';
import { integer, messageOf } from '../format';
import type { BuiltList } from './feed-job';
import type { Actions, GuardDesk, ListName, Verified } from './guard-worker';
import type { Connection } from './urls-page';

const form = byId('guard-form', HTMLFormElement);
const input = byId('guard-text', HTMLInputElement);
const askButton = byId('guard-ask', HTMLButtonElement);
const box = byId('guard-verdict', HTMLDivElement);
const word = byId('guard-word', HTMLParagraphElement);
const why = byId('guard-why', HTMLParagraphElement);
const announcer = byId('guard-announce', HTMLParagraphElement);
const ownNote = byId('guard-yours-note', HTMLElement);
const selects: Readonly<Record<ListName, HTMLSelectElement>> = {
  phishing: byId('guard-phishing-action', HTMLSelectElement),
  yours: byId('guard-yours-action', HTMLSelectElement),
};

const EXAMPLES = [
  'https://poloniexsign.com/',
  'https://login-bank.example/start',
  'https://www.myetheerwallet.pw/restore',
  'https://en.wikipedia.org/wiki/Phishing',
];

const ACTIONS: Readonly<Record<ListAction, readonly [tone: string, word: string]>> = {
  block: ['wrong', 'Block'],
  warn: ['probable', 'Warn'],
  note: ['none', 'Note'],
};

const NAMES: Readonly<Record<string, string>> = {
  phishing: 'the phishing list',
  yours: 'your list',
};

const nameOf = (list: string): string => NAMES[list] ?? list;
const namesOf = (lists: readonly string[]): string => lists.map(nameOf).join(' and ');
const upper = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const actionsNow = (): Actions => ({
  phishing: selects.phishing.value as ListAction,
  yours: selects.yours.value as ListAction,
});

/** Checks a link against two lists. Shows their common answer, and the list that decides it. */
export class GuardView {
  readonly #getConnection: () => Promise<Connection>;
  readonly #onVerified: (url: string, verified: Verified) => Promise<void>;
  readonly #announce = debounce(() => {
    announcer.textContent = input.value ? `${word.textContent}. ${why.textContent}` : '';
  }, 600);
  /** The worker, which exists from the first question on. */
  #desk: Promise<Remote<GuardDesk>> | undefined;
  #prepare: Connection['prepare'] | undefined;
  #list: BuiltList | undefined;
  #isOffline = false;
  /** True if the last question wanted the verdict. */
  #isVerified = false;
  /** Answers that arrive after those of a later question are dropped. */
  #round = 0;

  constructor(
    getConnection: () => Promise<Connection>,
    onVerified: (url: string, verified: Verified) => Promise<void>,
  ) {
    this.#getConnection = getConnection;
    this.#onVerified = onVerified;
    input.addEventListener('input', () => this.#check());
    form.addEventListener('submit', (submit) => {
      submit.preventDefault();
      this.#verify();
    });
    for (const select of Object.values(selects)) {
      select.addEventListener('change', async () => {
        const isVerified = this.#isVerified;
        await this.#change((desk) => desk.setActions(actionsNow()));
        if (isVerified) await this.#verify();
      });
    }
    const examples = EXAMPLES.map((text) => ({ label: new URL(text).host, text }));
    fillPicks('guard', examples, (url) => {
      input.value = url;
      this.#verify();
    });
    askButton.disabled = false;
    this.#showList();
    // The visitor may have typed before this script was loaded.
    void this.#check();
  }

  /** Replaces the visitor's list. */
  setList(list: BuiltList | undefined): void {
    this.#list = list;
    this.#showList();
    this.#change((desk) => desk.setList(list?.bytes));
  }

  setOffline(isOffline: boolean): void {
    this.#isOffline = isOffline;
    this.#change((desk) => desk.setOffline(isOffline));
  }

  /** Called when the publisher may have a newer list. */
  update(): void {
    this.#change((desk) => desk.update());
  }

  /** Tells the worker, if there is one, and asks it again. Until then the page shows an old answer. */
  async #change(act: (desk: Remote<GuardDesk>) => Promise<unknown>): Promise<void> {
    if (this.#desk === undefined) return;
    this.#round++;
    box.ariaBusy = 'true';
    await act(await this.#desk);
    await this.#check();
  }

  #open(): Promise<Remote<GuardDesk>> {
    this.#desk ??= this.#connect();
    return this.#desk;
  }

  async #connect(): Promise<Remote<GuardDesk>> {
    const { source, port, prepare } = await this.#getConnection();
    this.#prepare = prepare;
    const worker = new Worker(new URL('./guard-worker.ts', import.meta.url), { type: 'module' });
    const desk = wrap<GuardDesk>(worker);
    await desk.connect(source, transfer(port, [port]), actionsNow());
    await desk.setOffline(this.#isOffline);
    if (this.#list) await desk.setList(this.#list.bytes);
    return desk;
  }

  /** Shows the result of a question, unless a later question was asked. */
  async #answer(ask: (desk: Remote<GuardDesk>) => Promise<() => void>): Promise<void> {
    const round = ++this.#round;
    box.ariaBusy = 'true';
    try {
      const show = await ask(await this.#open());
      if (round !== this.#round) return;
      show();
    } catch (error) {
      if (round !== this.#round) return;
      this.#show('none', 'No answer', messageOf(error));
    }
    if (round !== this.#round) return;
    box.ariaBusy = 'false';
    this.#announce();
  }

  /** Shows the local answer of both lists, without a question to any server. */
  async #check(): Promise<void> {
    this.#isVerified = false;
    const url = input.value.trim();
    if (url === '') {
      this.#round++;
      box.ariaBusy = 'false';
      this.#showNothing();
      this.#announce();
      return;
    }
    await this.#answer(async (desk) => {
      const answer = await desk.check(url);
      return () => this.#showAnswer(answer);
    });
  }

  async #verify(): Promise<void> {
    const url = input.value.trim();
    if (url === '') return this.#check();
    this.#isVerified = true;
    await this.#answer(async (desk) => {
      await this.#prepareFor(await desk.check(url));
      const verified = await desk.verify(url);
      await this.#onVerified(url, verified);
      return () => this.#showVerdict(verified.verdict);
    });
  }

  /** A server confirms a hit in the phishing list, so the server must be ready. */
  async #prepareFor({ lists }: GuardAnswer): Promise<void> {
    if (lists.includes('phishing') && !this.#isOffline) await this.#prepare?.();
  }

  #show(tone: string, text: string, reason: string): void {
    box.dataset.answer = tone;
    word.textContent = text;
    why.textContent = reason;
  }

  #showNothing(): void {
    this.#show('none', 'Check a link', 'Type one above, or pick one below.');
  }

  #showList(): void {
    const list = this.#list;
    ownNote.textContent = list
      ? `of your feeds; its entries: ${integer(list.entries)}`
      : 'there is none yet: drop a feed above, or take the example';
  }

  /** Names the lists that could not be searched. */
  #lackOf(missing: readonly string[]): string {
    if (missing.includes('yours') && this.#list === undefined) {
      const others = missing.filter((list) => list !== 'yours');
      return others.length > 0
        ? `${this.#lackOf(others)} You have no list yet.`
        : 'You have no list yet.';
    }
    return missing.length > 0 ? `${upper(namesOf(missing))} gave no answer.` : '';
  }

  #showAnswer({ answer, lists, missing }: GuardAnswer): void {
    const lack = this.#lackOf(missing);
    if (answer === 'maybe') {
      const text = `May be on ${namesOf(lists)}`;
      this.#show(
        'probable',
        text,
        `Press Check for the verdict: it asks the confirm server. ${lack}`,
      );
    } else {
      this.#showEnd(answer, lack);
    }
  }

  #showVerdict(found: GuardVerdict): void {
    const lack = this.#lackOf(found.missing);
    if (found.action === 'none' || found.name === undefined) {
      this.#showEnd(found.verdict, lack);
      return;
    }
    const [tone, text] = ACTIONS[found.action];
    const also = found.also.length > 0 ? ` ${upper(namesOf(found.also))} has it too.` : '';
    const who = {
      server: 'Its confirm server says so.',
      cache: 'Its confirm server said so before.',
      list: 'The list is sure of it without a server.',
    }[found.from as 'server' | 'cache' | 'list'];
    const reason = `${upper(nameOf(found.name))} has ${found.expression}. ${who}${also} ${lack}`;
    this.#show(tone, `${text}: on ${nameOf(found.name)}`, reason);
  }

  #showEnd(answer: GuardVerdict['verdict'], lack: string): void {
    if (answer === 'safe') {
      this.#show('absent', 'On no list', `No list has an action for it. ${lack}`);
    } else if (answer === 'invalid') {
      this.#show('none', 'No web page', 'No browser opens a page for this text.');
    } else {
      this.#show('none', 'No answer', `${lack} That makes no link safe.`);
    }
  }
}
