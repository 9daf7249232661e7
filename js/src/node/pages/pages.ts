import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import {
  type Origin,
  type PageBuilder,
  type PageRange,
  type PartTarget,
  PartWriter,
  pagesOf,
  partFile,
  removeParts,
} from '../../pages/steps.js';
import { STANDARD_INPUT } from '../files/lists.js';
import {
  countOption,
  countReader,
  figuresAsJson,
  hashingOptions,
  parseRange,
} from '../frame/arguments.js';
import { command } from '../frame/command.js';
import { CommandError, prefixError, UsageError } from '../frame/errors.js';
import { escapeControls, formatCount, pluralize } from '../frame/format.js';
import type { Terminal } from '../frame/terminal.js';
import {
  nameOption,
  pagesOption,
  readSetName,
  readShape,
  shapeOptions,
  typeOption,
} from './options.js';
import { ClosingLines, parseRecords, type Records, thirdOf } from './records.js';
import { toCommandError } from './steps.js';

export const pages = command({
  usage: 'pages -o FOLDER',
  summary: 'builds pages from sorted lines of tamis hash',
  about:
    'Builds a page from all lines with the same page number, and writes the pages to FOLDER as one .part file for tamis manifest. The lines must be sorted by page, with the closing lines of tamis hash after them.',
  operands: {
    RECORDS: 'a file of sorted lines of tamis hash; without it, or with -, standard input',
  },
  expected: [0, 1, 'at most one file of records'],
  options: {
    output: {
      short: 'o',
      value: 'FOLDER',
      help: 'the folder for the built pages; made if missing; needed. With -, the .part file goes to standard output',
      required: true,
    },
    name: nameOption,
    pages: { ...pagesOption, help: `${pagesOption.help}; needed`, required: true },
    hashes: {
      ...countOption(
        'how many runs of tamis hash made the lines; each ended with its closing line',
      ),
      default: '1',
      read: countReader('1 or more', 1),
    },
    range: {
      value: 'FROM:TO',
      help: 'builds the pages from FROM to TO - 1 (default: all)',
    },
    run: {
      value: 'ID',
      help: 'an id that all parts of one set share, and no other parts have, such as a date and time; needed with --range (default: random)',
      read: readSetName,
    },
    type: typeOption,
    ...shapeOptions,
    ...hashingOptions,
    json: figuresAsJson,
  },
  notes: [
    'If no line has the number of a page, that page is empty. Lines without a closing line are refused, because tamis hash did not end. More lines than the closing lines count are refused too. Fewer are fine, because sort -u drops repeats.',
    'Several jobs can share the work. Each needs its --range, the lines of the pages in it, and all closing lines, which begin with ~. All need the same --run, and the options of tamis hash. Another --pages or --seed is an error; another --secret-file is not detected.',
    'It removes the parts of other runs from FOLDER. Save the output of -o - under a name that ends with .part, in the FOLDER of tamis manifest.',
  ],
  async run(values, [path = STANDARD_INPUT]: readonly string[], terminal) {
    const { output: folder, pages: count, name: list, json } = values;
    if (values.range !== undefined && values.run === undefined) {
      throw new UsageError('--range: expected --run ID too, the same for all parts of the set');
    }
    const isPrinted = folder === STANDARD_INPUT;
    if (isPrinted && (json || terminal.printsToPerson)) {
      throw new UsageError(`-o -: expected a file or a pipe${json ? ', without --json' : ''}`);
    }
    const { run = randomUUID() } = values; // without --range there is one part, so no other has to match it
    // Parts of other runs are deleted first, so that nobody publishes them if this run fails.
    if (!isPrinted) await removeOthers(folder, run);
    const range = rangeOf(values.range, count);
    const name = path === STANDARD_INPUT ? 'standard input' : path;
    const target = isPrinted ? printedPart(terminal) : partFile(folder, range, { isKept: true });
    const built = new Date().toISOString();
    const closing = new ClosingLines(name);
    let part: RangeBuilder;
    try {
      const { builder } = await readShape(values);
      const writer = new PartWriter(target, { facts: builder.facts, pages: count, ...range });
      const { seed = 0n } = values;
      part = new RangeBuilder({ builder, writer, range, name, pages: count, seed });
      // The file is opened only when it is read, so that its errors have a listener.
      const chunks = path === STANDARD_INPUT ? terminal.stdin : createReadStream(path);
      for await (const records of parseRecords(chunks, name, thirdOf(builder.type), closing)) {
        await part.add(records);
      }
      closing.check(part.records, values.hashes);
      const origin = { name: list, run, built, hashed: closing.records, closing: closing.digest };
      await part.finish(origin);
    } catch (error) {
      target.abandon();
      throw prefixError(name, toCommandError(name, error));
    }
    const { keys, records } = part;
    const pageCount = range.last - range.first + 1;
    const which = `${formatCount(range.first)} to ${formatCount(range.last)}`;
    const text = `${pluralize(pageCount, 'page')}, ${which}, of ${pluralize(keys, 'distinct key')}`;
    const { records: hashed } = closing;
    const figures = { folder, run, ...range, pages: pageCount, hashed, records, keys };
    if (isPrinted) terminal.note(text);
    else if (json) await terminal.printJson(figures);
    else await terminal.print(`${escapeControls(folder)}: ${text}\n`);
  },
});

