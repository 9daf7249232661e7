// The parts of a figure that all figures have.
import { make } from '../../dom';
import type { FigureType, Step } from '../shared/model';

export type Frame = ReturnType<typeof makeFrame>;

function makeButton(label: string): HTMLButtonElement {
  const button = make('button', label.toLowerCase(), label);
  button.type = 'button';
  return button;
}

/** Builds the frame of a figure. A figure that opens at its end is read first and tried later: its controls come last. */
export function makeFrame({ title, opensAtEnd }: Pick<FigureType, 'title' | 'opensAtEnd'>) {
  const root = make('section', 'figure');
  root.setAttribute('aria-label', title);
  const controls = make('div', 'controls');
  const picture = make('div', 'picture');
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('role', 'img');
  picture.append(svg);
  const answer = make('p', 'answer');
  const caption = make('p', 'caption');
  const words = make('div', 'words');
  words.append(caption, answer);
  const [measuredAnswer, measuredCaption] = [make('p', 'answer'), make('p', 'caption')];
  const measured = make('div', 'measured');
  measured.setAttribute('aria-hidden', 'true');

  const bar = make('div', 'bar');
  const [play, back, step, reset] = ['Play', 'Back', 'Step', 'Reset'].map(makeButton) as [
    HTMLButtonElement,
    HTMLButtonElement,
    HTMLButtonElement,
    HTMLButtonElement,
  ];
  const scrubber = make('input', 'scrubber');
  scrubber.type = 'range';
  scrubber.min = '0';
  scrubber.step = '1';
  scrubber.setAttribute('aria-label', 'Step of the figure');
  const place = make('span', 'place');
  bar.append(play, back, step, scrubber, place, reset);

  const details = make('details', 'as-text');
  const lines = make('ul');
  details.append(make('summary', '', 'As text'), lines);
  // On a phone, the buttons and the words are in one view with the top of the drawing, where each step changes something.
  root.append(bar, words, picture, details);
  if (opensAtEnd) details.before(controls);
  else root.prepend(controls);

  return {
    root,
    controls,
    picture,
    svg,
    play,
    back,
    step,
    reset,
    scrubber,
    /** Starts reading later captions aloud. Before the reader's first action, captions are not read aloud. */
    announce() {
      words.setAttribute('role', 'status');
    },
    /** Stops reading captions aloud, or resumes. */
    hush(quiet: boolean) {
      if (quiet) words.setAttribute('aria-live', 'off');
      else words.removeAttribute('aria-live');
    },
    /** Marks the shown steps as outdated until those of the reader's choice are ready. */
    showBusy(busy: boolean) {
      if (busy) picture.setAttribute('aria-busy', 'true');
      else picture.removeAttribute('aria-busy');
    },
    showStep(current: Step, index: number, count: number) {
      answer.dataset.verdict = current.answer?.verdict ?? 'none';
      answer.textContent = current.answer?.words ?? '';
      caption.textContent = current.caption;
      svg.setAttribute('aria-label', current.text.slice(0, 2).join(' '));
      lines.replaceChildren(...current.text.map((line) => make('li', '', line)));
      scrubber.max = String(count - 1);
      scrubber.value = String(index);
      scrubber.setAttribute('aria-valuetext', `Step ${index + 1} of ${count}`);
      place.textContent = `${index + 1} of ${count}`;
      // A disabled button would lose the focus of a keyboard user.
      back.setAttribute('aria-disabled', String(index === 0));
      step.setAttribute('aria-disabled', String(index === count - 1));
    },
    /** Reserves room for the longest words of these steps, so that the drawing below stays in place. */
    reserve(steps: readonly Step[]) {
      words.style.minHeight = '';
      words.append(measured);
      let most = 0;
      for (const step of steps) {
        measuredAnswer.textContent = step.answer?.words ?? '';
        measuredCaption.textContent = step.caption;
        measured.replaceChildren(measuredCaption, measuredAnswer);
        most = Math.max(most, Math.ceil(measured.getBoundingClientRect().height));
      }
      measured.remove();
      words.style.minHeight = `${most}px`;
    },
    showTrouble(message: string) {
      answer.dataset.verdict = 'refused';
      answer.textContent = message;
      caption.textContent = '';
      lines.replaceChildren();
      svg.replaceChildren();
      svg.setAttribute('aria-label', 'Nothing is drawn.');
      place.textContent = '';
    },
  };
}
