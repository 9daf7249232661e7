// Figures for people, in columns.

export const count = (value) => value.toLocaleString('en-US');
export const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)} %`;
export const micros = (ms) => `${(1000 * ms).toFixed(2)} us`;

/** Prints a title, and rows of a label and its cells, each column as wide as its widest cell. */
export function printTable(title, rows) {
  const columns = Math.max(...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  console.log(title);
  for (const [label, ...cells] of rows) {
    const padded = cells.map((cell, column) => cell.padStart(widths[column + 1]));
    console.log([label.padEnd(widths[0]), ...padded].join('  '));
  }
}
