// The client's half. It loads the bytes that the server wrote, looks up, and prints the results. The lists are
// here only to check the answers: the filter comes from its bytes alone.
//
//   node js/examples/blocklist-client.mjs FOLDER [ABSENT]          (default: a million)
//
// The exit code is 0 only if every check holds. The output names each check that fails.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { init } from 'tamis';
import { absentHosts } from './absent-hosts.mjs';
import { binomialInterval } from './binomial.mjs';
import { classes, FPR, fileOf, legitimateHosts, lists } from './blocklist-lists.mjs';
import { examineUrls, urlChecksOf, urlRows } from './blocklist-urls.mjs';

const CHUNK = 5_000;
// The probability, on either side, that a right filter is refused here.
const ALPHA = 1e-9;

const [folder, number = '1000000'] = process.argv.slice(2);
const ABSENT_KEYS = Number(number);
if (folder === undefined) throw new Error('expected the FOLDER that the server wrote to');
const buildMs = JSON.parse(readFileSync(join(folder, 'build-ms.json'), 'utf8'));

/** The number of false positives, and the time of a look-up, each way. */
function lookUpAbsent(filter, listed) {
  const asked = { count: 0, positives: 0, differing: 0, hasMs: 0, hasManyMs: 0 };
  // Absent keys that are on the list are replaced, so that exactly ABSENT_KEYS are looked up.
  for (let from = 0; asked.count < ABSENT_KEYS; from += CHUNK) {
    const batch = absentHosts(from, from + CHUNK, listed).slice(0, ABSENT_KEYS - asked.count);
    let start = performance.now();
    const answers = filter.hasMany(batch);
    asked.hasManyMs += performance.now() - start;

    const again = absentHosts(from, from + CHUNK, listed).slice(0, batch.length);
    const single = new Uint8Array(again.length);
    start = performance.now();
    for (let i = 0; i < again.length; i++) single[i] = filter.has(again[i]) ? 1 : 0;
    asked.hasMs += performance.now() - start;

    asked.count += batch.length;
    asked.positives += answers.reduce((sum, answer) => sum + answer, 0);
    asked.differing += answers.filter((answer, i) => answer !== single[i]).length;
  }
  return asked;
}

/** Loads one filter, and looks up all keys. */
function examine(list, Class) {
  const { title, keys } = list;
  const file = fileOf(list, Class);
  const bytes = readFileSync(join(folder, file));
  const start = performance.now();
  const filter = Class.fromBytes(bytes);
  const loadMs = performance.now() - start;

  const listed = new Set(keys);
  // A few hosts are on both lists of the package, and a member cannot be a false positive.
  const legitimate = legitimateHosts.filter((host) => !listed.has(host));
  return {
    title,
    className: Class.name,
    filter,
    bytes,
    loadMs,
    buildMs: buildMs[file],
    keys: keys.length,
    falseNegatives: keys.filter((key) => !filter.has(key)).length,
    falseNegativesOfMany: filter.hasMany(keys).filter((answer) => answer === 0).length,
    absentKeys: lookUpAbsent(filter, listed),
    interval: binomialInterval(ABSENT_KEYS, filter.estimatedFpr, ALPHA),
    legitimate: legitimate.length,
    legitimatePositives: legitimate.filter((host) => filter.has(host)).length,
    legitimateInterval: binomialInterval(legitimate.length, filter.estimatedFpr, ALPHA),
  };
}

const within = (count, { low, high }) => low <= count && count <= high;

/** Every check, by the sentence that it proves. */
function checksOf(report) {
  const { filter } = report;
  return {
    'no false negative, asked with has': report.falseNegatives === 0,
    'no false negative, asked with hasMany': report.falseNegativesOfMany === 0,
    'has and hasMany agree': report.absentKeys.differing === 0,
    'the designed rate is not above what was asked for': filter.fpr <= FPR,
    'absent keys: the rate is inside its binomial interval': within(
      report.absentKeys.positives,
      report.interval,
    ),
    'legitimate hosts: the rate is inside its binomial interval': within(
      report.legitimatePositives,
      report.legitimateInterval,
    ),
    'toBytes gives the bytes that were loaded': report.bytes.equals(filter.toBytes()),
  };
}

