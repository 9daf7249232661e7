// A list that is larger than memory: a RibbonFilter of 8 bits from a stream of lines, without keeping a line.
// 100,000,000 lines take about 2 GB, and one or two minutes.

import { linesFrom, RibbonFilter } from 'tamis';
import { makeSerials } from './keys.mjs';
import { ones } from './measure.mjs';

const CHUNK_LINES = 20_000;
const ASKED = 1_000_000;

const peakMb = () => Math.round(process.resourceUsage().maxRSS / 1024);

/** The file as a disk or a server sends it: pieces that end within a line. */
async function* pieces(count) {
  for (let line = 0; line < count; line += CHUNK_LINES) {
    const lines = makeSerials(line, Math.min(CHUNK_LINES, count - line));
    yield lines.subarray(0, -5);
    yield lines.subarray(-5);
  }
}

/** The number of found lines among `count` lines from `first` on. */
function countPassing(filter, first, count) {
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
  say(`building of ${count} lines`);
  const filter = await RibbonFilter.fromAsync(linesFrom(pieces(count)), { fingerprintBits: 8 });
  if (filter.count !== count) throw new Error(`expected ${count} keys, got ${filter.count}`);
  const seconds = Math.round((performance.now() - begin) / 100) / 10;
  const bytes = filter.toBytes().length;
  const missed = ASKED - countPassing(filter, count - ASKED, ASKED);
  if (missed > 0) throw new Error(`${missed} of ${ASKED} members missed`);
  const passed = countPassing(filter, count, ASKED) / ASKED;
  return { keys: count, bytes, seconds, peakMb: peakMb(), passed };
}
