// The controls of a figure, which stay in place while the figure changes.
import { debounce, make } from '../dom';
import type { Choice, Control, State } from './model';

/** How long after the last letter a figure plays. */
const TYPING_MS = 250;

type OnChange = (name: string, value: string) => void;

export class ControlsView {
  readonly #root: HTMLElement;
  readonly #onChange: OnChange;
  /** What is on the page, so that a field that somebody types into is not built anew. */
  #shown = '';

  constructor(root: HTMLElement, onChange: OnChange) {
    this.#root = root;
    this.#onChange = onChange;
  }

  /** Shows the controls with their values. */
  show(controls: readonly Control[], state: State): void {
    const wanted = JSON.stringify(controls);
    if (wanted !== this.#shown) {
      this.#shown = wanted;
      this.#root.replaceChildren(...controls.map((control) => this.#build(control)));
    }
    for (const field of this.#root.querySelectorAll<HTMLInputElement>('input[type=text]')) {
      const value = state[field.name] ?? '';
      if (field.value !== value) field.value = value;
    }
    for (const button of this.#root.querySelectorAll<HTMLButtonElement>('button[data-name]')) {
      const chosen = state[button.dataset.name ?? ''] === button.value;
      button.setAttribute('aria-pressed', String(chosen));
    }
  }

  #build(control: Control): HTMLElement {
    const row = make('div', `control control-${control.kind}`);
    if (control.kind === 'choice') {
      row.setAttribute('role', 'group');
      row.setAttribute('aria-label', control.label);
      row.append(make('span', 'control-label', control.label));
      row.append(...this.#buttons(control.name, control.choices));
      return row;
    }
    const label = make('label', 'control-label', control.label);
    const field = make('input', 'field');
    field.type = 'text';
    field.name = control.name;
    field.autocomplete = 'off';
    field.spellcheck = false;
    field.maxLength = 40;
    field.addEventListener(
      'input',
      debounce(() => this.#onChange(control.name, field.value), TYPING_MS),
    );
    label.append(field);
    row.append(label, ...this.#buttons(control.name, control.picks ?? []));
    return row;
  }

  #buttons(name: string, choices: readonly Choice[]): HTMLButtonElement[] {
    return choices.map(({ value, label }) => {
      const button = make('button', 'pick', label);
      button.type = 'button';
      button.dataset.name = name;
      button.value = value;
      button.addEventListener('click', () => this.#onChange(name, value));
      return button;
    });
  }
}
