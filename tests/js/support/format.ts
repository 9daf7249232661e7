/** Reads cpp/FORMAT.md and its tables. */
import { readFileSync } from 'node:fs';

export const FORMAT = readFileSync(new URL('../../../cpp/FORMAT.md', import.meta.url), 'utf8');

/** The cells of the table whose header begins with `head`. */
export function table(head: string): string[][] {
  const lines = FORMAT.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${head} |`)) + 2;
  if (start < 2) throw new Error(`FORMAT.md has no table ${head}`);
  const end = lines.findIndex((line, i) => i >= start && !line.startsWith('|'));
  return lines.slice(start, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}
