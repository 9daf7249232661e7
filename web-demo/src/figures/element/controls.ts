// The controls of a figure, which stay in place while the figure changes.
import { debounce, make, makeButton } from '../../dom';
import type { Choice, Control, State } from '../shared/model';

/** The pause after the last letter before a figure plays. */
const TYPING_MS = 250;

/** The maximum number of characters of a name. */
const SHORT = 40;

type OnChange = (name: string, value: string) => void;

export class ControlsView {
  readonly #root: HTMLElement;
  readonly #onChange: OnChange;
  #state: State = {};
  /** The controls on the page. A field or button that has the focus is not built again. */
  #rows = new Map<string, HTMLElement>();

  constructor(root: HTMLElement, onChange: OnChange) {
    this.#root = root;
    this.#onChange = onChange;
  }

  /** Shows the controls with their values. */
  show(controls: readonly Control[], state: State): void {
    this.#state = state;
    const old = this.#rows;
    this.#rows = new Map(
      controls.map((control) => {
        const wanted = JSON.stringify(control);
        return [wanted, old.get(wanted) ?? this.#build(control)];
      }),
    );
    for (const [wanted, row] of old) if (!this.#rows.has(wanted)) row.remove();
    // A row that is already in its place is not moved, because a move would take the focus from it.
    [...this.#rows.values()].forEach((row, i) => {
      const there = this.#root.children[i];
      if (there !== row) this.#root.insertBefore(row, there ?? null);
    });
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
    field.maxLength = control.longest ?? SHORT;
    field.classList.toggle('field-long', field.maxLength > SHORT);
    const commit = () => {
      if (field.value !== this.#state[control.name]) this.#onChange(control.name, field.value);
    };
    field.addEventListener('input', debounce(commit, TYPING_MS));
    // The Enter key takes effect at once.
    field.addEventListener('change', commit);
    label.append(field);
    row.append(label, ...this.#buttons(control.name, control.picks ?? []));
    return row;
  }

  #buttons(name: string, choices: readonly Choice[]): HTMLButtonElement[] {
    return choices.map(({ value, label }) => {
      const button = makeButton('pick', label, () => this.#onChange(name, value));
      button.dataset.name = name;
      button.value = value;
      return button;
    });
  }
}
