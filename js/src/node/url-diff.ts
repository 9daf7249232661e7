import { parse, requireOutput } from './arguments.js';
import { prefixError, UsageError } from './errors.js';
import { SUCCESS } from './exit-codes.js';
import { describeFigures, figuresOf } from './figures.js';
import { refuseToOverwrite, writeAtomically } from './files.js';
import { escapeControls } from './format.js';
import type { Terminal } from './terminal.js';
import { loadList } from './url-lists.js';

const optionTable = {
  output: { type: 'string', short: 'o' },
  json: { type: 'boolean', default: false },
} as const;

/** `tamis url diff OLD NEW -o FILE`: what makes the list NEW of OLD, written to a file. */
export async function urlDiff(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parse(args, optionTable);
  const [oldPath, newPath, ...more] = positionals;
  if (oldPath === undefined || newPath === undefined || more.length > 0) {
    throw new UsageError('url diff: expected OLD and NEW, which tamis url build wrote');
  }
  const output = requireOutput('url diff', values.output);
  await refuseToOverwrite('-o', output, [oldPath, newPath], terminal);
  const older = await loadList(oldPath);
  const newer = await loadList(newPath);
  const delta = difference();
  const bytes = delta.toBytes();
  await writeAtomically(output, bytes);
  if (values.json) await terminal.printJson({ ...figuresOf(delta, bytes.length), output });
  else {
    const heading = `${output}: from ${oldPath} to ${newPath}`;
    await terminal.print(`${escapeControls(heading)}\n${describeFigures(delta, bytes.length)}`);
  }
  for (const made of [older, newer, delta]) made.dispose();
  return SUCCESS;

  function difference() {
    try {
      return newer.diff(older);
    } catch (error) {
      throw prefixError(`${oldPath} and ${newPath}`, error);
    }
  }
}
