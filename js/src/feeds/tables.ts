// Lists of URLs: one a line, and the tables of URLhaus and PhishTank.

import { addPage } from './names.js';
import type { Findings, LineReader } from './report.js';

/** Reads one URL a line. A `#` starts a comment only at the start of a line, because URLs may contain it. */
export function readUrl(line: string, findings: Findings): undefined {
  const url = line.trim();
  return url === '' || url[0] === '#' ? findings.comment() : addPage(url, findings);
}

/** The values of a record, by the feed's field names. */
export type RecordFields = Readonly<Record<string, string | undefined>>;

/** A table whose records have URLs. */
export interface Table {
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

/** Adds the page of a record, unless the record is dead or unconfirmed. */
export function addRecord(
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
  for (let at = 0; ; at = cell.lastIndex) {
    cell.lastIndex = at;
    const match = cell.exec(line);
    if (match === null) return undefined;
    cells.push(match[1]?.replaceAll('""', '"') ?? (match[2] ?? '').trim());
    if (!match[0].endsWith(',')) return cells;
  }
}

/** Reads CSV. The first line names the columns; in URLhaus a comment does. */
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
