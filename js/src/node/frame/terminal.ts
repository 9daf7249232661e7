// Where a command reads and writes.

import type { Readable, Writable } from 'node:stream';
import { codeOf } from './errors.js';
import { alignRows, escapeControls, formatCount, type Row } from './format.js';
import { isInteractive, type Look, lookOf } from './look.js';

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
  /** How standard output shows text, and how standard error does. */
  readonly look: Look;
  readonly errorLook: Look;
  /** Whether people are told how far a task has come. */
  showsProgress: boolean;
  readonly #stdout: Writable;
  #isRead = true;

  constructor({ stdin, stdout, stderr }: Streams) {
    this.stdin = stdin;
    this.stderr = stderr;
    this.#stdout = stdout;
    this.look = lookOf(stdout);
    this.errorLook = lookOf(stderr);
    this.showsProgress = isInteractive(stderr);
    for (const stream of [stdout, stderr]) {
      if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore);
    }
  }

  /** False from then on that the reader of the answers has seen enough (`tamis check ... | head -1`). */
  get isRead(): boolean {
    return this.#isRead;
  }

  /**
   * Writes to standard output, and waits for it. So a slow reader slows the command down, nothing piles up in
   * memory, and nothing is lost when the process ends. Where nobody reads any more that is no failure, and nothing
   * is written; other errors (a full disk) are.
   */
  print(text: string | Uint8Array): Promise<void> {
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

  /** Figures as a line of JSON or, for people, in rows below a heading. */
  printFigures(
    json: boolean,
    figures: object,
    heading: string,
    rows: readonly Row[],
  ): Promise<void> {
    if (json) return this.printJson(figures);
    return this.print(`${escapeControls(heading)}\n${alignRows(rows)}`);
  }

  /** True where answers appear on a terminal. */
  get printsToPerson(): boolean {
    return isInteractive(this.#stdout);
  }

  /** An error, in a line: on standard error, so that it never mixes with answers. */
  complain(message: string): void {
    this.#tell(this.errorLook.paint('red', 'tamis:'), message);
  }

  /** A warning about a file, in a line. */
  warn(name: string, message: string): void {
    const warning = this.errorLook.paint('yellow', 'warning:');
    this.#tell(`tamis: ${escapeControls(name)}: ${warning}`, message);
  }

  /** A line for the person at the keyboard. */
  note(message: string): void {
    this.#tell('tamis:', message);
  }

  /** What a message is about, a line each; `count` is how many there are, with those that are not at hand. */
  complainOf(details: readonly string[], count = details.length): void {
    const lines = details.slice(0, MAX_DETAILS).map((line) => `  ${escapeControls(line)}\n`);
    const more = count - lines.length;
    if (more > 0) lines.push(`  and ${formatCount(more)} more\n`);
    this.stderr.write(lines.join(''));
  }

  #tell(label: string, message: string): void {
    this.stderr.write(`${label} ${escapeControls(message)}\n`);
  }

  /** Waits until standard error has taken what it was told; whether anybody reads it is all the same. */
  async flush(): Promise<void> {
    await new Promise((resolve) => this.stderr.write('', resolve));
  }
}

const isClosedPipe = (error: unknown): boolean =>
  ['EPIPE', 'ERR_STREAM_DESTROYED'].includes(codeOf(error) ?? '');

/** An error of writing reaches whoever wrote; a stream whose error nobody hears ends the process. */
function ignore(): void {}
