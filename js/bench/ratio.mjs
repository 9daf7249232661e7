// The last part: what WebAssembly costs. Look-ups by hashes that are in hand, of what the other parts and
// bench:native saved: all three are to be run on one machine, one after the other.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DYNAMIC, labelOf as dynamicLabel } from './dynamic-contenders.mjs';
import { figureTable, number, table } from './report.mjs';
import { environment, finish, HERE } from './run.mjs';
import { STATIC, labelOf as staticLabel } from './static-contenders.mjs';

const BOUND = 1.6;
const KEYS = 1_000_000;

/** A contender of another part, and what cpp/bench calls the same. */
const PAIRS = [
  ['static', 'fuse8', 'binary-fuse/8-bit/4-wise'],
  ['static', 'fuse8-3', 'binary-fuse/8-bit/3-wise'],
  ['static', 'ribbon8', 'ribbon/8-bit'],
  ['static', 'ribbon16', 'ribbon/16-bit'],
  ['static', 'exact', 'exact'],
  ...Object.keys(DYNAMIC)
    .filter((name) => DYNAMIC[name].part === 'filter')
    .filter((name) => !['cuckoo-12', 'scalable-grown', 'rotating-bloom'].includes(name))
    .map((name) => ['dynamic', name, name]),
];

const savedIn = (part) => {
  const file = join(HERE, 'results', `${part}.json`);
  if (!existsSync(file)) throw new Error(`${part}.json is not there: run that part first`);
  return JSON.parse(readFileSync(file, 'utf8'));
};

/** The C++ at its best: one by one, or in a batch, which is what hasHashes is. */
function nativeTime(rows, subject, operation) {
  const times = rows
    .filter((row) => row.subject === subject && row.keys === KEYS)
    .filter((row) => [operation, `batch-${operation}`].includes(row.operation))
    .map(({ ns }) => ns.min);
  if (times.length === 0) throw new Error(`native.json has no ${subject}/${operation}`);
  return Math.min(...times);
}

export function ratioTable({ rows, cpu, date, commit }) {
  const cell = ({ wasm, native }) =>
    `${number(wasm, 1)} / ${number(native, 1)} = ${number(wasm / native, 2)}`;
  return (
    `${table(
      ['wasm / native, ns per key', 'present', 'absent'],
      rows.map(({ label, hit, miss }) => [label, cell(hit), cell(miss)]),
    )}\n\n` +
    `\`hasHashes\` of ${number(KEYS, 0)} keys, with its way into WebAssembly and back, against the same in C++ ` +
    `(g++ -O3). Minima. ${cpu}, ${date.slice(0, 10)}, commit ${commit.slice(0, 12)}.`
  );
}

export async function runRatio({ out }) {
  const saved = { static: savedIn('static'), dynamic: savedIn('dynamic') };
  const { rows: natives } = savedIn('native');
  const rows = PAIRS.map(([part, name, subject]) => {
    const { times } = saved[part].contenders[name];
    const label = part === 'static' ? staticLabel(STATIC[name]) : dynamicLabel(DYNAMIC[name]);
    const both = (measure, operation) => ({
      wasm: times[measure].min,
      native: nativeTime(natives, subject, operation),
    });
    return { label, hit: both('hashedHit', 'hit'), miss: both('hashedMiss', 'miss') };
  });
  const figures = rows.flatMap(({ label, hit, miss }) =>
    Object.entries({ present: hit, absent: miss }).map(([word, { wasm, native }]) => ({
      what: `${label.replaceAll('`', '')}: hasHashes, ${word}, wasm / native`,
      bound: `<= ${BOUND}`,
      got: number(wasm / native, 2),
      reached: wasm / native <= BOUND,
    })),
  );
  const { clock: _clock, ...where } = environment();
  const results = { ...where, keys: KEYS, rows, figures };
  process.stdout.write(`${ratioTable(results)}\n\n${figureTable(figures)}\n\n`);
  finish(results, out);
}
