// The tables of what differs by engine: wasm beside C++, browsers, and the time to a first answer.

import { number, origin, table, time } from './format.mjs';

export function ratioTable(results) {
  const cellOf = ({ wasm, native }) =>
    `${number(wasm, 1)} / ${number(native, 1)} = ${number(wasm / native, 2)}`;
  const rows = results.rows.map(({ label, hit, miss }) => [label, cellOf(hit), cellOf(miss)]);
  return (
    `${table(['wasm / native, ns per key', 'present', 'absent'], rows)}\n\n` +
    `\`hasHashes\` of ${number(results.keys)} keys, with its way into WebAssembly and back, against the same in C++ ` +
    `(g++ -O3). Minima. ${origin({ ...results, runtime: undefined })}`
  );
}

/** One line a type and size, one column an operation. */
export function native({ rows }) {
  const lines = new Map();
  for (const { subject, operation, keys, ns } of rows) {
    const name = `${subject}, ${number(keys)}`;
    lines.set(name, { ...lines.get(name), [operation]: number(ns.min, 1) });
  }
  const shown = [...new Set(rows.map(({ operation }) => operation))];
  return table(
    ['ns per key, minimum', ...shown],
    [...lines].map(([name, cells]) => [name, ...shown.map((operation) => cells[operation] ?? '-')]),
  );
}

const ACTS = {
  has: '`has(string)`',
  add: '`add(string)`',
  many: '`hasMany(strings)`',
  from: '`from(strings)`',
};
const SCRIPTS = { ascii: '', latin: ' of Latin-1', cjk: ' of CJK', mixed: ', 1 % of Latin-1' };
const PEERS = ['bloomfilter', 'set', 'bloom-filters'];

/** One row an act and kind of string, one column an engine: tamis, and the others as multiples of it. */
function perEngine({ engines }, names) {
  const multiple = (other, own) => (other ? number(other.min / own.min, 2) : '-');
  const rows = Object.keys(engines[0].times).map((row) => row.split(' '));
  const acts = Object.keys(ACTS);
  rows.sort(([one], [other]) => acts.indexOf(one) - acts.indexOf(other));
  return table(
    ['ns per string', ...engines.map(({ name }) => name)],
    rows.map(([act, length, script]) => [
      `${ACTS[act]}, ${length} characters${SCRIPTS[script]}`,
      ...engines.map(({ times }) => {
        const { tamis, ...others } = times[`${act} ${length} ${script}`];
        const shown = names.some((name) => others[name]) ? names : [];
        return [time(tamis.min), ...shown.map((name) => multiple(others[name], tamis))].join(' / ');
      }),
    ]),
  );
}

/** tamis and its peers, by engine. */
export const engineTable = (results) =>
  `${perEngine(results, PEERS)}\n\n` +
  'tamis, and npm `bloomfilter` / `Set` / npm `bloom-filters` as multiples of it; a dash: it has no such thing. ' +
  `Minima of ${results.rounds} interleaved rounds. ${origin(results)}`;

/** What browsers shows beside the peers, where that was measured. */
const ALSO_MEASURED = { 'tamis/read': '`tamis/read`', before: 'the build before it' };

/** The same; and tamis beside its reader, and beside the build before it. */
export function browsers(results) {
  const rows = Object.values(results.engines[0].times);
  const tables = Object.entries(ALSO_MEASURED)
    .filter(([name]) => rows.some((row) => row[name]))
    .map(([name, what]) => `tamis, and ${what} as a multiple:\n\n${perEngine(results, [name])}`);
  return [engineTable(results), ...tables].join('\n\n');
}

/** Milliseconds to the first answer: tamis, and the build before it as a multiple. */
export function startup(results) {
  const { engines, rounds } = results;
  const cellOf = ({ tamis, before }) =>
    `${number(tamis.min, 1)} (${number(tamis.median, 1)})${before ? ` / ${number(before.min / tamis.min, 2)}` : ''}`;
  const names = Object.keys(engines[0].times);
  return (
    `${table(
      ['ms to the first answer', ...engines.map(({ name }) => name)],
      names.map((name) => [`\`${name}\``, ...engines.map(({ times }) => cellOf(times[name]))]),
    )}\n\n` +
    `Minimum (median) of ${rounds} fresh processes or pages; where it was measured, the build before as a ` +
    `multiple. ${origin(results)}`
  );
}
