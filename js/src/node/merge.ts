import type { Structure } from 'tamis';
import { parse, readKeyOption, requireOutput } from './arguments.js';
import { CommandError, prefixError, UsageError } from './errors.js';
import { SUCCESS } from './exit-codes.js';
import { describeFigures, figuresOf, overfullWarning } from './figures.js';
import { loadStructure, refuseToOverwrite, writeAtomically } from './files.js';
import { escapeControls, formatCount } from './format.js';
import type { Terminal } from './terminal.js';

const optionTable = {
  output: { type: 'string', short: 'o' },
  'key-file': { type: 'string' },
  json: { type: 'boolean', default: false },
} as const;

interface Mergeable extends Structure {
  merge(other: Structure): unknown;
}

const isMergeable = (structure: Structure): structure is Mergeable => 'merge' in structure;

/** `tamis merge A B... -o FILE`: the union of structures of one kind, written to a file. */
export async function merge(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parse(args, optionTable);
  const [first, ...others] = positionals;
  if (first === undefined || others.length === 0) {
    throw new UsageError('merge: expected two or more files, which tamis build or toBytes wrote');
  }
  const output = requireOutput('merge', values.output);
  // One of the files that are merged it may be: their keys are in it afterwards.
  await refuseToOverwrite('-o', output, [values['key-file']], terminal);
  const key = await readKeyOption(values['key-file']);
  const { structure: union } = await loadStructure(first, key);
  if (!isMergeable(union)) {
    const { type } = union;
    throw new CommandError(`${first}: ${type} cannot be merged: tamis merge --help says what can`);
  }
  for (const path of others) {
    const { structure } = await loadStructure(path, key);
    try {
      union.merge(structure);
    } catch (error) {
      // The error says what is "here" and what "there": in this order.
      throw prefixError(`${first} and ${path}`, error);
    }
    structure.dispose();
  }
  const bytes = union.toBytes();
  await writeAtomically(output, bytes);
  const warning = overfullWarning(union);
  const overfull = warning !== undefined;
  if (values.json) {
    await terminal.printJson({
      ...figuresOf(union, bytes.length),
      overfull,
      output,
      files: positionals.length,
    });
  } else {
    const heading = `${output}: the union of ${formatCount(positionals.length)} files`;
    await terminal.print(`${escapeControls(heading)}\n${describeFigures(union, bytes.length)}`);
  }
  if (warning) terminal.complain(`${output}: ${warning}`);
  union.dispose();
  return SUCCESS;
}
