import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import {
  buildPage,
  type Origin,
  type PageBuilder,
  type PartTarget,
  PartWriter,
  pagesOf,
  partFile,
  removeParts,
} from '../../pages/steps.js';
import { STANDARD_INPUT } from '../files/lists.js';
import { countOption, figuresAsJson, hashingOptions, parseRange } from '../frame/arguments.js';
import { command } from '../frame/command.js';
import { CommandError, prefixError, UsageError } from '../frame/errors.js';
import { formatCount, pluralize } from '../frame/format.js';
import type { Terminal } from '../frame/terminal.js';
import { ClosingLines } from './closing.js';
import {
  nameOption,
  pagesOption,
  readName,
  readShape,
  requireName,
  shapeOptions,
  typeOption,
} from './options.js';
import { parseRecords, type Records, thirdOf } from './records.js';
import { toldError } from './told.js';

/** `tamis pages --pages N -o FOLDER [RECORDS]`: builds pages from sorted records, with one page in memory. */
export const pages = command({
  usage: 'pages -o FOLDER',
  summary: 'builds pages from sorted lines of tamis hash',
  about:
    'Builds a page of each run of lines with the same page number, and writes them to FOLDER as one .part file for tamis manifest. The lines must be sorted by page, with the closing lines of tamis hash behind them.',
  operands: {
    RECORDS: 'a file of sorted lines of tamis hash; without it, or with -, standard input',
  },
  expected: [0, 1, 'at most one file of records'],
  options: {
    output: {
      short: 'o',
      value: 'FOLDER',
      help: 'the folder of the built pages; made if there is none; needed. With - the .part file goes to standard output',
    },
    name: nameOption,
    pages: { ...pagesOption, help: `${pagesOption.help}; needed` },
    hashes: {
      ...countOption(
        'how many runs of tamis hash made the lines; each ended with its closing line',
      ),
      default: '1',
    },
    range: {
      value: 'FROM:TO',
      help: 'builds the pages from FROM on that are before TO (default: all)',
    },
    run: {
      value: 'ID',
      help: 'what the parts of one set have in common and those of no other, such as a date and time; needed with --range (default: random)',
      read: readName,
    },
    type: typeOption,
    ...shapeOptions,
    ...hashingOptions,
    json: figuresAsJson,
  },
  notes: [
    'A page without lines is built too, with no keys. Lines that lack a closing line are refused, since tamis hash did not end, and so are more lines than the closing lines say. Fewer are not, since sort -u drops repeats.',
    'Several jobs can share the work, each with its --range, the lines of these pages and all closing lines, which begin with ~. They need one --run, and the same options as tamis hash. An error tells of another --pages or --seed; nothing can tell of another --key-file.',
    'It removes the parts of other runs from FOLDER. What -o - writes, save under a name that ends with .part in the FOLDER of tamis manifest.',
  ],
  async run(values, [path = STANDARD_INPUT]: readonly string[], terminal) {
    const { output: folder, pages: count, range, hashes, seed = 0n, json } = values;
    if (count === undefined || !folder) {
      throw new UsageError('pages: expected --pages N and -o FOLDER');
    }
    const list = requireName('pages', values.name);
    if (hashes < 1) throw new UsageError('--hashes: expected 1 or more');
    if (range !== undefined && values.run === undefined) {
      throw new UsageError('--range: expected --run ID too, the same for all parts of the set');
    }
    const isPrinted = folder === STANDARD_INPUT;
    if (isPrinted && (json || terminal.printsToPerson)) {
      throw new UsageError(`-o -: expected a file or a pipe${json ? ', without --json' : ''}`);
    }
    const { run: id = randomUUID() } = values;
    // Older parts are deleted first, so that after a failure nobody publishes them.
    if (!isPrinted) await removeOthers(folder, id);
    const { from, to } = range === undefined ? { from: 0, to: count } : rangeOf(range, count);
    const name = path === STANDARD_INPUT ? 'standard input' : path;
    const part = { first: from, last: to - 1 };
    const target = isPrinted ? printedPart(terminal) : partFile(folder, part, { isKept: true });
    const built = new Date().toISOString();
    let origin: Origin;
    let keys: number;
    try {
      const { builder } = await readShape(values);
      const writer = new PartWriter(target, { facts: builder.facts, pages: count }, part);
      const run = new Run(builder, writer, { name, seed, pages: count, from, to });
      const closing = new ClosingLines(name);
      // The file is opened when its reading starts, so that its errors have a listener.
      const chunks = path === STANDARD_INPUT ? terminal.stdin : createReadStream(path);
      for await (const records of parseRecords(chunks, name, thirdOf(builder.type), closing)) {
        await run.add(records);
      }
      closing.check(run.records, hashes);
      const { records, digest } = run;
      const hashed = { hashed: closing.records, closing: closing.digest };
      origin = { name: list, run: id, built, records, digest, ...hashed };
      await run.finish(origin);
      keys = run.keys;
    } catch (error) {
      target.abandon();
      throw prefixError(name, toldError(name, error));
    }
    const { hashed, records } = origin;
    const figures = { folder, run: id, ...part, pages: to - from, hashed, records, keys };
    const which = `${formatCount(from)} to ${formatCount(to - 1)}`;
    const text = `${pluralize(to - from, 'page')}, ${which}, of ${pluralize(keys, 'distinct key')}`;
    if (isPrinted) terminal.note(text);
    else if (json) await terminal.printJson(figures);
    else await terminal.print(`${folder}: ${text}\n`);
  },
});

