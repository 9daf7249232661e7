import { byId, make } from '../dom';
import { fillFigures } from '../figures-view';
import { integer } from '../format';
import type { Confirmation, LookUp } from './protocol';

const figures = byId('privacy-figures', HTMLDListElement);
const questions = byId('questions', HTMLOListElement);
const noQuestions = byId('no-questions', HTMLParagraphElement);

const PREFIX = /.{8}/g;

const SAID: Readonly<Record<Confirmation['verdict'], string>> = {
  safe: 'Not listed',
  unsafe: 'Listed',
  unknown: 'Not known',
  invalid: 'No web page',
};

/** Shows each question to the confirm server byte by byte, and the number of checks without a question. */
export class PrivacyView {
  #checked = 0;
  #asked = 0;
  #bytes = 0;

  constructor() {
    this.#show();
  }

  countChecked(urls: number): void {
    this.#checked += urls;
    this.#show();
  }

  add(url: string, { verdict, from, exchange }: Confirmation, lookUp: LookUp): void {
    const row = make('li');
    row.append(make('p', 'question-url', url));
    if (exchange === undefined) {
      const who = from === 'cache' ? 'an earlier answer still holds' : 'the list alone says so';
      row.append(make('p', 'note', `Nothing sent: ${who}. ${SAID[verdict]}.`));
    } else {
      const size = exchange.sent.length / 2;
      const isSent = exchange.status > 0;
      if (isSent) {
        this.#asked++;
        this.#bytes += size;
      }
      const answer =
        exchange.status === 200
          ? `Answer: ${integer(exchange.receivedBytes)} bytes. ${SAID[verdict]}.`
          : `No useful answer${isSent ? `: ${exchange.status}` : ''}.`;
      row.append(
        make('p', 'note', `${isSent ? 'Sent' : 'Not sent:'} ${integer(size)} bytes, all of them:`),
        this.#prefixes(exchange.sent, lookUp),
        make('p', 'note', answer),
      );
    }
    questions.prepend(row);
    noQuestions.hidden = true;
    this.#show();
  }

  /** The prefixes of the question: those of the hits, and the decoys. */
  #prefixes(sent: string, { expressions }: LookUp): HTMLParagraphElement {
    const hits = expressions.filter(({ isHit }) => isHit).map(({ hash }) => hash.slice(0, 8));
    const row = make('p', 'prefixes');
    for (const prefix of sent.match(PREFIX) ?? []) {
      const isMine = hits.includes(prefix);
      const chip = make('span', isMine ? 'prefix prefix-mine' : 'prefix');
      chip.append(make('code', '', prefix), isMine ? ' of the hit' : ' a decoy');
      row.append(chip);
    }
    return row;
  }

  #show(): void {
    fillFigures(figures, [
      ['URLs checked here', integer(this.#checked), 'one for each letter you type'],
      ['Questions to the server', integer(this.#asked)],
      ['Bytes sent about URLs', integer(this.#bytes), 'the bodies of the questions'],
    ]);
  }
}
