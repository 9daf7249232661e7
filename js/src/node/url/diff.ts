import { refuseToOverwrite } from '../files/files.js';
import { writeAndReport } from '../filters/figures.js';
import { figuresAsJson, outputOption } from '../frame/arguments.js';
import { command } from '../frame/command.js';
import { expectAlike, loadList } from './published.js';

export const urlDiff = command({
  usage: 'url diff OLD NEW -o FILE',
  summary: 'writes the change from one list to another',
  about: 'Writes a delta to FILE: the change from the list OLD to the list NEW.',
  operands: {
    'OLD, NEW': 'lists that tamis url build wrote, with the same --rule and --prefix-bytes',
  },
  expected: [2, 2, 'OLD and NEW, which tamis url build wrote'],
  options: { output: outputOption, json: figuresAsJson },
  notes: ['tamis url publish makes its own deltas.'],
  async run({ output, json }, [oldPath, newPath]: readonly [string, string], terminal) {
    await refuseToOverwrite('-o', output, [oldPath, newPath], terminal);
    const older = await loadList(oldPath);
    const newer = await loadList(newPath);
    expectAlike(oldPath, older, newPath, newer);
    const delta = newer.diff(older);
    const heading = `${output}: from ${oldPath} to ${newPath}`;
    await writeAndReport(delta, output, { json, heading, more: { output } }, terminal);
    for (const list of [older, newer]) list.dispose();
  },
});
