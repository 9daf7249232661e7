import { createReadStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { type BuiltPage, type PageBuilder, pagesOf } from '../pages/index.js';
import { figuresAsJson, parseRange } from './arguments.js';
import { command } from './command.js';
import { CommandError, codeOf, prefixError, UsageError } from './errors.js';
import { SUCCESS } from './exit-codes.js';
import { formatCount, pluralize } from './format.js';
import { STANDARD_INPUT } from './lists.js';
import {
  builderOf,
  hashingOptions,
  pagesOption,
  shapeOptions,
  typeOption,
} from './page-options.js';
import { PartWriter } from './page-parts.js';
import { parseRecords, type Records, type ThirdField } from './page-records.js';
import type { Terminal } from './terminal.js';

/** `tamis pages --pages N -o FOLDER [RECORDS]`: sorted records in, built pages out, one page in memory. */
export const pages = command({
  usage: 'pages -o FOLDER',
  summary: 'builds pages from sorted lines of tamis hash',
  about:
    'Builds a page of each run of lines with the same page number, and writes them to FOLDER for tamis manifest. The lines must be sorted by page.',
  operands: {
    RECORDS: 'a file of sorted lines of tamis hash; without it, or with -, standard input',
  },
  expected: [0, 1, 'at most one file of records'],
  options: {
    output: {
      short: 'o',
      value: 'FOLDER',
      help: 'the folder of the built pages; made if there is none; needed',
    },
    pages: { ...pagesOption, help: `${pagesOption.help}; needed` },
    range: {
      value: 'FROM:TO',
      help: 'builds the pages from FROM on that are before TO (default: all)',
    },
    type: typeOption,
    ...shapeOptions,
    ...hashingOptions,
    json: figuresAsJson,
  },
  notes: [
    'A page without lines is built too, with no keys. Several runs can share the work, each with its --range and the lines of these pages. They need the same options as tamis hash. An error tells of another --pages or --seed; nothing can tell of another --key-file.',
  ],
  async run(values, [path = STANDARD_INPUT]: readonly string[], terminal) {
    const { output: folder, pages: count, range, seed = 0n, json } = values;
    if (count === undefined || !folder) {
      throw new UsageError('pages: expected --pages N and -o FOLDER');
    }
    const { from, to } = range === undefined ? { from: 0, to: count } : rangeOf(range, count);
    const builder = await builderOf(values);
    const name = path === STANDARD_INPUT ? 'standard input' : path;
    const chunks = path === STANDARD_INPUT ? terminal.stdin : createReadStream(path);
    try {
      await mkdir(folder, { recursive: true });
    } catch (error) {
      throw prefixError(folder, error);
    }
    const part = { first: from, last: to - 1 };
    const writer = new PartWriter(folder, { facts: builder.facts, pages: count }, part);
    const run = new Run(builder, writer, { name, seed, pages: count, from, to });
    try {
      for await (const records of parseRecords(chunks, name, run.third)) run.add(records);
      run.finish();
    } catch (error) {
      writer.abandon();
      throw prefixError(name, error);
    }
    await say({ folder, ...part, pages: to - from, keys: run.keys }, json, terminal);
    return SUCCESS;
  },
});

interface Built {
  readonly folder: string;
  readonly first: number;
  readonly last: number;
  readonly pages: number;
  readonly keys: number;
}

async function say(built: Built, json: boolean, terminal: Terminal): Promise<void> {
  const { folder, first, last, pages: count, keys } = built;
  if (json) return terminal.printJson(built);
  const range = `${formatCount(first)} to ${formatCount(last)}`;
  const text = `${pluralize(count, 'page')}, ${range}, of ${pluralize(keys, 'distinct key')}`;
  await terminal.print(`${folder}: ${text}\n`);
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

/** Keys of the page that is being read, in arrays that grow. */
class Run {
  keys = 0;
  readonly #builder: PageBuilder;
  readonly #writer: PartWriter;
  readonly #options: RunOptions;
  /** The page that the records are of now. */
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

  get third(): ThirdField {
    const { isExact, isMap } = this.#builder;
    return isExact ? 'flag' : isMap ? 'value' : 'none';
  }

  add({ pages: given, hashes, third, firstLine }: Records): void {
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
      while (this.#page < page) this.#build();
      this.#keep(hashes.subarray(i, end), third.subarray(i, end));
      i = end;
    }
  }

  /** Builds the rest of the range. */
  finish(): void {
    while (this.#page < this.#options.to) this.#build();
    this.#writer.finish({ isKept: true });
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

  #build(): void {
    const hashes = this.#hashes.subarray(0, this.#length);
    const third = this.#third.subarray(0, this.#length);
    const pick = (flag: number) => hashes.filter((_, i) => third[i] === flag);
    const { isExact, isMap } = this.#builder;
    const built = isExact
      ? buildPage(this.#builder, this.#page, pick(1), pick(0))
      : buildPage(this.#builder, this.#page, hashes, isMap ? third : undefined);
    this.#writer.add(built);
    this.keys += built.keys;
    this.#page++;
    this.#length = 0;
  }
}

/** Builds a page of keys in any order, which may come twice. An error names the page. */
export function buildPage(
  builder: PageBuilder,
  page: number,
  hashes: BigUint64Array,
  others: BigUint64Array | Uint32Array<ArrayBuffer> | undefined,
): BuiltPage {
  try {
    return builder.build(hashes, others);
  } catch (error) {
    const name = `page ${formatCount(page)}`;
    if (codeOf(error) !== 'ERR_TAMIS_CONFLICT') throw prefixError(name, error);
    const { count = 1 } = error as { count?: number };
    const what = builder.isExact ? 'both to include and to exclude' : 'with two values';
    const message = `${name}: ${pluralize(count, 'key')} ${what} (ERR_TAMIS_CONFLICT)`;
    throw new CommandError(message, { cause: error });
  }
}
