/** Checks that docs/guide/feeds.md has the reader's result for each line, and lists every reason. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import type { FeedFormat, SkipReason } from 'tamis/feeds';

import { formats, optionsOf, readAll } from './support/feeds.js';

const guide = readFileSync(new URL('../../docs/guide/feeds.md', import.meta.url), 'utf8');

/** The text below a heading, up to the next heading of any level. */
const below = (heading: string): string =>
  guide.split(`\n${heading}\n`)[1]?.split(/\n#{2,3} /)[0] ?? '';

/** The rows of each table of a text: cells, without the bars that Markdown escapes. */
const tablesIn = (text: string): string[][][] =>
  [...text.matchAll(/(?:^\|.*\n?)+/gm)].map(([table]) =>
    table
      .trim()
      .split('\n')
      .slice(2)
      .map((row) =>
        row
          .split(/(?<!\\)\|/)
          .slice(1, -1)
          .map((cell) => cell.replaceAll('\\|', '|').trim()),
      ),
  );

const codesIn = (cell: string): string[] =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code as string);

/** The guide's words for the reader's results. The rank and the spelling of a rule are not in the tables. */
const words: Readonly<Record<string, string>> = {
  host: 'host',
  'host exact': 'exact host',
  'host below': 'subdomains',
  page: 'page',
  path: 'path',
  'allow-host': 'exception',
  'allow-host exact': 'exact exception',
  'allow-host below': 'exception for subdomains',
  cancel: 'taken back',
};
const wordOf = (kind: string): string => {
  if (kind.startsWith('skip ')) return `skipped, \`${kind.slice(5)}\``;
  const [key = ''] = /^[\w-]+( (exact|below))?/.exec(kind) ?? [];
  return words[key] ?? kind;
};

/** The text around a row's sample. */
const around: Partial<Record<FeedFormat, (sample: string) => string>> = {
  'urlhaus-csv': (line) => `# url,url_status,threat,tags\n${line}\n`,
  'phishtank-csv': (line) => `url,verified,online,target\n${line}\n`,
  'urlhaus-json': (line) => line.replace(/(.+?),(\w+).*/, '[{"url":"$1","url_status":"$2"}]'),
  'phishtank-json': (line) =>
    line.replace(/(.+?),(\w+),(\w+).*/, '[{"url":"$1","verified":"$2","online":"$3"}]'),
  metamask: (member) => `{${member}}`,
  csv: (line) => `id,link\n${line}\n`,
  json: (item) => `[${item}]`,
};

/** The table of each format, in the order of the headings. JSON has the rows of the same feed in CSV. */
const tables = [...guide.matchAll(/^### ([a-z-]+(?: and [a-z-]+)?)$/gm)].flatMap(
  ([heading, names]) => {
    const rows = tablesIn(below(heading));
    return (names as string).split(' and ').flatMap((name, i) => {
      const both = new Set([name, name.replace(/^(urlhaus|phishtank)-csv/, '$1-json')]);
      return [...both].map((format) => ({ format: format as FeedFormat, rows: rows[i] ?? [] }));
    });
  },
);

test('the guide has a table of each format', () => {
  expect(tables.map(({ format }) => format).sort()).toEqual([...formats].sort());
});

test.each(tables)('each line of the table of $format is what it says', async ({ format, rows }) => {
  expect(rows.length).toBeGreaterThan(1);
  for (const [samples, meaning] of rows as [string, string][]) {
    expect(codesIn(samples).length).toBeGreaterThan(0);
    for (const sample of codesIn(samples)) {
      const text = around[format]?.(sample) ?? `${sample}\n`;
      const { rows: found, error } = await readAll(text, optionsOf(format));
      const kinds = found.map((row) => (row.split('\t')[1] as string).replace(' important', ''));
      const said = [...new Set(kinds.map(wordOf))].sort().join('; ');
      expect([sample, said, error]).toEqual([sample, meaning, undefined]);
    }
  }
});

test('the guide has each reason, and no other', () => {
  const reasons: Record<SkipReason, true> = {
    ...{ modifier: true, cosmetic: true, regex: true, wildcard: true, pattern: true },
    ...{ narrowed: true, 'ip-trigger': true, hashed: true, fuzzy: true, offline: true },
    ...{ unverified: true, 'local-name': true, 'single-label': true, 'too-long': true },
    ...{ 'no-effect': true, 'not-understood': true, exact: true, 'no-url': true },
  };
  const [rows = []] = tablesIn(below('## Why a line is skipped'));
  expect(rows.map(([reason]) => reason?.replaceAll('`', '')).sort()).toEqual(
    Object.keys(reasons).sort(),
  );
});
