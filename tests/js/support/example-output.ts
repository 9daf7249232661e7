import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The output of an example: rows with a label and cells, separated by two blanks or more. */
export interface ExampleOutput {
  readonly lines: readonly string[];
  /** The number in a row's cell, without its unit and its thousands separators. */
  figure(label: string, column?: number): number;
}

/** Runs an example as a reader would. Rejects if it fails or writes to standard error. */
export async function runExample(
  name: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<ExampleOutput> {
  const file = fileURLToPath(new URL(`../../../js/examples/${name}`, import.meta.url));
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [file, ...args], {
    env: { ...process.env, NODE_OPTIONS: '', ...env },
  });
  if (stderr !== '') throw new Error(`${name} complains:\n${stderr}`);
  const lines = stdout.trimEnd().split('\n');
  const rows = new Map(lines.map((line) => [line.split('  ')[0], line.split(/ {2,}/).slice(1)]));
  const figure = (label: string, column = 0): number => {
    const cell = rows.get(label)?.[column];
    const digits = /^[\d,]+(\.\d+)?/.exec(cell ?? '')?.[0];
    if (digits === undefined) throw new Error(`no figure '${label}', ${column} in:\n${stdout}`);
    return Number(digits.replaceAll(',', ''));
  };
  return { lines, figure };
}
