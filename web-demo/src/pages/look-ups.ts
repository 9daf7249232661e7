// Look-ups in the pages, each with the requests that it made.
import { RemoteFilter, type RemoteStatus } from 'tamis/remote';
import { PageFinder } from './page-finder';
import { type Exchange, Traffic } from './traffic';

export interface Answer {
  readonly isListed: boolean;
  readonly ms: number;
}

/** The reason for a group of requests in the log: opening the list, or a look-up. */
export interface Task {
  readonly kind: 'open' | 'look-up';
  /** The number of a look-up, from 1. */
  readonly number: number;
  readonly exchanges: Exchange[];
  /** True once the manifest is verified. */
  isOpen: boolean;
  /** The number of the page to which the key of a look-up belongs, from 0. */
  page?: number;
  /** The answer or the error, both of which are missing while the task runs. */
  answer?: Answer;
  error?: unknown;
  isDone: boolean;
}

export interface Settings {
  /** The name of the set of pages. */
  readonly name: string;
  /** The address of the manifest. */
  readonly url: string;
  readonly publicKey: string;
}

interface OpenList {
  readonly filter: RemoteFilter;
  readonly finder: PageFinder;
}

/** A RemoteFilter that records all its tasks and requests. */
export class LookUps {
  /** All tasks, the oldest first. */
  readonly tasks: Task[] = [];
  readonly traffic: Traffic;
  readonly #settings: Settings;
  /** Called after every change in any task. */
  readonly #onChange: () => void;
  /** The newest task that has begun. */
  #running: Task | undefined;
  #decoys = 0;
  #list: Promise<OpenList> | undefined;
  #status: () => RemoteStatus | undefined = () => undefined;
  #stop = new AbortController();
  #turn: Promise<unknown> = Promise.resolve();
  #lookUps = 0;

  constructor(settings: Settings, onChange: () => void) {
    this.#settings = settings;
    this.#onChange = onChange;
    this.traffic = new Traffic((exchange) => {
      this.#running?.exchanges.push(exchange);
      onChange();
    }, onChange);
  }

  /** The status of the list, or undefined while there is no list. */
  get status(): RemoteStatus | undefined {
    return this.#status();
  }

  /** Opens the list, or opens it anew if it was open. */
  open(decoys: number): Promise<Task> {
    return this.#run('open', async (task) => {
      this.#decoys = decoys;
      await this.#close();
      await this.#open();
      task.isOpen = true;
    });
  }

  /** Looks a key up after cancelling the running task. Opens the list first if an earlier attempt failed. */
  lookUp(key: string): Promise<Task> {
    return this.#run('look-up', async (task, signal) => {
      const { filter, finder } = await this.#open();
      task.isOpen = true;
      task.page = await finder.pageOf(key);
      const startMs = performance.now();
      const isListed = await filter.has(key, { signal });
      task.answer = { isListed, ms: performance.now() - startMs };
    });
  }

  /** The task never rejects. It stores its error. */
  #run(kind: Task['kind'], act: (task: Task, signal: AbortSignal) => Promise<void>): Promise<Task> {
    this.#stop.abort(new DOMException('another look-up came', 'AbortError'));
    const stop = new AbortController();
    this.#stop = stop;
    const number = kind === 'look-up' ? ++this.#lookUps : 0;
    const task: Task = { kind, number, exchanges: [], isOpen: false, isDone: false };
    this.tasks.push(task);
    const done = this.#turn.then(async () => {
      this.#running = task;
      try {
        await act(task, stop.signal);
      } catch (error) {
        task.error = error;
      }
      task.isDone = true;
      this.#onChange();
      return task;
    });
    this.#turn = done;
    return done;
  }

  #open(): Promise<OpenList> {
    this.#list ??= this.#load();
    this.#list.catch(() => {
      this.#list = undefined;
    });
    return this.#list;
  }

  async #load(): Promise<OpenList> {
    const { name, url, publicKey } = this.#settings;
    const publicKeys = [publicKey];
    // Another build of this page is signed with another key, so a later manifest would be rejected.
    const filter = await RemoteFilter.open(url, {
      name,
      publicKeys,
      fetch: this.traffic.fetch,
      decoys: this.#decoys,
      maxAgeMs: 0,
    });
    const finder = await PageFinder.open(url, filter.status.manifest, publicKeys);
    this.#status = () => filter.status;
    return { filter, finder };
  }

  async #close(): Promise<void> {
    const list = await this.#list;
    this.#list = undefined;
    this.#status = () => undefined;
    list?.filter.close();
    list?.finder.close();
  }
}
