// The journal of a job: a line of JSON for each completed step, so that a killed job can continue.

import { closeSync, fsyncSync, openSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { type MustHold, onFile, readIfThere } from '../../disk/index.js';
import { writeAll } from './parts.js';
import type { SpillIndex, SpillShape } from './spill.js';

/** The two lists of an exact filter; other types have only `keys`. */
export type ListName = 'keys' | 'excluded';

/** One line: a complete spill, or the number of distinct keys in a bucket. */
type Step =
  | { readonly spilled: ListName; readonly index: SpillIndex }
  | { readonly distinct: number };

interface Head {
  /** The identity of the job: its lists and options. */
  readonly job: string;
  readonly shape: SpillShape;
  /** The time of the machine's start, in seconds. Data that was not flushed is lost at a power cut. */
  readonly boot: number;
}

/** The tolerance for changes of the clock. No machine starts twice within these seconds. */
const BOOT_SLACK_S = 30;

const bootTime = (): number => Math.round(Date.now() / 1000 - uptime());

export class Journal {
  readonly shape: SpillShape;
  /** False if it continues a job. */
  readonly isNew: boolean;
  /** The index of each list whose spill is complete. */
  readonly spills = new Map<ListName, SpillIndex>();
  /** The number of distinct keys of each bucket counted so far. */
  readonly distinctKeys: number[] = [];
  readonly #path: string;
  readonly #file: number;
  readonly #mustHold: MustHold;

  private constructor(path: string, shape: SpillShape, isNew: boolean, mustHold: MustHold) {
    this.shape = shape;
    this.isNew = isNew;
    this.#mustHold = mustHold;
    this.#path = path;
    this.#file = openSync(path, 'a');
  }

  /** Continues the job in a folder, or begins it if there is none or another. `mustHold` is called before each step. */
  static async open(
    folder: string,
    job: string,
    shape: SpillShape,
    mustHold: MustHold,
  ): Promise<Journal> {
    const path = join(folder, 'journal');
    const [head, ...oldSteps] = await readLines(path);
    const isSame = head?.job === job && Math.abs(head.boot - bootTime()) <= BOOT_SLACK_S;
    mustHold();
    if (!isSame) {
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder, { recursive: true });
    }
    const steps = isSame ? oldSteps : [];
    const first: Head = isSame ? head : { job, shape, boot: bootTime() };
    // The journal is written again, since its last line may be incomplete.
    await writeFile(path, [first, ...steps].map((line) => `${JSON.stringify(line)}\n`).join(''));
    const journal = new Journal(path, first.shape, !isSame, mustHold);
    for (const step of steps) journal.#take(step);
    return journal;
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
    if ('spilled' in step) this.spills.set(step.spilled, step.index);
    else this.distinctKeys.push(step.distinct);
  }
}

/** The complete lines of a journal. */
async function readLines(path: string): Promise<[head?: Head, ...steps: Step[]]> {
  const text = String((await readIfThere(path)) ?? '');
  const lines: [head?: Head, ...steps: Step[]] = [];
  for (const line of text.split('\n').slice(0, -1)) {
    try {
      lines.push(JSON.parse(line));
    } catch {
      break;
    }
  }
  return lines;
}
