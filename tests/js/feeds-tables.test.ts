/** Feeds of URLs mean what other programs read: tables in CSV as Python does, and addresses as WHATWG's URL. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { readFeed } from 'tamis/feeds';
import { UrlListBuilder } from 'tamis/url';

function casesOf<Case>(name: string): readonly Case[] {
  const file = new URL(`../vectors/feeds/programs/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')).cases;
}

/**
 * The URLs of a table's pages, and if it skips nothing. A table without pages is refused, and one that
 * ends in open quotes is an error.
 */
async function readTable(text: string, isOpen: boolean) {
  const pages: string[] = [];
  const feed = readFeed(text, { format: 'urlhaus-csv' });
  try {
    for await (const page of feed) pages.push(page.text);
  } catch (error) {
    expect(error).toMatchObject({ code: 'ERR_TAMIS_TRUNCATED' });
    expect(isOpen).toBe(true);
  }
  return { pages, isWhole: pages.length > 0 && Object.keys(feed.report.skipped).length === 0 };
}

interface Table {
  readonly text: string;
  readonly records: readonly (readonly string[])[];
  /** Why Python refuses the text, if it is strict. */
  readonly error?: string;
}

/** A cell without blanks around it, and without quotes that have blanks before them. */
const plain = (cell = '') => cell.trim().replace(/^"(.*)"$/, '$1');
const hrefOf = (text: string) => (URL.canParse(text) ? new URL(text).href : undefined);

/** The URLs of a table: all, and those of records that any reader of CSV accepts. */
function urlsOf({ records, error }: Table) {
  const at = records.findIndex((cells) => cells.map(plain).some((name) => /^url$/i.test(name)));
  const names = (records[at] ?? []).map((name) => plain(name).toLowerCase());
  const [url, status] = [names.lastIndexOf('url'), names.indexOf('url_status')];
  const all: string[] = [];
  const certain: string[] = [];
  for (const cells of at < 0 ? [] : records.slice(at + 1)) {
    const href = hrefOf(plain(cells[url]));
    if (href === undefined || plain(cells[status]) === 'offline') continue;
    all.push(href);
    const isCertain = error === undefined && cells.length === names.length;
    if (isCertain && cells[url] === plain(cells[url])) certain.push(href);
  }
  return { all, certain };
}

test('a table has the pages of its records, as Python reads them', async () => {
  const wrong: string[] = [];
  for (const table of casesOf<Table>('csv')) {
    const { all, certain } = urlsOf(table);
    const isOpen = table.error === 'unexpected end of data';
    const { pages, isWhole } = await readTable(table.text, isOpen);
    const found = pages.map(hrefOf);
    const extra = found.filter((url) => url === undefined || !all.includes(url));
    const missed = isWhole ? certain.filter((url) => !found.includes(url)) : [];
    if (extra.length > 0 || missed.length > 0) {
      wrong.push(
        `${JSON.stringify(table.text)}: extra ${extra.join(' ')}; missed ${missed.join(' ')}`,
      );
    }
  }
  expect(wrong).toEqual([]);
});

test('an address is the page that browsers open', async () => {
  const wrong: string[] = [];
  for (const { text, href } of casesOf<{ text: string; href: string | null }>('urls')) {
    // Feeds may have any white space around an address.
    if (text !== text.trim()) continue;
    const url = /^(https?|wss?|ftp):/.test(href ?? '') ? new URL(href as string) : undefined;
    const builder = new UrlListBuilder({ prefixBytes: 32 });
    const feed = readFeed(`${text}\n`, { format: 'urls' });
    await builder.addFeed(feed).catch((error) => {
      if (error.code !== 'ERR_TAMIS_REFUSED') throw error;
    });
    const list = builder.build();
    if (list.count === 0) {
      const { comments, skipped } = feed.report;
      const isCounted = comments + Object.keys(skipped).length + builder.skipped.count > 0;
      if (!isCounted) wrong.push(`${JSON.stringify(text)} is not counted`);
      continue;
    }
    const isRight = url !== undefined && list.check(url.href) === 'maybe';
    const isFolder = url !== undefined && list.check(new URL('./other', url).href) === 'maybe';
    if (!isRight || isFolder !== builder.widened.pages > 0) {
      wrong.push(`${JSON.stringify(text)}, ${href}: ${JSON.stringify({ isRight, isFolder })}`);
    }
  }
  expect(wrong).toEqual([]);
});
