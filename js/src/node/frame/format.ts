import { formatCount, pluralize } from '../../disk/index.js';

export { formatCount, pluralize };

/** A size in decimal units, as for disks and networks: `16.5 kB`. From 999,950 on it is `1.0 MB`, not `1000.0 kB`. */
export function formatBytes(size: number): string {
  if (size < 1000) return `${size} B`;
  const unit = size < 999_950 ? 'kB' : size < 999_950_000 ? 'MB' : 'GB';
  return `${(size / { kB: 1e3, MB: 1e6, GB: 1e9 }[unit]).toFixed(1)} ${unit}`;
}

/** A size with its exact number of bytes: `16.5 kB (16,484 bytes)`. */
export const formatSize = (size: number): string =>
  size < 1000 ? formatBytes(size) : `${formatBytes(size)} (${formatCount(size)} bytes)`;

/** A share in per cent with four digits, to compare rates: `1.003 %`. Also `0 %`, `100 %`, and `1.20e-5 %` if tiny. */
export function formatPercent(share: number): string {
  const percent = 100 * share;
  if (percent === 0 || percent >= 99.995) return `${percent.toFixed(0)} %`;
  if (percent < 1e-4) return `${percent.toExponential(2)} %`;
  return `${percent.toPrecision(4)} %`;
}

/** A rate for people: `1.003 % (1 in 100)`. Above a half, `1 in 1` would say nothing, so it is left out. */
export function formatRate(rate: number): string {
  if (rate === 0 || rate > 0.5) return formatPercent(rate);
  const keys = 1 / rate;
  // From 1e15 on, nobody reads all digits.
  const shown =
    keys < 1e15 ? formatCount(Math.round(keys)) : keys.toExponential(1).replace('+', '');
  return `${formatPercent(rate)} (1 in ${shown})`;
}

/** A duration: `12.3 ms`, `2.31 s`. */
export const formatMs = (ms: number): string =>
  ms < 1000 ? `${ms.toFixed(1)} ms` : `${(ms / 1000).toFixed(2)} s`;

export type Row = readonly [label: string, value: string];

/** Formats rows of a label and a value, with all values in one column. */
export function alignRows(rows: readonly Row[]): string {
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows.map(([label, value]) => `  ${label.padEnd(width)}  ${value}\n`).join('');
}

/** Characters that control the terminal, change the direction of text, or are invisible. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

const escapeUnits = (text: string): string =>
  Array.from({ length: text.length }, (_, i) => {
    return `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`;
  }).join('');

/** Escapes characters with which a key could control the terminal, or look like another key, as \xNN and \uNNNN. */
export const escapeControls = (text: string): string =>
  text.replace(HIDDEN, (found) => escapeUnits(found).replace('\\u00', '\\x'));

/** JSON in which the characters of escapeControls are escaped, except its own line breaks. */
export const toJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(HIDDEN, (found) =>
    found === '\n' ? found : escapeUnits(found),
  );
