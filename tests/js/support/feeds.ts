/** Feeds for tests: golden ones, and any bytes in pieces of any size. */
import { readdirSync, readFileSync } from 'node:fs';
import { type FeedEntry, type FeedFormat, type FeedOptions, readFeed } from 'tamis/feeds';

const folder = new URL('../../vectors/feeds/', import.meta.url);

export interface GoldenFeed {
  readonly name: string;
  readonly format: FeedFormat;
  readonly text: string;
  /** A line for each result of the feed. The last line is the report. */
  readonly expected: string;
}

/** The options that a format needs. */
export const optionsOf = (format: FeedFormat) => ({
  format,
  ...(format === 'csv' && { column: 'link' }),
});

export const goldenFeeds: readonly GoldenFeed[] = readdirSync(folder)
  .filter((file) => file.endsWith('.txt'))
  .map((file) => {
    const name = file.slice(0, -4);
    const read = (path: string) => readFileSync(new URL(path, folder), 'utf8');
    const format = name.replace('-origin', '') as FeedFormat;
    return { name, format, text: read(file), expected: read(`${name}.tsv`) };
  });

export const formats = [...new Set(goldenFeeds.map(({ format }) => format))];

function rowOf({ line, text, tags, kind, ...terms }: FeedEntry): string {
  const { cancels, isExact, isBelow, isImportant, precedence, variant } = terms;
  const flags = [isExact && 'exact', isBelow && 'below', isImportant && 'important'];
  const words = [kind, cancels, ...flags, precedence, variant].filter(Boolean);
  return [line, words.join(' '), text, ...(tags ? [tags.join(', ')] : [])].join('\t');
}

/** All results of a feed by line, and its report; or `error`, if it ended with one. */
export async function readAll(
  source: Parameters<typeof readFeed>[0],
  options: FeedOptions,
): Promise<{ text: string; rows: string[]; error?: unknown }> {
  const found: [number, string][] = [];
  const feed = readFeed(source, {
    ...options,
    onSkip: ({ line, reason, text }) => {
      found.push([line, `${line}\tskip ${reason}\t${text}`]);
    },
  });
  let error: unknown;
  try {
    for await (const entry of feed) found.push([entry.line, rowOf(entry)]);
  } catch (thrown) {
    error = thrown;
  }
  const rows = found.sort(([one], [other]) => one - other).map(([, row]) => row);
  const { first, ...report } = feed.report;
  const text = `${[...rows, JSON.stringify(report)].join('\n')}\n`;
  return { text, rows, ...(error !== undefined && { error }) };
}

/** The bytes in pieces of these lengths, which repeat. */
export async function* inPieces(
  bytes: Uint8Array,
  lengths: readonly number[],
): AsyncGenerator<Uint8Array> {
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const length = lengths[i % lengths.length] as number;
    yield bytes.subarray(at, at + length);
    at += length;
  }
}
