/**
 * A list of a feed blocks what the feed's program blocks. tests/vectors/feeds/programs has feeds of a few lines, and what
 * their programs do with names. Where the programs of one format differ, a name counts if they agree. What the report
 * counts as skipped or widened, or names as an exception that the list cannot have, may differ.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { type FeedEntry, type FeedFormat, readFeed } from 'tamis/feeds';
import { UrlListBuilder } from 'tamis/url';

import { isDocumented } from './support/errors.js';
import { inPieces } from './support/feeds.js';

interface Verdicts {
  readonly refused?: true;
  readonly blocked?: readonly string[];
  readonly open?: readonly string[];
}
interface Case extends Verdicts {
  readonly lines: readonly string[];
  readonly encoding?: 'latin1';
  readonly dnsmasq?: Verdicts;
}

const folder = new URL('../vectors/feeds/programs/', import.meta.url);

/** The names of a verdict in which all programs of the format agree. */
function agreed({ dnsmasq, ...first }: Case, verdict: 'blocked' | 'open'): readonly string[] {
  const names = first[verdict] ?? [];
  return dnsmasq ? names.filter((name) => dnsmasq[verdict]?.includes(name)) : names;
}

/** True for a name that another one, further below, takes from a wildcard: a name of DNS above or beside it. */
const isBeside = (name: string, other: string): boolean =>
  other.endsWith(`.${name}`) ||
  (/\..+\../.test(name) && isBeside(name.replace(/^[^.]*\./, ''), other));

/** The list of a feed, and what its report and its builder say of differences. */
async function listOf({ lines, encoding }: Case, format: FeedFormat) {
  const bytes = Buffer.from(`${lines.join('\n')}\n`, encoding);
  const builder = new UrlListBuilder({ prefixBytes: 32 });
  const feed = readFeed(inPieces(bytes, [bytes.length]), { format });
  const all: FeedEntry[] = [];
  async function* entries(): AsyncGenerator<FeedEntry> {
    for await (const entry of feed) {
      all.push(entry);
      yield entry;
    }
  }
  await builder.addFeed(entries()).catch((error: unknown) => {
    // The feed has no entries.
    if (!isDocumented(error) || error.code !== 'ERR_TAMIS_REFUSED') throw error;
  });
  return {
    list: builder.build(),
    hasSkips: Object.keys(feed.report.skipped).length > 0,
    /** True if the builder says that the list covers this name, which the feed does not block. */
    isKnown: (name: string) =>
      all.some(({ text, isExact }) => isExact && name.endsWith(`.${text}`)) ||
      all.some(({ text, isBelow }) => isBelow && name === text) ||
      builder.unmet.some((host) => `.${name}`.endsWith(`.${host}`)) ||
      (format === 'rpz' && all.some(({ text }) => isBeside(name, text))),
  };
}

/** The names whose answers differ, with the lines. */
async function differencesOf(one: Case, format: FeedFormat): Promise<string[]> {
  const { list, hasSkips, isKnown } = await listOf(one, format);
  const isListed = (name: string) => list.checkHost(name) === 'maybe';
  return [
    ...agreed(one, 'blocked')
      .filter((name) => !isListed(name) && !hasSkips)
      .map((name) => `${name} is blocked, and not listed`),
    ...agreed(one, 'open')
      .filter((name) => isListed(name) && !isKnown(name) && !hasSkips)
      .map((name) => `${name} is open, and listed`),
  ].map((why) => `${JSON.stringify(one.lines)}: ${why}`);
}

test.each(['dnsmasq', 'unbound', 'rpz', 'hosts'] as const)('%s', async (format) => {
  const file = readFileSync(new URL(`${format}.json`, folder), 'utf8');
  const { cases } = JSON.parse(file) as { cases: Case[] };
  // A program that refuses a feed says nothing about its names. Lists have names in any script by IDNA, and the address
  // 0 as other systems read it.
  const isOther = (line: string) => /[^\0-\x7f]|^0 /.test(line);
  const accepted = cases.filter(({ refused, lines }) => !refused && !lines.some(isOther));
  expect(accepted.length).toBeGreaterThan(100);
  const differences = await Promise.all(accepted.map((one) => differencesOf(one, format)));
  expect(differences.flat()).toEqual([]);
});
