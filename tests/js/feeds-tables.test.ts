/** Feeds of URLs mean what other programs read: tables in CSV as Python does, and addresses as WHATWG's URL. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { type FeedEntry, type FeedFormat, readFeed } from 'tamis/feeds';
import { UrlListBuilder } from 'tamis/url';

function casesOf<Case>(name: string): readonly Case[] {
  const file = new URL(`../vectors/feeds/programs/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')).cases;
}

async function entriesOf(text: string, format: FeedFormat): Promise<FeedEntry[]> {
  const entries = [];
  for await (const entry of readFeed(text, { format })) entries.push(entry);
  return entries;
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
    const found = (await entriesOf(table.text, 'urlhaus-csv')).map(({ text }) => hrefOf(text));
    const extra = found.filter((url) => url === undefined || !all.includes(url));
    const missed = certain.filter((url) => !found.includes(url));
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
    const line = `${text}\n`;
    // No line of a feed has these. A star stands for more than one page.
    if (/[\0\ufffd\ud800*]/.test(text)) continue;
    const url = /^(https?|wss?|ftp):/.test(href ?? '') ? new URL(href as string) : undefined;
    // URL allows more in a name than a name has.
    if (url !== undefined && /[^\w.[\]:-]/.test(url.hostname)) continue;
    const [entry] = await entriesOf(line, 'urls');
    const builder = new UrlListBuilder({ prefixBytes: 32 });
    if (entry !== undefined) await builder.addFeed(readFeed(line, { format: 'urls' }));
    const list = builder.build();
    const isRight = url === undefined ? list.count === 0 : list.check(url.href) === 'maybe';
    const isHost = url !== undefined && list.check(new URL('/other', url).href) === 'maybe';
    if (!isRight || isHost !== (list.count > 0 && entry?.isExact === true)) {
      wrong.push(`${JSON.stringify(text)}, ${href}: ${JSON.stringify({ isRight, isHost, entry })}`);
    }
  }
  expect(wrong).toEqual([]);
});
