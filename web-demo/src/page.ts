import type { BloomFilter } from 'tamis';
import type { Answer } from './answer';
import type { ListInfo } from './list';
import type { Owners } from './owners';

type Listener = (answer: Answer | null, owners: Owners | undefined) => void;

/** The state that the sections of the page share: the filter, and the current answer. */
export class Page {
  readonly filter: BloomFilter;
  readonly info: ListInfo;
  readonly #listeners: Listener[] = [];
  #answer: Answer | null = null;
  #owners: Owners | undefined;
  /** The text in the field, as typed. */
  text = '';

  constructor(filter: BloomFilter, info: ListInfo) {
    this.filter = filter;
    this.info = info;
  }

  /** Calls back with the current answer, and with each later one. */
  onAnswer(listener: Listener): void {
    this.#listeners.push(listener);
    listener(this.#answer, this.#owners);
  }

  /** `owners` is given if the list was loaded. */
  show(answer: Answer | null, owners = this.#owners): void {
    this.#answer = answer;
    this.#owners = owners;
    for (const listener of this.#listeners) listener(answer, owners);
  }

  /** Adds the loaded list to the current answer. */
  tell(owners: Owners): void {
    this.show(this.#answer, owners);
  }
}
