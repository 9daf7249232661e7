import type { BloomFilter } from 'tamis';
import type { Answer } from './answer';
import type { ListInfo } from './list';
import type { Owners } from './owners';

type Listener = (answer: Answer | null, owners: Owners | undefined) => void;

/** What the sections of the page share: the filter, and the answer that stands. */
export class Page {
  readonly filter: BloomFilter;
  readonly info: ListInfo;
  readonly #listeners: Listener[] = [];
  #answer: Answer | null = null;
  #owners: Owners | undefined;
  /** What is in the field, as typed. */
  text = '';

  constructor(filter: BloomFilter, info: ListInfo) {
    this.filter = filter;
    this.info = info;
  }

  /** Calls back with the answer that stands, and with each one after it. */
  onAnswer(listener: Listener): void {
    this.#listeners.push(listener);
    listener(this.#answer, this.#owners);
  }

  /** `owners`: where the list was loaded. */
  show(answer: Answer | null, owners = this.#owners): void {
    this.#answer = answer;
    this.#owners = owners;
    for (const listener of this.#listeners) listener(answer, owners);
  }

  /** Says that the list was loaded, of the answer that stands. */
  tell(owners: Owners): void {
    this.show(this.#answer, owners);
  }
}