/** Creates the folder, and deletes all parts of other runs. */
async function removeOthers(folder: string, run: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    await removeParts(folder, run);
  } catch (error) {
    throw toCommandError(folder, error);
  }
}

function rangeOf(text: string | undefined, count: number): PageRange {
  if (text === undefined) return { first: 0, last: count - 1 };
  const { from, to } = parseRange(text, count, '--range', 'page');
  if (from < to) return { first: from, last: to - 1 };
  throw new UsageError(`--range ${text}: expected at least one page`);
}

interface RangeOptions {
  readonly builder: PageBuilder;
  readonly writer: PartWriter;
  readonly range: PageRange;
  /** The name of the records' source, in errors. */
  readonly name: string;
  /** The options that were passed to `tamis hash`: they decide the page of each record. */
  readonly pages: number;
  readonly seed: bigint;
}

/** Builds the pages of a range, in order, from their sorted records. */
class RangeBuilder {
  /** The number of distinct keys, and the number of records. */
  keys = 0;
  records = 0;
  readonly #linesHash = createHash('sha256');
  readonly #options: RangeOptions;
  /** The number of the page whose records are being collected, and the slices of them so far. */
  #page: number;
  #slices: Pick<Records, 'hashes' | 'third'>[] = [];

  constructor(options: RangeOptions) {
    this.#options = options;
    this.#page = options.range.first;
  }

  /** Adds records of one or more pages, and builds each of these pages except the last. */
  async add({ pages, hashes, third, firstLine, lines }: Records): Promise<void> {
    this.records += pages.length;
    this.#linesHash.update(lines);
    const { first, last } = this.#options.range;
    const routes = pagesOf(hashes, this.#options);
    let start = 0;
    for (let i = 0; i < pages.length; i++) {
      const page = pages[i] as number;
      const line = firstLine + i;
      if (routes[i] !== page) {
        const what = `the hash belongs to page ${routes[i]}, not ${page}`;
        throw this.#errorAt(line, `${what}: pass the --pages and --seed of tamis hash`);
      }
      if (page < first || page > last) throw this.#errorAt(line, `page ${page} is not in --range`);
      if (page < this.#page) {
        throw this.#errorAt(line, `page ${page} comes after ${this.#page}: sort the lines by page`);
      }
      if (page > this.#page) {
        this.#slices.push({ hashes: hashes.subarray(start, i), third: third.subarray(start, i) });
        start = i;
        while (this.#page < page) await this.#build(); // also pages without records
      }
    }
    this.#slices.push({ hashes: hashes.subarray(start), third: third.subarray(start) });
  }

  /** Builds the rest of the range, and completes the part. */
  async finish(origin: Omit<Origin, 'records' | 'digest'>): Promise<void> {
    while (this.#page <= this.#options.range.last) await this.#build();
    // The fields are in the order of a part's file.
    const { name, run, built, hashed, closing } = origin;
    const counted = { records: this.records, digest: this.#linesHash.digest('hex') };
    await this.#options.writer.finish({ name, run, built, ...counted, hashed, closing });
  }

  #errorAt(line: number, what: string): CommandError {
    return new CommandError(`${this.#options.name}: line ${formatCount(line)}: ${what}`);
  }

  /** Builds the page from the collected slices, and goes on to the next page. */
  async #build(): Promise<void> {
    const length = this.#slices.reduce((sum, { hashes }) => sum + hashes.length, 0);
    const hashes = new BigUint64Array(length);
    const third = new Uint32Array(length);
    let at = 0;
    for (const slice of this.#slices) {
      hashes.set(slice.hashes, at);
      third.set(slice.third, at);
      at += slice.hashes.length;
    }
    const withFlag = (flag: number) => hashes.filter((_, i) => third[i] === flag);
    const { builder, writer } = this.#options;
    const page = builder.isExact
      ? builder.build(this.#page, { hashes: withFlag(1) }, withFlag(0))
      : builder.build(this.#page, { hashes, values: builder.isMap ? third : undefined });
    await writer.add(page);
    this.keys += page.keys;
    this.#page++;
    this.#slices = [];
  }
}

const printedPart = (terminal: Terminal): PartTarget => ({
  async write(bytes) {
    await terminal.send(bytes);
    if (!terminal.isRead) throw new CommandError('standard output: its reader closed the pipe');
  },
  finish() {},
  abandon() {},
});
