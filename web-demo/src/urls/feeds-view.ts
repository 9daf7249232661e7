import type { FeedFormat } from 'tamis/feeds';
import { byId } from '../dom';
import { takeFiles } from '../drop-zone';
import { fillFigures } from '../figures-view';
import { bytes, integer, messageOf } from '../format';
import { EXAMPLE_FEED, EXAMPLE_NAME } from './example-feed';
import type { BuiltList, FeedJob, FeedOutcome } from './feed-job';
import { FeedReader } from './feed-reader';
import { FORMATS, reportOf, sentenceOf } from './feed-report';

const zone = byId('feed-zone', HTMLDivElement);
const input = byId('feed-file', HTMLInputElement);
const example = byId('feed-example', HTMLButtonElement);
const format = byId('feed-format', HTMLSelectElement);
const progress = byId('feed-progress', HTMLProgressElement);
const stopButton = byId('feed-stop', HTMLButtonElement);
const note = byId('feed-note', HTMLParagraphElement);
const figures = byId('feed-figures', HTMLDListElement);
const emptyButton = byId('feed-empty', HTMLButtonElement);
const reports = byId('feed-reports', HTMLOListElement);

/** Turns the visitor's feeds into one list. The feeds do not leave the browser. */
export class FeedsView {
  readonly #onList: (list: BuiltList | undefined) => void;
  /** The feeds in the list. */
  #kept: FeedJob[] = [];
  /** The reader that contains the feeds of `#kept`. If it is undefined, the next reader reads them again. */
  #reader: FeedReader | undefined;
  #turn: Promise<void> = Promise.resolve();
  /** The number of stops so far. Work that was requested before a stop is dropped after it. */
  #round = 0;
  #waiting = 0;

  /** `onList` is called with the current list, and with each later one. */
  constructor(onList: (list: BuiltList | undefined) => void) {
    this.#onList = onList;
    // A table of unknown columns needs more than its name.
    const known = Object.entries(FORMATS).filter(([value]) => value !== 'csv');
    const formats = known.map(([value, label]) => new Option(label, value));
    format.replaceChildren(new Option('tell it by the first lines', 'auto'), ...formats);
    takeFiles(zone, input, (files) => {
      for (const file of [...files]) this.#take(file);
      input.value = ''; // so that the same file can be chosen again
    });
    example.addEventListener('click', () => this.#take(new File([EXAMPLE_FEED], EXAMPLE_NAME)));
    stopButton.addEventListener('click', () => this.#stop());
    emptyButton.addEventListener('click', () => this.#empty());
    input.disabled = false;
    example.disabled = false;
    this.#show(undefined);
  }

  /** Reads a file after the earlier ones. Its report replaces an earlier report that is still on the page. */
  #take(file: File, earlier?: HTMLLIElement): void {
    const round = this.#round;
    const job: FeedJob = { file, format: format.value as FeedFormat | 'auto' };
    this.#waiting++;
    stopButton.ariaDisabled = 'false';
    this.#turn = this.#turn.then(async () => {
      const isWanted = round === this.#round && (!earlier || earlier.isConnected);
      if (isWanted) await this.#add(job, round, earlier);
      this.#waiting--;
      if (this.#waiting > 0) return;
      stopButton.ariaDisabled = 'true';
      progress.hidden = true;
    });
  }

  /** Adds a feed to the list, or leaves the list unchanged. */
  async #add(job: FeedJob, round: number, earlier?: HTMLLIElement): Promise<void> {
    const { name } = job.file;
    try {
      const reader = await this.#readerOf();
      const outcome = await this.#read(reader, job);
      if (outcome.failure === undefined) {
        note.textContent = 'Building the list ...';
        progress.removeAttribute('value');
        this.#show(await reader.build(), [...this.#kept, job]);
      } else {
        this.#drop(new Error(outcome.failure));
      }
      note.textContent = sentenceOf(name, outcome);
      this.#report(
        reportOf(name, outcome, (report) => this.#take(job.file, report)),
        earlier,
      );
    } catch (error) {
      this.#drop(error as Error);
      const isStopped = round !== this.#round;
      note.textContent = isStopped
        ? `Stopped. Nothing of ${name} is in your list.`
        : `Nothing of ${name} is in your list: ${messageOf(error)}.`;
    }
  }

  #report(report: HTMLLIElement, earlier: HTMLLIElement | undefined): void {
    // Without this, a visitor who pressed its button would lose the keyboard's focus.
    const isFocused = earlier?.contains(document.activeElement);
    earlier?.remove();
    reports.prepend(report);
    if (isFocused) report.querySelector('h3')?.focus();
  }

  /** A reader that contains the feeds in the list, and nothing else. */
  async #readerOf(): Promise<FeedReader> {
    if (this.#reader) return this.#reader;
    this.#reader = new FeedReader();
    for (const job of this.#kept) {
      const { failure } = await this.#read(this.#reader, job);
      if (failure !== undefined)
        throw new Error(`${job.file.name} has changed since it was read: ${failure}`);
    }
    return this.#reader;
  }

  #read(reader: FeedReader, job: FeedJob): Promise<FeedOutcome> {
    const { name, size } = job.file;
    note.textContent = `Reading ${name} ...`;
    progress.hidden = false;
    progress.value = 0;
    return reader.add(job, (share) => {
      progress.value = share;
      progress.ariaValueText = `${bytes(share * size)} of ${bytes(size)}`;
    });
  }

  /** The reader contains entries that are not in the list. */
  #drop(reason: Error): void {
    this.#reader?.end(reason);
    this.#reader = undefined;
  }

  #stop(): void {
    if (stopButton.ariaDisabled === 'true') return;
    this.#round++;
    this.#drop(new Error('stopped'));
  }

  #empty(): void {
    if (emptyButton.ariaDisabled === 'true') return;
    this.#stop();
    this.#turn = this.#turn.then(() => {
      this.#drop(new Error('the list is empty'));
      this.#show(undefined);
      reports.replaceChildren();
      note.textContent = 'Your list is empty.';
    });
  }

  #show(list: BuiltList | undefined, kept: FeedJob[] = []): void {
    this.#kept = kept;
    emptyButton.ariaDisabled = String(list === undefined);
    const { entries = 0, bytes: content, excepted = 0, unmet = [] } = list ?? {};
    fillFigures(figures, [
      ['Feeds', integer(kept.length)],
      ['Entries', integer(entries), 'each once, without what is excepted'],
      ['As a file', content ? bytes(content.length) : '-', '8 bytes of a hash for each entry'],
      [
        'Exceptions',
        integer(excepted),
        unmet.length > 0
          ? `${integer(unmet.length)} cannot be met: ${unmet.slice(0, 3).join(', ')}`
          : undefined,
      ],
    ]);
    this.#onList(list);
  }
}
