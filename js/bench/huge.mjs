// A list that is longer than memory likes: RibbonFilter of 8 bits from a stream of lines, none of which is
// kept. 100,000,000 of them take some 2 GB, and a minute or two.

import { linesFrom, RibbonFilter } from 'tamis';
import { makeSerials } from './keys.mjs';
import { ones } from './measure.mjs';
import { number } from './report.mjs';

const CHUNK_LINES = 20_000;
const ASKED = 1_000_000;

const peakMb = () => Math.round(process.resourceUsage().maxRSS / 1024);

/** The file as a disk or a server would send it: pieces that end within a line. */
async function* pieces(count) {
  let rest = Buffer.alloc(0);
  for (let line = 0; line < count; line += CHUNK_LINES) {
    const lines = makeSerials(line, Math.min(CHUNK_LINES, count - line));
    const piece = Buffer.concat([rest, lines]);
    const end = piece.length - 5;
    yield piece.subarray(0, end);
    rest = piece.subarray(end);
  }
  yield rest;
}

/** Those of `count` lines from `first` on that answer true. */
function passing(filter, first, count) {
  let passed = 0;
  for (let line = 0; line < count; line += CHUNK_LINES) {
    const lines = makeSerials(first + line, Math.min(CHUNK_LINES, count - line)).toString('latin1');
    passed += ones(filter.hasMany(lines.trimEnd().split('\n')));
  }
  return passed;
}

export async function measureHuge({ keyCount, say }) {
  const count = 100 * keyCount;
  const begin = performance.now();
  const seconds = () => Math.round((performance.now() - begin) / 100) / 10;
  let read = 0;
  const filter = await RibbonFilter.fromAsync(linesFrom(pieces(count)), {
    fingerprintBits: 8,
    onProgress({ done }) {
      if (Math.floor(done / 1e7) > Math.floor(read / 1e7)) {
        say(`${number(done)} lines read after ${seconds()} s, peak ${number(peakMb())} MB`);
      }
      read = done;
    },
  });
  if (filter.count !== count) throw new Error(`expected ${count} keys, got ${filter.count}`);
  const built = seconds();
  const bytes = filter.toBytes().length;
  const missed = ASKED - passing(filter, count - ASKED, ASKED);
  if (missed > 0) throw new Error(`${missed} of ${ASKED} members missed`);
  const passed = passing(filter, count, ASKED) / ASKED;
  return { keys: count, bytes, seconds: built, peakMb: peakMb(), passed };
}
