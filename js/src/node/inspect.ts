import { BitArray, BloomFilter, type Structure } from 'tamis';
import { parse, parseRange, readKeyOption } from './arguments.js';
import { CommandError, UsageError } from './errors.js';
import { SUCCESS } from './exit-codes.js';
import { describeFigures, figuresOf, overfullWarning } from './figures.js';
import { loadStructure } from './files.js';
import { escapeControls } from './format.js';
import type { Terminal } from './terminal.js';

const optionTable = {
  bits: { type: 'string' },
  'key-file': { type: 'string' },
  json: { type: 'boolean', default: false },
} as const;

/** `tamis inspect FILE`: what a file holds, and with --bits a stretch of its bits. */
export async function inspect(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parse(args, optionTable);
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0) {
    throw new UsageError('inspect: expected one FILE, which tamis build or toBytes wrote');
  }
  const { structure, fileBytes } = await loadStructure(
    path,
    await readKeyOption(values['key-file']),
  );
  const range = values.bits === undefined ? undefined : rangeOf(structure, values.bits, path);
  const warning = overfullWarning(structure);
  const overfull = warning !== undefined;
  if (values.json) {
    const bits = range && { bitsFrom: range.from, bitsTo: range.to, bitString: range.text };
    await terminal.printJson({ ...figuresOf(structure, fileBytes), overfull, ...bits });
  } else {
    await terminal.print(`${escapeControls(path)}\n${describeFigures(structure, fileBytes)}`);
    if (range) await terminal.print(`\n${layOut(range)}`);
  }
  if (warning) terminal.complain(`${path}: ${warning}`);
  structure.dispose();
  return SUCCESS;
}

interface BitRange {
  readonly from: number;
  readonly to: number;
  /** The bits from..to-1 as `0` and `1`. */
  readonly text: string;
}

function rangeOf(structure: Structure, option: string, path: string): BitRange {
  if (structure instanceof BloomFilter) {
    const { from, to } = parseRange(option, structure.bits);
    return { from, to, text: structure.toBitString(from, to) };
  }
  if (structure instanceof BitArray) {
    const { from, to } = parseRange(option, structure.length);
    const bits = Array.from({ length: to - from }, (_, i) => Number(structure.has(from + i)));
    return { from, to, text: bits.join('') };
  }
  throw new CommandError(
    `${path}: --bits: shows the bits of a bloom or a bit-array, not of this type, ${structure.type}`,
  );
}

const GROUP = 8;
const GROUPS_PER_ROW = 8;

/** Rows of 64 bits in groups of eight, each row after the index of its first bit. */
function layOut({ from, to, text }: BitRange): string {
  const width = String(to).length;
  const rows: string[] = [];
  const perRow = GROUP * GROUPS_PER_ROW;
  for (let at = 0; at < text.length; at += perRow) {
    const row = text.slice(at, at + perRow).replace(/.{8}(?=.)/g, '$& ');
    rows.push(`  ${String(from + at).padStart(width)}  ${row}\n`);
  }
  return rows.join('');
}
