// The tables of figures that differ by engine: wasm beside C++, browsers, and the time to a first answer.

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

/** One line for each type and size, one column for each operation. */
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

/** One row for each act and kind of string, one column for each engine: `own`, and the others as its multiples. */
function perEngine({ engines }, own, names) {
  const multiple = (other, base) => (other ? number(other.min / base.min, 2) : '-');
  const { times: first } = engines[0];
  const rows = Object.keys(first).filter((row) => first[row][own]);
  const acts = Object.keys(ACTS);
  const actOf = (row) => acts.indexOf(row.split(' ')[0]);
  rows.sort((one, other) => actOf(one) - actOf(other));
  const labelOf = (row) => {
    const [act, length, script, keys] = row.split(' ');
    const some = keys === '1000000' ? '' : `, ${number(Number(keys))} keys`;
    return `${ACTS[act]}, ${length} characters${SCRIPTS[script]}${some}`;
  };
  return table(
    ['ns per string', ...engines.map(({ name }) => name)],
    rows.map((row) => [
      labelOf(row),
      ...engines.map(({ times }) => {
        const { [own]: base, ...others } = times[row];
        const shown = names.some((name) => others[name]) ? names : [];
        return [time(base.min), ...shown.map((name) => multiple(others[name], base))].join(' / ');
      }),
    ]),
  );
}

/** tamis and its peers, by engine, and its reader beside the quickest peer. */
export const engineTable = (results) =>
  `${perEngine(results, 'tamis', PEERS)}\n\n` +
  'tamis, and npm `bloomfilter` / `Set` / npm `bloom-filters` as multiples of it; a dash: it has no such thing.\n\n' +
  `${perEngine(results, 'tamis/read', ['bloomfilter'])}\n\n` +
  '`tamis/read`, and npm `bloomfilter` as a multiple of it. ' +
  `Filters of 1,000,000 keys. Minima of ${results.rounds} interleaved rounds. ${origin(results)}`;

/** The same tables, and tamis beside the build before it, if that was measured. */
export function browsers(results) {
  const isCompared = Object.values(results.engines[0].times).some(({ before }) => before);
  if (!isCompared) return engineTable(results);
  const compared = perEngine(results, 'tamis', ['before']);
  return `${engineTable(results)}\n\ntamis, and the build before it as a multiple:\n\n${compared}`;
}

/** Milliseconds to the first answer, and those of the build before as a multiple. */
export function startup(results) {
  const { engines, rounds } = results;
  const cellOf = ({ now, before }) =>
    `${number(now.min, 1)} (${number(now.median, 1)})${before ? ` / ${number(before.min / now.min, 2)}` : ''}`;
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
