/**
 * Any bytes in any pieces, in each format: only coded errors, and the same result for all cuts. Size bounds the work.
 */
import { describe, expect, test } from '@jest/globals';
import { type FeedFormat, readFeed } from 'tamis/feeds';
import { budget, isLong, seed } from './support/budget.js';
import { isDocumented } from './support/errors.js';
import { formats, goldenFeeds, inPieces, optionsOf, readAll } from './support/feeds.js';

/** For each format. */
const cases = budget(10_000, 500);

function randomOf(start: number): (below: number) => number {
  let state = start >>> 0;
  return (below) => {
    // mulberry32
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const bytesOf = (text: string) => new TextEncoder().encode(text);
const signs = '\n\n\n\r\0 \t"\'#;()[]{}:,./*|^$@\\-_=%!~\u00e9\ufeff0a';

/** Lines of golden feeds, some of them damaged, or bytes as they come. */
function makeBytes(lines: readonly string[], random: (below: number) => number): Uint8Array {
  if (random(16) === 0) return Uint8Array.from({ length: random(60) }, () => random(256));
  let text = '';
  for (let i = random(6); i >= 0; i--) {
    text += `${lines[random(lines.length)]}${random(8) === 0 ? '\r\n' : '\n'}`;
  }
  for (let i = random(6); i > 0; i--) {
    const at = random(text.length + 1);
    const sign = [...signs][random([...signs].length)] as string;
    text = text.slice(0, at) + sign.repeat(1 + random(3)) + text.slice(at + random(3));
  }
  const bytes = bytesOf(text);
  if (random(6) === 0 && bytes.length > 0) bytes[random(bytes.length)] = random(256);
  return bytes.subarray(0, random(3) === 0 ? random(bytes.length + 1) : bytes.length);
}

const lengthsOf = (random: (below: number) => number) =>
  Array.from({ length: 1 + random(4) }, () => 1 + random(random(8) === 0 ? 4 : 400));

/** True if each line is an entry, skipped or a comment. A zone that ends in a parenthesis has a record that is not. */
function countsAll({ text, rows, error }: Awaited<ReturnType<typeof readAll>>, format: string) {
  const { lines, comments } = JSON.parse(text.trimEnd().split('\n').at(-1) as string);
  const counted = new Set(rows.map((row) => row.split('\t', 1)[0])).size;
  return error !== undefined || format === 'auto' || lines <= counted + comments;
}

const all = goldenFeeds.flatMap(({ text }) => text.split('\n'));

test.each([...formats, 'auto'] as const)('any bytes as %s', async (format) => {
  const random = randomOf(seed ^ format.length);
  const own = goldenFeeds.filter((feed) => feed.format === format);
  const lines = own.length > 0 ? own.flatMap(({ text }) => text.split('\n')) : all;
  for (let i = 0; i < cases; i++) {
    const bytes = makeBytes(random(8) === 0 ? all : lines, random);
    const options = {
      ...optionsOf(format as FeedFormat),
      online: random(2) === 0,
      ...(random(4) === 0 && { maxLineBytes: 1 + random(80) }),
    };
    const one = await readAll(inPieces(bytes, lengthsOf(random)), options);
    const other = await readAll(inPieces(bytes, lengthsOf(random)), options);
    const isRight =
      countsAll(one, format) &&
      one.text === other.text &&
      String(one.error) === String(other.error) &&
      (one.error === undefined || isDocumented(one.error));
    if (!isRight) {
      const shown = JSON.stringify([...bytes]);
      throw new Error(
        `seed ${seed}, case ${i}, ${JSON.stringify(options)}: ${shown}\n${one.text}${one.error}\n${other.text}${other.error}`,
      );
    }
  }
});

describe('what is long', () => {
  /** Pieces of a source, counted as they are read. */
  async function* repeated(piece: Uint8Array, count: number, tail = new Uint8Array(0)) {
    for (let i = 0; i < count; i++) yield piece;
    if (tail.length > 0) yield tail;
  }

  test.each(formats)('a line of many MB of %s is not held', async (format) => {
    // A reader might keep each of these letters.
    for (const letters of isLong ? ['a', ' ', '"', '.', '(', '$', '['] : ['a', '"']) {
      const piece = bytesOf(letters.repeat(2 ** 16));
      const feed = readFeed(repeated(piece, budget(2 ** 10, 2 ** 8)), optionsOf(format));
      const before = process.memoryUsage().arrayBuffers;
      try {
        for await (const _ of feed);
      } catch (error) {
        expect(isDocumented(error)).toBe(true);
      }
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 ** 23);
    }
  });

  test.each(formats)('many empty lines of %s', async (format) => {
    const lines = budget(1e6);
    const feed = readFeed(repeated(bytesOf('\n'.repeat(1000)), lines / 1000), optionsOf(format));
    const reading = (async () => {
      for await (const _ of feed) throw new Error('nothing is here');
    })();
    if (/json|metamask/.test(format)) {
      await expect(reading).rejects.toMatchObject({ code: 'ERR_TAMIS_TRUNCATED' });
    } else {
      await reading;
      expect(feed.report).toMatchObject({ lines, comments: lines, entries: 0, skipped: {} });
    }
  });

  test('JSON 10,000 deep is refused by its depth', async () => {
    for (const format of ['metamask', 'urlhaus-json', 'phishtank-json'] as const) {
      for (const sign of ['[', '{"a":']) {
        const { error } = await readAll(sign.repeat(10_000), { format });
        expect(error).toMatchObject({ code: 'ERR_TAMIS_TOO_LARGE' });
      }
    }
  });

  // A reader with quadratic work in a line would take hours here.
  test.each(formats)('long lines cost %s no more a byte', async (format) => {
    const few = ['a', ' ', '"', '/', '.', '""', 'a ', '\\', '0', '0.0.0.0 ', "'", '(', '#'];
    const heads = ['', '||', '"', 'http://', 'address=', 'local-zone: ', 'a CNAME ', '0.0.0.0 '];
    for (const sign of few) {
      const long = sign.repeat(budget(2 ** 18, 2 ** 14) / sign.length);
      const lines = heads.flatMap((head) => [`${head}${long} x`, `${head}${long}"x"y`]);
      const { error } = await readAll(lines.join('\n'), {
        ...optionsOf(format),
        maxLineBytes: 2 ** 20,
      });
      expect(error === undefined || isDocumented(error)).toBe(true);
    }
  });
});