/** Makes the folder, and deletes all parts but those of this run. */
async function removeOthers(folder: string, run: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    await removeParts(folder, run);
  } catch (error) {
    throw toldError(folder, error);
  }
}

function rangeOf(text: string, count: number): { from: number; to: number } {
  const { from, to } = parseRange(text, count, '--range', 'page');
  if (from < to) return { from, to };
  throw new UsageError(`--range ${text}: expected at least one page`);
}

interface RunOptions {
  readonly name: string;
  readonly seed: bigint;
  readonly pages: number;
  readonly from: number;
  readonly to: number;
}

/** The keys of the current page, in growing arrays. */
class Run {
  keys = 0;
  records = 0;
  readonly #lines = createHash('sha256');
  readonly #builder: PageBuilder;
  readonly #writer: PartWriter;
  readonly #options: RunOptions;
  /** The page of the current records. */
  #page: number;
  #hashes = new BigUint64Array(1024);
  #third = new Uint32Array(1024);
  #length = 0;

  constructor(builder: PageBuilder, writer: PartWriter, options: RunOptions) {
    this.#builder = builder;
    this.#writer = writer;
    this.#options = options;
    this.#page = options.from;
  }

  /** The SHA-256 of the lines of all records so far. */
  get digest(): string {
    return this.#lines.copy().digest('hex');
  }

  async add({ pages: given, hashes, third, firstLine, lines }: Records): Promise<void> {
    this.records += given.length;
    this.#lines.update(lines);
    const { seed, pages: count, from, to } = this.#options;
    const routes = pagesOf(hashes, { seed, pages: count });
    for (let i = 0; i < given.length; ) {
      const page = given[i] as number;
      let end = i;
      while (end < given.length && given[end] === page) {
        if (routes[end] !== page) throw this.#misrouted(firstLine + end, page, routes[end]);
        end++;
      }
      if (page < from || page >= to)
        throw this.#at(firstLine + i, `page ${page} is not in --range`);
      if (page < this.#page) {
        throw this.#at(
          firstLine + i,
          `page ${page} comes after ${this.#page}: sort the lines by page`,
        );
      }
      while (this.#page < page) await this.#build();
      this.#keep(hashes.subarray(i, end), third.subarray(i, end));
      i = end;
    }
  }

  /** Builds the rest of the range. */
  async finish(origin: Origin): Promise<void> {
    while (this.#page < this.#options.to) await this.#build();
    await this.#writer.finish(origin);
  }

  #at(line: number, what: string): CommandError {
    return new CommandError(`${this.#options.name}: line ${formatCount(line)}: ${what}`);
  }

  #misrouted(line: number, page: number, found: number | undefined): CommandError {
    const what = `the hash belongs to page ${found}, not ${page}`;
    return this.#at(line, `${what}: give --pages and --seed as to tamis hash`);
  }

  #keep(hashes: BigUint64Array, third: Uint32Array): void {
    const length = this.#length + hashes.length;
    if (length > this.#hashes.length) {
      const room = Math.max(length, 2 * this.#hashes.length);
      const grown = [new BigUint64Array(room), new Uint32Array(room)] as const;
      grown[0].set(this.#hashes.subarray(0, this.#length));
      grown[1].set(this.#third.subarray(0, this.#length));
      [this.#hashes, this.#third] = grown;
    }
    this.#hashes.set(hashes, this.#length);
    if (third.length > 0) this.#third.set(third, this.#length);
    this.#length = length;
  }

  async #build(): Promise<void> {
    const hashes = this.#hashes.subarray(0, this.#length);
    const third = this.#third.subarray(0, this.#length);
    const pick = (flag: number) => hashes.filter((_, i) => third[i] === flag);
    const { isExact, isMap } = this.#builder;
    const built = isExact
      ? buildPage(this.#builder, this.#page, pick(1), pick(0))
      : buildPage(this.#builder, this.#page, hashes, isMap ? third : undefined);
    await this.#writer.add(built);
    this.keys += built.keys;
    this.#page++;
    this.#length = 0;
  }
}

/** Standard output as a target. */
const printedPart = (terminal: Terminal): PartTarget => ({
  async write(bytes) {
    await terminal.print(bytes);
    if (!terminal.isRead) throw new CommandError('standard output: nobody reads it');
  },
  finish() {},
  abandon() {},
});
