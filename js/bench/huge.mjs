// A list that is longer than memory likes: RibbonFilter of 8 bits from a stream of lines, none of which is
// kept. `node js/bench/huge.mjs [KEYS]`, 100,000,000 unless given: some 2 GB, and a minute or two. The run of
// that many is saved as results/huge.json.

import { Buffer } from 'node:buffer';
import { join } from 'node:path';
import { linesFrom, RibbonFilter } from 'tamis';
import { number, percent } from './report.mjs';
import { environment, finish, HERE } from './run.mjs';
import { makeSerials } from './urls.mjs';

const CHUNK_LINES = 20_000;
const ASKED = 1_000_000;
const KEYS = 100_000_000;

const keyCount = Number(process.argv[2] ?? KEYS);
if (!Number.isInteger(keyCount) || keyCount < 1 || keyCount > 2 ** 31) {
  throw new RangeError(`expected a number of keys, 1 to 2^31, got ${process.argv[2]}`);
}
const peakMb = () => process.resourceUsage().maxRSS / 1024;
const say = (text) => process.stdout.write(`${text}\n`);

/** The file as a disk or a server would send it: pieces that end within a line. */
async function* pieces() {
  let rest = Buffer.alloc(0);
  for (let line = 0; line < keyCount; line += CHUNK_LINES) {
    const lines = makeSerials(line, Math.min(CHUNK_LINES, keyCount - line));
    const piece = Buffer.concat([rest, lines]);
    const cut = piece.length - 5;
    yield piece.subarray(0, cut);
    rest = piece.subarray(cut);
  }
  yield rest;
}

/** Those of `count` lines from `first` on that answer true. */
function passing(filter, first, count) {
  let passed = 0;
  for (let line = 0; line < count; line += CHUNK_LINES) {
    const lines = makeSerials(first + line, Math.min(CHUNK_LINES, count - line)).toString('latin1');
    for (const answer of filter.hasMany(lines.trimEnd().split('\n'))) passed += answer;
  }
  return passed;
}

const begin = performance.now();
const seconds = () => number((performance.now() - begin) / 1000, 1);
let read = 0;
const filter = await RibbonFilter.fromAsync(linesFrom(pieces()), {
  fingerprintBits: 8,
  onProgress({ done }) {
    if (Math.floor(done / 1e7) > Math.floor(read / 1e7)) {
      say(`${number(done, 0)} lines read after ${seconds()} s, peak ${number(peakMb(), 0)} MB`);
    }
    read = done;
  },
});
const built = seconds();
say(`${number(filter.count, 0)} keys, built after ${built} s, peak ${number(peakMb(), 0)} MB`);
if (filter.count !== keyCount) throw new Error(`expected ${keyCount} keys`);

const bytes = filter.toBytes();
const perKey = (8 * bytes.length) / keyCount;
say(
  `${number(bytes.length, 0)} bytes, ${number(perKey, 3)} bits per key; peak ${number(peakMb(), 0)} MB`,
);
const asked = Math.min(ASKED, keyCount);
const missed = asked - passing(filter, keyCount - asked, asked);
const passed = passing(filter, keyCount, ASKED);
say(
  `of ${number(asked, 0)} members ${missed} missed; of ${number(ASKED, 0)} strangers ${percent(passed / ASKED)} pass`,
);
const { clock: _clock, ...where } = environment();
finish(
  {
    ...where,
    keys: keyCount,
    bytes: bytes.length,
    seconds: Number(built),
    peakMb: Math.round(peakMb()),
    passed: passed / ASKED,
    figures: [{ what: 'false negatives', bound: '0', got: `${missed}`, reached: missed === 0 }],
  },
  keyCount === KEYS ? join(HERE, 'results', 'huge.json') : undefined,
);
