// Formats figures for Markdown tables and for saved results.

export const number = (value, digits = 0) =>
  value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
const digitsOf = (value, unit) => {
  if (unit === 'ns') return value < 50 ? 1 : 0;
  return value >= 100 ? 0 : value >= 10 ? 1 : 2;
};
export const time = (value, unit = 'ns') => number(value, digitsOf(value, unit));
export const percent = (value) => `${number(value * 100, 3)} %`;
export const kB = (bytes) => `${number(bytes / 1000, 1)} kB`;

/** `1.8x`: the figure as a multiple of the other. */
export const ratio = (value, own) => `${number(value / own, value / own < 10 ? 1 : 0)}x`;

/**
 * `12 (13), 1.2x`: the minimum, the median (unless `brief`), and the minimum as a multiple of the base's minimum for
 * the same measure or for `of`.
 */
export function cell({ times }, measure, { unit = 'ns', base, of = measure, brief = false } = {}) {
  if (times[measure] === undefined) return '-';
  const [min, median] = times[measure];
  const text = time(min, unit) + (brief ? '' : ` (${time(median, unit)})`);
  const other = base?.times[of];
  return other === undefined || other === times[measure]
    ? text
    : `${text}, ${ratio(min, other[0])}`;
}

export function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** The machine and the day on which a part ran. */
export const origin = ({ cpu, runtime, date, commit }) =>
  [cpu, runtime, date.slice(0, 10), `commit ${commit.slice(0, 12)}.`].filter(Boolean).join(', ');

/** The depth of nested objects and lists. A list of numbers counts as a single figure. */
function depthOf(value) {
  if (typeof value !== 'object' || value === null) return 0;
  const depth = Math.max(0, ...Object.values(value).map(depthOf));
  return Array.isArray(value) && depth === 0 ? 0 : depth + 1;
}

/** JSON with one line per row, where a row is an object of figures or an element of a list. */
export function writeRows(value, indent = '') {
  if (indent !== '' && depthOf(value) <= 1) return JSON.stringify(value);
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const lines = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => {
      return `${inner}${isList ? '' : `${JSON.stringify(name)}: `}${writeRows(member, inner)}`;
    });
  const [open, close] = isList ? '[]' : '{}';
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}
