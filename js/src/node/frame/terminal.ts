// The streams that a command reads and writes, with width, colours and progress lines.

import type { Readable, Writable } from 'node:stream';
import { WriteStream } from 'node:tty';
import { styleText } from 'node:util';
import { SingleBar } from 'cli-progress';
import { codeOf } from './errors.js';
import { alignRows, escapeControls, formatBytes, formatCount, type Row, toJson } from './format.js';

export interface Look {
  readonly width: number;
  /** Returns the text in a colour, or unchanged if the stream shows no colours. */
  readonly paint: (format: 'bold' | 'green' | 'red' | 'yellow', text: string) => string;
}

/** The narrowest and the widest lines of the help. */
const [LEAST_WIDTH, MOST_WIDTH] = [40, 120];

export const isInteractive = (stream: Readable | Writable): boolean =>
  'isTTY' in stream && stream.isTTY === true;

function lookOf(stream: Writable): Look {
  const { columns = 0 } = stream as Partial<WriteStream>;
  const { env } = process;
  const width = columns || Number(env.COLUMNS) || 80;
  const isWanted = isInteractive(stream) || env.FORCE_COLOR !== undefined;
  // getColorDepth follows Node's rules for FORCE_COLOR, NO_COLOR and TERM.
  const hasColours = isWanted && WriteStream.prototype.getColorDepth(env) > 1;
  return {
    width: Math.max(LEAST_WIDTH, Math.min(Math.floor(width), MOST_WIDTH)),
    // Without this option, Node would check standard output instead of this stream.
    paint: (format, text) =>
      hasColours ? styleText(format, text, { validateStream: false }) : text,
  };
}

export interface Streams {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
}

/** A line on the terminal about a running task. */
export interface ProgressLine {
  update(done: number): void;
  /** Removes the line. */
  stop(): void;
}

const silent: ProgressLine = { update() {}, stop() {} };

/** For each unit, the formats of a count, and of a speed before its `/s`. */
const units = {
  bytes: [formatBytes, formatBytes],
  keys: [(value: number) => `${formatCount(value)} keys`, formatCount],
} as const;

/** Before this time, in milliseconds, a speed is not reliable. */
const PACE_AFTER_MS = 500;

const formatLeft = (seconds: number): string => {
  if (seconds < 100) return `${Math.ceil(seconds)} s`;
  return seconds < 99 * 60 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3600)} h`;
};

/** The maximum number of lines below a message. More would push the message off the screen. */
const MAX_DETAILS = 20;

export class Terminal {
  readonly stdin: Readable;
  readonly stderr: Writable;
  /** The width and colours of standard output and of standard error. */
  readonly look: Look;
  readonly errorLook: Look;
  /** True if standard output is a terminal. */
  readonly printsToPerson: boolean;
  showsProgress: boolean;
  /** True if only errors, and no other texts for people, are printed. */
  isQuiet = false;
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
      // An earlier Terminal on the same stream may have added this listener.
      if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore);
    }
  }

  /** Prints text for people to standard output. */
  print(text: string): Promise<void> {
    return this.isQuiet ? Promise.resolve() : this.send(text);
  }

  /** Writes data to standard output, and waits, so that memory stays small. Ignores a closed pipe, not a full disk. */
  async send(text: string | Uint8Array): Promise<void> {
    if (!this.isRead) return;
    const error = await new Promise((resolve) => this.#stdout.write(text, resolve));
    if (!error) return;
    if (!['EPIPE', 'ERR_STREAM_DESTROYED'].includes(codeOf(error) ?? '')) throw error;
    this.isRead = false;
  }

  printJson(value: unknown): Promise<void> {
    return this.send(`${toJson(value)}\n`);
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

  /** Prints a warning with the first details below it. `count` is their number if `details` does not contain all. */
  warn(name: string, message: string, details: readonly string[] = [], count?: number): void {
    if (this.isQuiet) return;
    const warning = this.errorLook.paint('yellow', 'warning:');
    this.#writeLine(`tamis: ${escapeControls(name)}: ${warning}`, message);
    this.complainOf(details, count);
  }

  /** Prints a line for the person at the keyboard. */
  note(message: string): void {
    if (!this.isQuiet) this.#writeLine('tamis:', message);
  }

  /** Prints the first details below an error. */
  complainOf(details: readonly string[], count = details.length): void {
    const lines = details.slice(0, MAX_DETAILS).map((line) => `  ${escapeControls(line)}\n`);
    const more = count - lines.length;
    if (more > 0) lines.push(`  and ${formatCount(more)} more\n`);
    this.stderr.write(lines.join(''));
  }

  /** Starts a progress line on standard error, if that is a terminal. Without a `total`, it shows no bar. */
  startProgress(label: string, unit: keyof typeof units, total: number | undefined): ProgressLine {
    if (!this.showsProgress) return silent;
    const [show, showRate] = units[unit];
    const start = performance.now();
    /** The speed and the time left: `, 8.1 MB/s, 3 s left`. */
    const paceOf = (done: number): string => {
      const ms = performance.now() - start;
      if (ms < PACE_AFTER_MS || done === 0) return '';
      const perSecond = (1000 * done) / ms;
      const left = total && total > done ? `, ${formatLeft((total - done) / perSecond)} left` : '';
      return `, ${showRate(Math.round(perSecond))}/s${left}`;
    };
    const size = show(total ?? 0);
    const figures = (done: number) => ({ shown: show(done), size, pace: paceOf(done) });
    const layout = total === undefined ? '{shown}' : '[{bar}] {percentage} % of {size}';
    const bar = new SingleBar({
      stream: this.stderr,
      format: `${label} ${layout}{pace}`,
      // With 100,000,000 keys, the line has 79 columns.
      barsize: 16,
      barCompleteChar: '#',
      barIncompleteChar: '-',
      autopadding: true,
      clearOnComplete: true,
      // The default turns off line wrapping, which would stay off if the process is killed.
      linewrap: true,
    });
    bar.start(total ?? 0, 0, figures(0));
    return { update: (done) => bar.update(done, figures(done)), stop: () => bar.stop() };
  }

  /** Shows a line for a task that reports no progress. `stop` erases it. */
  startState(state: string): ProgressLine {
    if (!this.showsProgress) return silent;
    this.stderr.write(state);
    return { ...silent, stop: () => void this.stderr.write('\r\u001b[2K') };
  }

  #writeLine(label: string, message: string): void {
    this.stderr.write(`${label} ${escapeControls(message)}\n`);
  }

  /** Waits until all output to standard error is written. A closed pipe does not matter. */
  async flush(): Promise<void> {
    await new Promise((resolve) => this.stderr.write('', resolve));
  }
}

/** Ignores errors of a stream, because each write reports its own. Without a listener, the process would end. */
function ignore(): void {}
