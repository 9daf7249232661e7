import { suggestFilter } from 'tamis';
import { byId, copyTextButton } from '../dom';
import { fillFigures } from '../figures-view';
import { bytes, integer, oneIn } from '../format';
import { type Answers, needsOf, pageOf, programOf } from './needs';

const form = byId('chooser-form', HTMLFormElement);
const answer = byId('chooser-answer', HTMLDivElement);
const name = byId('chooser-name', HTMLParagraphElement);
const why = byId('chooser-why', HTMLParagraphElement);
const figures = byId('chooser-figures', HTMLDListElement);
const program = byId('chooser-program', HTMLElement);
const link = byId('chooser-link', HTMLAnchorElement);
const calculator = byId('to-calculator', HTMLAnchorElement);

function answersOf(fields: FormData): Answers {
  const text = (field: string): string => String(fields.get(field) ?? '');
  return {
    keys: text('keys'),
    change: text('change') as Answers['change'],
    deletes: text('deletes') === 'yes',
    error: text('error') as Answers['error'],
    rate: text('rate'),
    others: text('others'),
    valueBits: text('value-bits'),
    grows: text('grows') === 'yes',
  };
}

/** Five questions, and the class that fits the answers. */
export class ChooserView {
  constructor() {
    form.addEventListener('submit', (event) => event.preventDefault());
    form.addEventListener('input', () => this.#answer());
    copyTextButton('copy-chooser', program);
    this.#answer();
  }

  #answer(): void {
    const answers = answersOf(new FormData(form));
    const fields = new URLSearchParams({ n: answers.keys, p: answers.rate });
    calculator.href = `./calculator.html?${fields}`;
    const isFixed = answers.change === 'fixed';
    for (const field of form.querySelectorAll<HTMLFieldSetElement>('[data-changing]')) {
      field.disabled = isFixed;
    }
    for (const row of form.querySelectorAll<HTMLElement>('[data-for]')) {
      row.classList.toggle('is-unused', !row.dataset.for?.split(' ').includes(answers.error));
    }
    try {
      const suggestion = suggestFilter(needsOf(answers));
      const { className, sizeBytes, bitsPerKey, fpr } = suggestion;
      answer.dataset.state = 'found';
      name.textContent = className;
      why.textContent = suggestion.why;
      fillFigures(figures, [
        ['Size', `${integer(sizeBytes)} bytes`, bytes(sizeBytes)],
        ['Bits per key', bitsPerKey.toFixed(1)],
        ['False positives', fpr === 0 ? 'none' : oneIn(fpr)],
      ]);
      program.textContent = programOf(suggestion);
      link.href = DOCS_PAGES.replace('*', pageOf(suggestion));
      link.textContent = `Read about ${className}`;
      link.hidden = false;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      answer.dataset.state = 'none';
      name.textContent = 'No suggestion';
      why.textContent = error.message;
      figures.replaceChildren();
      program.textContent = '';
      link.hidden = true;
    }
  }
}
