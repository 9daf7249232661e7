// The streams that a command reads and writes, with their width and their colours.

import type { Readable, Writable } from 'node:stream';
import { WriteStream } from 'node:tty';
import { styleText } from 'node:util';
import { codeOf } from './errors.js';
import { alignRows, escapeControls, formatCount, type Row } from './format.js';

type Format = 'bold' | 'green' | 'red' | 'yellow';

export interface Look {
  /** The columns of a line. */
  readonly width: number;
  /** The text in a colour, or as it is if the stream has no colours. */
  readonly paint: (format: Format, text: string) => string;
}

const DEFAULT_WIDTH = 80;
/** The narrowest and the widest lines of the help. */
const [LEAST_WIDTH, MOST_WIDTH] = [40, 120];

/** True if the stream is a terminal. */
export const isInteractive = (stream: Readable | Writable): boolean =>
  'isTTY' in stream && stream.isTTY === true;

function lookOf(stream: Writable): Look {
  const { columns = 0 } = stream as Partial<WriteStream>;
  const width = columns || Number(process.env.COLUMNS) || DEFAULT_WIDTH;
  const hasColours = showsColours(stream);
  return {
    width: Math.max(LEAST_WIDTH, Math.min(Math.floor(width), MOST_WIDTH)),
    // Without this option Node would check standard output, and not this stream.
    paint: (format, text) =>
      hasColours ? styleText(format, text, { validateStream: false }) : text,
  };
}

/** True if the stream has colours, by Node's rules for FORCE_COLOR, NO_COLOR and TERM. */
function showsColours(stream: Writable): boolean {
  const { env } = process;
  const isWanted = isInteractive(stream) || env.FORCE_COLOR !== undefined;
  return isWanted && WriteStream.prototype.getColorDepth(env) > 1;
}

/** A process's own streams, or any others. */
export interface Streams {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
}

/** The most lines below a message. More would push the message off the screen. */
const MAX_DETAILS = 20;

export class Terminal {
  readonly stdin: Readable;
  readonly stderr: Writable;
  /** The width and colours of standard output and of standard error. */
  readonly look: Look;
  readonly errorLook: Look;
  /** True if standard output is a terminal. */
  readonly printsToPerson: boolean;
  /** True if progress is shown. */
  showsProgress: boolean;
  /** False once the reader of the answers has closed the pipe (`tamis check ... | head -1`). */
  isRead = true;
  readonly #stdout: Writable;

  constructor({ stdin, stdout, stderr }: Streams) {
    this.stdin = stdin;
    this.stderr = stderr;
    this.#stdout = stdout;
    this.look = lookOf(stdout);
    this.errorLook = lookOf(stderr);
    this.printsToPerson = isInteractive(stdout);
    this.showsProgress = isInteractive(stderr);
    for (const stream of [stdout, stderr]) {
      if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore);
    }
  }

  /**
   * Writes to standard output, and waits for it. So a slow reader slows down the command, memory stays small, and
   * nothing is lost at the end of the process. A closed pipe is not an error, and nothing is written then. Other errors,
   * such as a full disk, are thrown.
   */
  async print(text: string | Uint8Array): Promise<void> {
    if (!this.isRead) return;
    const error = await new Promise((resolve) => this.#stdout.write(text, resolve));
    if (!error) return;
    if (!['EPIPE', 'ERR_STREAM_DESTROYED'].includes(codeOf(error) ?? '')) throw error;
    this.isRead = false;
  }

  printJson(value: unknown): Promise<void> {
    return this.print(`${JSON.stringify(value)}\n`);
  }

  /** Prints figures as a line of JSON or, for people, in rows below a heading. */
  printFigures(
    json: boolean,
    figures: object,
    heading: string,
    rows: readonly Row[],
  ): Promise<void> {
    if (json) return this.printJson(figures);
    return this.print(`${escapeControls(heading)}\n${alignRows(rows)}`);
  }

  /** Prints an error to standard error, so that it never mixes with answers. */
  complain(message: string): void {
    this.#writeLine(this.errorLook.paint('red', 'tamis:'), message);
  }

  /** Prints a warning about a file. */
  warn(name: string, message: string): void {
    const warning = this.errorLook.paint('yellow', 'warning:');
    this.#writeLine(`tamis: ${escapeControls(name)}: ${warning}`, message);
  }

  /** Prints a line for the person at the keyboard. */
  note(message: string): void {
    this.#writeLine('tamis:', message);
  }

  /** Prints details below a message; `count` is their number, which may be higher than that of `lines`. */
  complainOf(details: readonly string[], count = details.length): void {
    const lines = details.slice(0, MAX_DETAILS).map((line) => `  ${escapeControls(line)}\n`);
    const more = count - lines.length;
    if (more > 0) lines.push(`  and ${formatCount(more)} more\n`);
    this.stderr.write(lines.join(''));
  }

  #writeLine(label: string, message: string): void {
    this.stderr.write(`${label} ${escapeControls(message)}\n`);
  }

  /** Waits until standard error has taken all output. A closed pipe does not matter. */
  async flush(): Promise<void> {
    await new Promise((resolve) => this.stderr.write('', resolve));
  }
}

/** Ignores errors of a stream, since each write reports its own error. Without a listener the process would end. */
function ignore(): void {}
