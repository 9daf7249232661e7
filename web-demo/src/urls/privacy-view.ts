import { byId, make } from '../dom';
import { fillFigures } from '../figures-view';
import { integer } from '../format';
import type { Confirmation, LookUp } from './protocol';

const figures = byId('privacy-figures', HTMLDListElement);
const questions = byId('questions', HTMLOListElement);
const noQuestions = byId('no-questions', HTMLParagraphElement);

const PREFIX = /.{8}/g;

/** What was asked of the confirm server, byte for byte, and how often nothing had to be. */
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
    if (exchange === undefined) {
      row.append(make('p', 'question-url', url));
      row.append(make('p', 'note', `Nothing sent: known from the ${from}, ${verdict}.`));
    } else {
      this.#asked++;
      this.#bytes += exchange.sent.length / 2;
      const hits = new Set(
        lookUp.expressions.filter(({ isHit }) => isHit).map(({ hash }) => hash.slice(0, 8)),
      );
      const sent = make('p', 'prefixes');
      const prefixes = exchange.sent.match(PREFIX) ?? [];
      for (const prefix of prefixes) {
        const isMine = hits.has(prefix);
        const chip = make('span', isMine ? 'prefix prefix-mine' : 'prefix');
        chip.append(make('code', '', prefix), isMine ? ' of the hit' : ' a decoy');
        sent.append(chip, ' ');
      }
      const answer =
        exchange.status === 200
          ? `Answer: ${integer(exchange.receivedBytes)} bytes, ${verdict}.`
          : `No answer of use${exchange.status ? ` (${exchange.status})` : ''}.`;
      row.append(
        make('p', 'question-url', url),
        make('p', 'note', `Sent ${integer(exchange.sent.length / 2)} bytes, all of them:`),
        sent,
        make('p', 'note', answer),
      );
    }
    questions.prepend(row);
    noQuestions.hidden = true;
    this.#show();
  }

  #show(): void {
    fillFigures(figures, [
      ['URLs checked here', integer(this.#checked), 'one for each letter you type'],
      ['Questions to the server', integer(this.#asked)],
      ['Bytes sent about URLs', integer(this.#bytes), 'the bodies of the questions'],
    ]);
  }
}
