import { byId } from './dom';
import { type Limits, snap } from './state';

/** A slider over powers of ten that stops at values of two digits. */
export class LogSlider {
  readonly #input: HTMLInputElement;
  readonly #output: HTMLOutputElement;
  readonly #limits: Limits;
  readonly #word: (value: number) => string;
  readonly #onChange: () => void;
  #value: number;

  constructor(id: string, limits: Limits, word: (value: number) => string, onChange: () => void) {
    this.#input = byId(id, HTMLInputElement);
    this.#output = byId(`${id}-value`, HTMLOutputElement);
    this.#limits = limits;
    this.#word = word;
    this.#onChange = onChange;
    this.#value = limits.min;
    this.#input.min = String(Math.log10(limits.min));
    this.#input.max = String(Math.log10(limits.max));
    this.#input.addEventListener('input', () => {
      this.#value = snap(10 ** Number(this.#input.value), limits);
      this.#tell();
      onChange();
    });
    this.#input.addEventListener('keydown', (event) => this.#key(event));
  }

  get value(): number {
    return this.#value;
  }

  set value(value: number) {
    this.#value = snap(value, this.#limits);
    this.#input.value = String(Math.log10(this.#value));
    this.#tell();
  }

  /** One press changes the first digit by one. The browser's own step would be uneven between such values. */
  #key(event: KeyboardEvent): void {
    const up = event.key === 'ArrowRight' || event.key === 'ArrowUp';
    const down = event.key === 'ArrowLeft' || event.key === 'ArrowDown';
    if (!up && !down) return;
    event.preventDefault();
    const exponent = Math.floor(Math.log10(this.#value) + (down ? -1e-9 : 1e-9));
    this.value = this.#value + (up ? 1 : -1) * 10 ** exponent;
    this.#onChange();
  }

  #tell(): void {
    const words = this.#word(this.#value);
    this.#output.textContent = words;
    this.#input.setAttribute('aria-valuetext', words);
  }
}
