// Figures as people read them, in tables of Markdown.

export const number = (value, digits = 0) =>
  value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
const digitsOf = (value, unit) => {
  if (unit === 'ns') return value < 50 ? 1 : 0;
  return value >= 100 ? 0 : value >= 10 ? 1 : 2;
};
export const time = (value, unit = 'ns') => number(value, digitsOf(value, unit));
export const percent = (value) => `${number(value * 100, 3)} %`;
export const kB = (bytes) => `${number(bytes / 1000, 1)} kB`;

/** `1.8x`: how many times the other figure this is. */
export const ratio = (value, own) => `${number(value / own, value / own < 10 ? 1 : 0)}x`;

export function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Where and when a part was measured. */
export const origin = ({ cpu, runtime, date, commit }) =>
  [cpu, runtime, date.slice(0, 10), `commit ${commit.slice(0, 12)}.`].filter(Boolean).join(', ');
