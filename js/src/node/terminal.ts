// Where a command reads and writes.

import type { Readable, Writable } from 'node:stream';
import { codeOf } from './errors.js';
import { escapeControls, formatCount } from './format.js';

/** A process's own streams, or any others. */
export interface Streams {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
}

/** More would push the message off the screen. */
const MAX_DETAILS = 20;

export class Terminal {
  readonly stdin: Readable;
  readonly stderr: Writable;
  readonly #stdout: Writable;
  #isRead = true;

  constructor({ stdin, stdout, stderr }: Streams) {
    this.stdin = stdin;
    this.stderr = stderr;
    this.#stdout = stdout;
    for (const stream of [stdout, stderr]) {
      if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore);
    }
  }

  /** False from then on that the reader of the answers has seen enough (`tamis check ... | head -1`). */
  get isRead(): boolean {
    return this.#isRead;
  }

  /**
   * Writes to standard output, and waits for it: so a slow reader slows the command down, nothing
   * piles up in memory, and nothing is lost when the process ends. Where nobody reads any more that is
   * no failure, and nothing is written; other errors (a full disk) are.
   */
  print(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      if (!this.#isRead) return resolve();
      this.#stdout.write(text, (error) => {
        if (error && !isClosedPipe(error)) return reject(error);
        if (error) this.#isRead = false;
        resolve();
      });
    });
  }

  printJson(value: unknown): Promise<void> {
    return this.print(`${JSON.stringify(value)}\n`);
  }

  /** A line for the person at the keyboard: standard error, so that it never mixes with answers. */
  complain(message: string): void {
    this.stderr.write(`tamis: ${escapeControls(message)}\n`);
  }

  /** What a message is about, a line each; `count` is how many there are, with those that are not at hand. */
  complainOf(details: readonly string[], count = details.length): void {
    const lines = details.slice(0, MAX_DETAILS).map((line) => `  ${escapeControls(line)}\n`);
    const more = count - lines.length;
    if (more > 0) lines.push(`  and ${formatCount(more)} more\n`);
    this.stderr.write(lines.join(''));
  }

  /** Waits until standard error has taken what it was told; whether anybody reads it is all the same. */
  async flush(): Promise<void> {
    await new Promise((resolve) => this.stderr.write('', resolve));
  }
}

/** True where a person sits at the other end. */
export const isInteractive = (stream: Readable | Writable): boolean =>
  'isTTY' in stream && stream.isTTY === true;

const isClosedPipe = (error: unknown): boolean =>
  ['EPIPE', 'ERR_STREAM_DESTROYED'].includes(codeOf(error) ?? '');

/** An error of writing reaches whoever wrote; a stream whose error nobody hears ends the process. */
function ignore(): void {}
