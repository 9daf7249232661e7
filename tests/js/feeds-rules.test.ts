/**
 * Rules of ad blockers mean in a list what programs make of them. A list has no URL that no program blocks, and it has
 * the pages and hosts that AdGuard blocks, unless a line was skipped or another program excepts them.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { type FeedEntry, type FeedSkip, readFeed } from 'tamis/feeds';
import { UrlListBuilder } from 'tamis/url';

interface Case {
  readonly lines: readonly string[];
  /** URLs, separated by blanks, by the answer of the programs. */
  readonly ask: Readonly<Record<string, string>>;
}

const file = new URL('../vectors/feeds/programs/adblock.json', import.meta.url);
const { cases } = JSON.parse(readFileSync(file, 'utf8')) as { cases: readonly Case[] };

/** Reasons to skip an exception that no list can apply. */
const patterns = new Set(['regex', 'wildcard', 'path-prefix']);

const urlOf = (short: string) => new URL(short.includes('://') ? short : `https://${short}`);
const isWithin = (host: string, other: string) => host === other || host.endsWith(`.${other}`);
const withoutScheme = ({ href }: URL) => href.slice(href.indexOf('://'));

/** True if a list with this entry has a URL too that the rule does not name. */
function widens({ kind, text, isExact }: FeedEntry, url: URL): boolean {
  if (kind !== 'page') return isExact === true && url.hostname.endsWith(`.${text}`);
  // Pages have no scheme in a list. A page without a query has any query, and one with a slash is a folder.
  const page = urlOf(text);
  if (isExact) return isWithin(url.hostname, page.hostname);
  const [one, other] = [withoutScheme(page), withoutScheme(url)];
  return other === one || other.startsWith(one.endsWith('/') ? one : `${one}?`);
}

/** Reads rules into a list. `has` looks up a URL, and `isWidened` is true if no list can leave it out. */
async function read(text: string) {
  const format = 'adblock';
  const entries: FeedEntry[] = [];
  for await (const entry of readFeed(text, { format })) entries.push(entry);
  const skips: FeedSkip[] = [];
  const onSkip = (skip: FeedSkip) => {
    skips.push(skip);
  };
  const feed = readFeed(text, { format, onSkip });
  const builder = new UrlListBuilder({ prefixBytes: 32 });
  await builder.addFeed(feed).catch((error) => {
    if (error.code !== 'ERR_TAMIS_REFUSED') throw error;
  });
  const list = builder.build();
  const { unmet } = builder;
  return {
    has: (url: URL | string) => list.check(String(url)) === 'maybe',
    isWidened: (url: URL) =>
      url.port !== '' ||
      unmet.some((host) => isWithin(url.hostname, host)) ||
      entries.some((entry) => widens(entry, url)),
    hasSkips: skips.length > 0,
    /** A list cannot try a pattern of an exception at its hosts. */
    hasPatterns: skips.some(({ text, reason }) => text.startsWith('@@') && patterns.has(reason)),
  };
}

/** The URL with another letter case in its path, which programs ignore. */
const inOtherCase = ({ origin, pathname, search }: URL) => {
  const path = `${pathname}${search}`;
  return `${origin}${path === path.toLowerCase() ? path.toUpperCase() : path.toLowerCase()}`;
};

test('a list has what AdGuard blocks, and nothing that no program blocks', async () => {
  const wrong: string[] = [];
  for (const { lines, ask } of cases) {
    const { has, isWidened, hasSkips, hasPatterns } = await read(`${lines.join('\n')}\n`);
    for (const [answer, urls] of Object.entries(ask)) {
      const isExcepted = /[aAw]/.test(answer);
      const mayHave = /[dDh]/.test(answer) || (isExcepted && hasPatterns);
      const mayLack = !/[dh]/.test(answer) || isExcepted || hasSkips;
      const all = urls.split(' ').map(urlOf);
      const extra = all.filter((url) => has(url) && !mayHave && !isWidened(url));
      const missed = all.filter((url) => !has(url) && !mayLack && !has(inOtherCase(url)));
      for (const [word, found] of Object.entries({ extra, missed })) {
        if (found.length > 0)
          wrong.push(`${lines.join(' ; ')}: ${word} '${answer}' ${found.join(' ')}`);
      }
    }
  }
  expect(wrong).toEqual([]);
});
