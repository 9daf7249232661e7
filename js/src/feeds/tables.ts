// Lists of URLs: one a line, the tables of URLhaus and PhishTank in CSV and in JSON, and MetaMask's configuration.

import type { JsonEvents } from './json.js';
import { addPage, addPath, readHost } from './names.js';
import type { FeedFormat, Findings, LineReader } from './report.js';

/** Reads one URL a line. A `#` starts a comment only at the start of a line, because URLs may contain it. */
export function readUrl(line: string, findings: Findings): undefined {
  const url = line.trim();
  return url === '' || url[0] === '#' ? findings.comment() : addPage(url, findings);
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
    known: ['url_status', 'threat', 'tags'],
    isDead: ({ url_status: status }) => status === 'offline',
    isDoubtful: () => false,
    tagsOf: ({ threat, tags }) => [threat, ...(tags ?? '').split(',')],
  },
  phishtank: {
    known: ['verified', 'online', 'target'],
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
    .map((tag) => tag?.trim() ?? '')
    .filter((tag) => tag !== '' && tag !== 'None')
    .slice(0, mostTags);
  addPage(url, findings, tags.length > 0 ? { tags } : {});
}

/** The cells of a line of CSV; undefined if a quote is not closed. */
function cellsOf(line: string): string[] | undefined {
  const cells: string[] = [];
  const cell = /\s*"((?:[^"]|"")*)"\s*(?:,|$)|([^",]*)(?:,|$)/y;
  for (;;) {
    // The pattern is sticky: it goes on where the last cell ended. It captures a cell in quotes, or another.
    const match = cell.exec(line);
    if (match === null) return undefined;
    cells.push(match[1]?.replaceAll('""', '"') ?? (match[2] ?? '').trim());
    if (!match[0].endsWith(',')) return cells;
  }
}

/** Reads CSV. The first line with all known names gives the columns, also if it is a comment, as in URLhaus. */
export function csvReader(table: Table, findings: Findings, online: boolean): LineReader {
  let columns: string[] | undefined;
  return {
    read(line) {
      const isComment = /^\s*(#|$)/.test(line);
      const cells = cellsOf(isComment ? line.replace(/^\s*#/, '') : line);
      if (columns === undefined && cells !== undefined) {
        const names = cells.map((name) => name.toLowerCase());
        if (['url', ...table.known].every((name) => names.includes(name))) {
          columns = names;
          return findings.comment();
        }
      }
      if (isComment) return findings.comment();
      if (columns === undefined || cells?.length !== columns.length) {
        return findings.skip('not-understood', line);
      }
      const fields = Object.fromEntries(columns.map((name, i) => [name, cells[i]]));
      addRecord(table, fields, online, findings);
    },
  };
}

const mostValues = 32; // that are kept of one field
/** Marks a record whose URL was too long. No field of a feed has the empty name. */
const tooLong = '';

/** Takes every object that has a field of the table as a record, at any depth. */
function recordsReader(table: Table, findings: Findings, online: boolean): JsonEvents {
  const wanted = new Set(['url', ...table.known]);
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

/** The kind of each list in the configuration, by its present and its former name. */
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

export type JsonFormat = Extract<FeedFormat, 'urlhaus-json' | 'phishtank-json' | 'metamask'>;

export const jsonReaders: Readonly<
  Record<JsonFormat, (findings: Findings, online: boolean) => JsonEvents>
> = {
  'urlhaus-json': (...rest) => recordsReader(tables.urlhaus, ...rest),
  'phishtank-json': (...rest) => recordsReader(tables.phishtank, ...rest),
  metamask: metamaskReader,
};