const count = (value) => value.toLocaleString('en-US');
const percent = (rate) => `${(100 * rate).toFixed(3)} %`;
const share = (rate) => (100 * rate).toFixed(3);
const ms = (value) => `${value.toFixed(2)} ms`;
const nsEach = (value) => `${((1e6 * value) / ABSENT_KEYS).toFixed(0)} ns`;

const rows = [
  ['filter', (r) => r.className],
  ['keys', (r) => count(r.keys)],
  ['bytes', (r) => count(r.bytes.length)],
  ['bits per key', (r) => ((8 * r.bytes.length) / r.keys).toFixed(2)],
  ['build (server)', (r) => ms(r.buildMs)],
  ['load (client)', (r) => ms(r.loadMs)],
  ['look-up, has(host)', (r) => nsEach(r.absentKeys.hasMs)],
  ['look-up, hasMany(hosts), each', (r) => nsEach(r.absentKeys.hasManyMs)],
  ['false negatives', (r) => count(r.falseNegatives)],
  ['absent keys looked up', (r) => count(r.absentKeys.count)],
  ['  answered "probably listed"', (r) => count(r.absentKeys.positives)],
  ['  observed false-positive rate', (r) => percent(r.absentKeys.positives / r.absentKeys.count)],
  ['  designed false-positive rate', (r) => percent(r.filter.fpr)],
  ['  expected of this filter', (r) => percent(r.filter.estimatedFpr)],
  [
    '  interval *',
    (r) => `${share(r.interval.low / ABSENT_KEYS)} to ${percent(r.interval.high / ABSENT_KEYS)}`,
  ],
  ['legitimate hosts asked', (r) => count(r.legitimate)],
  ['  answered "probably listed"', (r) => count(r.legitimatePositives)],
  ['  interval *', ({ legitimateInterval: { low, high } }) => `${low} to ${high} hosts`],
];

function printTable(reports, rows) {
  const label = Math.max(...rows.map(([name]) => name.length));
  const line = (name, cells) =>
    console.log(name.padEnd(label) + cells.map((cell) => cell.padStart(20)).join(''));
  line(
    '',
    reports.map(({ title }) => title),
  );
  for (const [name, cell] of rows) line(name, reports.map(cell));
}

/** Names each check that does not hold. */
function judge(what, checks) {
  for (const [sentence, holds] of Object.entries(checks)) {
    if (holds) continue;
    console.error(`FAILED: ${what}: ${sentence}`);
    process.exitCode = 1;
  }
}

/** The result in one sentence: the list as text, its smallest filter, and the answers. */
function summarize({ keys }, { bytes, falseNegatives, absentKeys: { positives, count: asked } }) {
  const kilobytes = (size) => `${Math.round(size / 1000)} kB`;
  const text = Buffer.byteLength(keys.join('\n'));
  const rate = `${((100 * positives) / asked).toFixed(2)} % false positives`;
  const sizes = `${kilobytes(text)} -> ${kilobytes(bytes.length)}`;
  return `${count(keys.length)} hosts: ${sizes}, ${falseNegatives} missed, ${rate}`;
}

// A program need not call this. Here it keeps the start of WebAssembly out of the first load's time.
await init();
const reports = lists.flatMap((list) => classes.map((Class) => examine(list, Class)));
const urlReports = lists.map((list) => examineUrls(list, folder, ALPHA));
printTable(reports, rows);
console.log('\nThe same lists for URLs, with UrlList:');
printTable(urlReports, urlRows);
console.log(`* exact binomial, for the rate expected, alpha = ${ALPHA} on either side`);
for (const report of reports) judge(`${report.title}, ${report.className}`, checksOf(report));
for (const report of urlReports) judge(`${report.title}, UrlList`, urlChecksOf(report));
if (!process.exitCode) {
  console.log('\nAll checks hold. To see it in a browser: npm run demo\n');
  console.log(
    summarize(
      lists[0],
      reports.find(({ className }) => className === 'RibbonFilter'),
    ),
  );
}
