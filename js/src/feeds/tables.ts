// Reads lists of URLs and names: one URL a line, tables in CSV and JSON, arrays in JSON, and MetaMask's configuration.

import { TamisError } from '../core/errors.js';
import type { JsonEvents } from './json.js';
import { addNameOrPage, addPage, addPath, readHost } from './names.js';
import type { FeedFormat, Findings, LineReader, ReaderSettings } from './report.js';

/** Reads a line with one URL. A `#` starts a comment only at the start of a line, because URLs may contain it. */
export function readUrl(line: string, findings: Findings): undefined {
  const url = line.trim();
  return /^([#!]|$)/.test(url) ? findings.comment() : addPage(url, findings);
}

type RecordFields = Readonly<Record<string, string | undefined>>;

interface Table {
  /** The fields besides `url` that identify the table. */
  readonly known: readonly string[];
  readonly isDead: (fields: RecordFields) => boolean;
  readonly isDoubtful: (fields: RecordFields) => boolean;
  readonly tagsOf: (fields: RecordFields) => (string | undefined)[];
}

export const tables = {
  urlhaus: {
    known: ['url_status'],
    isDead: ({ url_status: status }) => status === 'offline',
    isDoubtful: () => false,
    tagsOf: ({ threat, tags }) => [threat, ...(tags ?? '').split(',')],
  },
  phishtank: {
    known: ['verified', 'online'],
    isDead: ({ online }) => online === 'no',
    isDoubtful: ({ verified }) => verified !== 'yes',
    tagsOf: ({ target }) => [target],
  },
} as const satisfies Record<string, Table>;

const mostTags = 32;

/** Adds the page of a record, unless the record is unconfirmed or, if `online`, dead. The tag `None` means no tag. */
function addRecord(
  table: Table,
  fields: RecordFields,
  online: boolean,
  findings: Findings,
): undefined {
  const { url } = fields;
  if (url === undefined) return findings.skip('not-understood', 'a record without url');
  if (online && table.isDead(fields)) return findings.skip('offline', url);
  if (table.isDoubtful(fields)) return findings.skip('unverified', url);
  const tags = table
    .tagsOf(fields)
    .map((tag) => tag?.trim().replaceAll('\n', ' ') ?? '')
    .filter((tag) => tag !== '' && tag !== 'None')
    .slice(0, mostTags);
  addPage(url, findings, tags.length > 0 ? { tags } : {});
}

/** Matches a CSV cell: plain, or in quotes with any text behind them. Inside, two quotes stand for one. */
const cell = /(?: *"([^"]*(?:""[^"]*)*)"(?!")([^,]*)|(?!")([^,]*))(,|$)/y;
/** Matches the rest of a cell in quotes, up to the closing quote. */
const restOfCell = /^[^"]*(?:""[^"]*)*"(?!")/;

/**
 * Reads CSV as Python does: a record may have line breaks in quotes. The first line with all known names defines the
 * columns. If the table is known, that line may be a comment, as in URLhaus.
 */
export class CsvReader implements LineReader {
  readonly #table: Table | undefined;
  readonly #findings: Findings;
  readonly #settings: ReaderSettings;
  /** The column of the URLs: its name, or its number from 1. */
  readonly #column: string | number;
  #names: readonly string[] | undefined;
  /** The record so far: its first line, its cells, the lines of a cell whose quotes are still open, and its length. */
  #firstLine = 0;
  #cells: string[] = [];
  #open: string[] = [];
  #units = 0;

  constructor(table: Table | undefined, findings: Findings, settings: ReaderSettings) {
    const { column = 'url' } = settings;
    this.#table = table;
    this.#findings = findings;
    this.#settings = settings;
    this.#column = typeof column === 'string' ? column.toLowerCase() : column;
  }

  read(line: string): void {
    const findings = this.#findings;
    const isOpen = this.#open.length > 0;
    if (!isOpen) {
      this.#firstLine = findings.report.lines;
      this.#cells = [];
      this.#units = 0;
    }
    const isComment = !isOpen && /^\s*(#|$)/.test(line);
    if (isOpen || isComment) findings.comment(); // a record counts once, at its first line
    if (!isComment) this.#readRecord(line);
    else if (this.#table) this.#takeNames(line.replace(/^\s*#|"/g, '').split(','));
  }

  skip(quotes: number): void {
    const [first] = this.#open;
    if (first !== undefined) this.#drop(first);
    this.#open = (first !== undefined) === (quotes % 2 === 0) ? ['"'] : [];
    this.#units = Number.POSITIVE_INFINITY; // the record of such a line is skipped
  }

  end(): void {
    if (this.#open.length === 0) return;
    const message = `readFeed: the quotes in line ${this.#firstLine} are never closed`;
    throw new TamisError('ERR_TAMIS_TRUNCATED', message);
  }

  #readRecord(line: string): void {
    const isWhole = this.#readCells(line);
    if (this.#units + line.length > this.#settings.maxLineBytes) {
      this.#drop(line);
      if (!isWhole) this.#open = ['"'];
      return;
    }
    this.#units += line.length;
    if (!isWhole) return;
    const findings = this.#findings;
    findings.recordLine = this.#firstLine;
    if (this.#takeNames(this.#cells)) findings.comment();
    else this.#takeCells(line);
    findings.recordLine = undefined;
  }

  /** Skips a record that is too long, and reports this once. */
  #drop(line: string): void {
    this.#cells = [];
    if (this.#units === Number.POSITIVE_INFINITY) return;
    this.#units = Number.POSITIVE_INFINITY;
    this.#findings.recordLine = this.#firstLine;
    this.#findings.skip('too-long', line);
    this.#findings.recordLine = undefined;
  }

  /** Reads the next line of a record. Returns true if the record ends there. */
  #readCells(line: string): boolean {
    let text = line;
    if (this.#open.length > 0) {
      this.#open.push(line);
      if (!restOfCell.test(line)) return false;
      text = this.#open.join('\n');
      this.#open = [];
    }
    cell.lastIndex = 0;
    for (;;) {
      const from = cell.lastIndex;
      // The pattern is sticky: it continues where the last cell ended.
      const match = cell.exec(text);
      if (match === null) {
        this.#open.push(text.slice(from));
        return false;
      }
      const [, quoted, behind = '', plain = '', end] = match;
      const value = quoted === undefined ? plain : quoted.replaceAll('""', '"') + behind;
      this.#cells.push(value.trim());
      if (end === '') return true;
    }
  }

  /** If this is the first line with all known names, uses its cells as names of the columns. */
  #takeNames(cells: readonly string[]): boolean {
    if (this.#names !== undefined || typeof this.#column === 'number') return false;
    const names = cells.map((name) => name.trim().toLowerCase());
    const known = [this.#column, ...(this.#table?.known ?? [])];
    if (!known.every((name) => names.includes(name))) return false;
    this.#names = names;
    return true;
  }

  #takeCells(line: string): undefined {
    const findings = this.#findings;
    const cells = this.#cells;
    const names = this.#names ?? [];
    if (this.#table !== undefined && cells.length === names.length) {
      const fields = Object.fromEntries(names.map((name, i) => [name, cells[i]]));
      return addRecord(this.#table, fields, this.#settings.online, findings);
    }
    const column = this.#column;
    const text = cells[typeof column === 'number' ? column - 1 : names.indexOf(column)];
    if (!text || this.#table !== undefined) return findings.skip('not-understood', line);
    addNameOrPage(text, findings);
  }
}

/** The fields of JSON records that are read. */
const wanted = new Set(['url', 'url_status', 'threat', 'tags', 'verified', 'online', 'target']);
const mostValues = 32; // the maximum number of values that are kept of one field
/** Marks a record whose URL was too long. No field of a feed has the empty name. */
const tooLong = '';

/** Reads the records: all objects, at any depth, that have one of the wanted fields. */
function recordsReader(table: Table, findings: Findings, online: boolean): JsonEvents {
  /** For each enclosing object: the values of its wanted fields, by name. */
  const objects: Map<string, string[]>[] = [];
  return {
    open(isArray) {
      if (!isArray) objects.push(new Map());
    },
    string(value, key) {
      const fields = objects.at(-1);
      if (fields === undefined || !wanted.has(key)) return;
      if (value === undefined && key === 'url') fields.set(tooLong, []); // a mark without values
      const values = fields.get(key) ?? [];
      fields.set(key, values);
      if (value !== undefined && values.length < mostValues) values.push(value);
    },
    close(isArray) {
      const fields = isArray ? undefined : objects.pop();
      // An object around the records has none of their fields.
      if (fields === undefined || fields.size === 0) return;
      findings.report.lines++;
      if (fields.has(tooLong)) return findings.skip('too-long', 'a record with a long url');
      const flat = Array.from(fields, ([name, values]) => {
        return [name, name === 'tags' ? values.join() : values.at(-1)];
      });
      addRecord(table, Object.fromEntries(flat), online, findings);
    },
  };
}

/** The kind of each list in the configuration, by the list's present and former name. */
const lists: Readonly<Record<string, 'host' | 'path' | 'allow-host' | 'fuzzy' | 'hashed'>> = {
  ...{ blacklist: 'host', blocklist: 'host', blocklistPaths: 'path' },
  ...{ whitelist: 'allow-host', allowlist: 'allow-host' },
  ...{ fuzzylist: 'fuzzy', c2DomainBlocklist: 'hashed' },
};

/** Reads MetaMask's lists: arrays of strings. A host covers its subdomains. */
const metamaskReader = (findings: Findings): JsonEvents => ({
  string(value, key, isItem) {
    if (!isItem) return;
    findings.report.lines++;
    const kind = Object.hasOwn(lists, key) ? lists[key] : undefined;
    if (value === undefined) return findings.skip('too-long', `an entry of ${key.slice(0, 40)}`);
    if (kind === undefined) return findings.skip('not-understood', value);
    if (kind === 'fuzzy' || kind === 'hashed') return findings.skip(kind, value);
    const [name = '', ...folders] = value.split('/');
    const path = folders.join('/').replace(/\/$/, '');
    const host = readHost(name, findings);
    if (host === undefined) return;
    if (path === '') findings.add(kind === 'path' ? 'host' : kind, host);
    else if (kind === 'allow-host') findings.skip('not-understood', value);
    else addPath(host, path, value, findings);
  },
});

/** Reads an array of names and URLs. Strings elsewhere, as in a feed of records, are not understood. */
function arrayReader(findings: Findings): JsonEvents {
  const levels: boolean[] = [];
  return {
    open: (isArray) => levels.push(isArray),
    close: () => levels.pop(),
    string(value) {
      findings.report.lines++;
      if (value === undefined) findings.skip('too-long', 'an entry of the array');
      else if (levels.length === 1 && levels[0]) addNameOrPage(value.trim(), findings);
      else findings.skip('not-understood', value);
    },
  };
}

export type JsonFormat = Extract<
  FeedFormat,
  'urlhaus-json' | 'phishtank-json' | 'metamask' | 'json'
>;

export const jsonReaders: Readonly<
  Record<JsonFormat, (findings: Findings, online: boolean) => JsonEvents>
> = {
  'urlhaus-json': (...rest) => recordsReader(tables.urlhaus, ...rest),
  'phishtank-json': (...rest) => recordsReader(tables.phishtank, ...rest),
  metamask: metamaskReader,
  json: arrayReader,
};
