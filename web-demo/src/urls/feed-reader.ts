import { proxy, type Remote, wrap } from 'comlink';
import type { BuiltList, FeedJob, FeedOutcome } from './feed-job';
import type { FeedDesk } from './feed-worker';

/** A worker that reads feeds into one list. It can be ended at any time, even during a build. */
export class FeedReader {
  readonly #worker = new Worker(new URL('./feed-worker.ts', import.meta.url), { type: 'module' });
  readonly #desk: Remote<FeedDesk> = wrap<FeedDesk>(this.#worker);
  readonly #ended: Promise<never>;
  #reject!: (reason: Error) => void;

  constructor() {
    this.#ended = new Promise<never>((_, reject) => {
      this.#reject = reject;
    });
    this.#ended.catch(() => {});
    this.#worker.addEventListener('error', ({ message }) => {
      this.end(new Error(message || 'the worker that reads feeds has ended'));
    });
  }

  /** Reads a feed, and returns its result. `tell` is called with the share of the feed that was read. */
  add(job: FeedJob, tell: (share: number) => void): Promise<FeedOutcome> {
    return Promise.race([this.#ended, this.#desk.add(job, proxy(tell))]);
  }

  build(): Promise<BuiltList> {
    return Promise.race([this.#ended, this.#desk.build()]);
  }

  /** Ends the worker. Its running call rejects with `reason`. */
  end(reason: Error): void {
    this.#worker.terminate();
    this.#reject(reason);
  }
}
