// A crawler of a news site: `if (seen.add(url)) visit(url)` over a sliding window. The window is this period of six
// hours and the three before. A URL that was linked in it is not visited again. Older URLs are forgotten, so the
// filter does not grow.
//
//   node js/examples/crawler.mjs
import { strict as assert } from 'node:assert';
import { RotatingBloomFilter } from 'tamis';
import { count, percent, printTable } from './figures.mjs';
import { random } from './random.mjs';

const MINUTE = 60_000;
const DAYS = 10;
const GENERATIONS = 4;
const PERIOD = 6 * 60 * MINUTE;
const CAPACITY = 10_000; // distinct URLs that are linked within six hours
const FPR = 0.01;
const START = Date.UTC(2026, 0, 1);
const ARCHIVE = 20_000; // articles that exist when the crawl begins

const url = (article) => `https://news.example/article/${article}`;
const next = random(6);

/** A number from 0 to below `most`, far more often a small one. */
function age(most) {
  const u = next();
  return Math.floor(u * u * u * most);
}

// An article links to none, one or two older ones; its links never change.
const links = [];
function publish() {
  const length = Math.floor(3 * next());
  const older = Array.from({ length }, () => links.length - 1 - age(ARCHIVE));
  links.push(older.filter((article) => article >= 0));
}

while (links.length < ARCHIVE) publish();

const seen = new RotatingBloomFilter({
  capacity: CAPACITY,
  fpr: FPR,
  generations: GENERATIONS,
  periodMs: PERIOD,
});
seen.advance(START);

// The last period in which each article was linked, for the tally: a crawler has no such list.
const lastLinked = new Map();
const tally = { links: 0, first: 0, again: 0, repeats: 0, skipped: 0, rotations: 0 };
const perPeriod = [];
let period = 0;

/** True if a link leads to a page to visit. */
function meet(article) {
  const before = lastLinked.get(article);
  const isInWindow = before !== undefined && period - before < GENERATIONS;
  tally.links++;
  if (before !== period) perPeriod[period] = (perPeriod[period] ?? 0) + 1;
  lastLinked.set(article, period);
  const isNew = seen.add(url(article));
  assert.ok(!(isNew && isInWindow), 'nothing that is in the window is visited again');
  if (isInWindow) tally.repeats++;
  else if (!isNew) tally.skipped++;
  else tally[before === undefined ? 'first' : 'again']++;
  return isNew;
}

/** Visits an article, and the pages that it leads to. */
function visit(start) {
  const frontier = [start];
  for (let article = frontier.pop(); article !== undefined; article = frontier.pop()) {
    for (const link of links[article]) if (meet(link)) frontier.push(link);
  }
}

for (let now = START; now < START + DAYS * 24 * 60 * MINUTE; now += MINUTE) {
  tally.rotations += seen.advance(now);
  period = Math.floor((now - START) / PERIOD);
  publish();
  publish();
  // The front page of the minute: the newest article and nineteen others, most of them recent.
  const front = Array.from({ length: 20 }, (_, i) => (i ? age(ARCHIVE) : 0));
  for (const back of front) {
    const article = links.length - 1 - back;
    if (meet(article)) visit(article);
  }
}

const absentKeys = tally.first + tally.again + tally.skipped;
const urlBytes = [...lastLinked.keys()].reduce((sum, article) => sum + url(article).length, 0);
printTable(`${DAYS} days of a news site, remembered for ${GENERATIONS} periods of 6 hours`, [
  ['links met', count(tally.links)],
  ['repeats within the window', count(tally.repeats)],
  ['not in the window', count(absentKeys)],
  ['visited for the first time', count(tally.first)],
  ['visited again, the window has passed', count(tally.again)],
  ['skipped, false positive', count(tally.skipped), percent(tally.skipped / absentKeys, 3)],
  ['designed rate', percent(seen.fpr, 3)],
  ['rate of the present content', percent(seen.estimatedFpr, 3)],
  ['periods passed', count(tally.rotations)],
  ['most URLs linked in one period', count(Math.max(...perPeriod))],
  ['URLs per period that it was made for', count(seen.capacity)],
  ['bytes of the filter, always', count(seen.sizeBytes)],
  ['bytes of all URLs ever linked', count(urlBytes)],
]);
