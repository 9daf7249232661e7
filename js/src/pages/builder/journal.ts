// What a job has done, a line of JSON for each step, so that it goes on where it was killed.

import { closeSync, fsyncSync, openSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { ignoreAbsence, type MustHold, onFile } from '../../disk/index.js';
import { writeAll } from './parts.js';
import type { SpillIndex, SpillShape } from './spill.js';

/** The two lists of an exact filter; the others have keys alone. */
export type ListName = 'keys' | 'excluded';

/** One line: a spill that is whole, or how many distinct keys a bucket has. */
type Step =
  | { readonly spilled: ListName; readonly index: SpillIndex }
  | { readonly distinct: number };

interface Head {
  /** What the job is: lists and options. */
  readonly job: string;
  readonly shape: SpillShape;
  /** When the machine started, in seconds: what was not flushed is lost with its power. */
  readonly boot: number;
}

const JOURNAL = 'journal';
/** Clocks are set: no machine starts twice in so many seconds. */
const BOOT_SLACK_S = 30;

const bootTime = (): number => Math.round(Date.now() / 1000 - uptime());

export class Journal {
  readonly shape: SpillShape;
  readonly #path: string;
  readonly #file: number;
  readonly #mustHold: MustHold;
  readonly #spills = new Map<ListName, SpillIndex>();
  readonly #distinct: number[] = [];

  private constructor(path: string, shape: SpillShape, steps: readonly Step[], mustHold: MustHold) {
    this.shape = shape;
    this.#mustHold = mustHold;
    for (const step of steps) this.#take(step);
    this.#path = path;
    this.#file = openSync(path, 'a');
  }

  /**
   * Goes on with the job in a folder, or begins it where there is none, or another. `isNew` says which. `mustHold` is called
   * before each step.
   */
  static async open(
    folder: string,
    job: string,
    shape: SpillShape,
    mustHold: MustHold,
  ): Promise<{ journal: Journal; isNew: boolean }> {
    const path = join(folder, JOURNAL);
    const lines = await readLines(path);
    const head = lines[0] as Head | undefined;
    const isSame = head?.job === job && Math.abs(head.boot - bootTime()) <= BOOT_SLACK_S;
    mustHold();
    if (!isSame) {
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder, { recursive: true });
    }
    const steps = isSame ? (lines.slice(1) as Step[]) : [];
    const first: Head = isSame ? head : { job, shape, boot: bootTime() };
    // Written anew: the last line may be cut.
    await writeFile(path, [first, ...steps].map((line) => `${JSON.stringify(line)}\n`).join(''));
    return { journal: new Journal(path, first.shape, steps, mustHold), isNew: !isSame };
  }

  /** Where the blocks of a list are; undefined before all are there. */
  spillOf(list: ListName): SpillIndex | undefined {
    return this.#spills.get(list);
  }

  /** The distinct keys of each bucket that was counted. */
  get distinctKeys(): readonly number[] {
    return this.#distinct;
  }

  add(step: Step): void {
    this.#mustHold();
    const line = Buffer.from(`${JSON.stringify(step)}\n`);
    onFile(this.#path, () => writeAll(this.#file, line));
    this.#take(step);
  }

  close(): void {
    try {
      onFile(this.#path, () => fsyncSync(this.#file));
    } finally {
      closeSync(this.#file);
    }
  }

  #take(step: Step): void {
    if ('spilled' in step) this.#spills.set(step.spilled, step.index);
    else this.#distinct.push(step.distinct);
  }
}

/** The whole lines of a journal. */
async function readLines(path: string): Promise<unknown[]> {
  const text = (await readFile(path, 'utf8').catch(ignoreAbsence)) ?? '';
  const lines: unknown[] = [];
  for (const line of text.split('\n').slice(0, -1)) {
    try {
      lines.push(JSON.parse(line));
    } catch {
      break;
    }
  }
  return lines;
}
