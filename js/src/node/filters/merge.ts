import type { Structure } from 'tamis';
import { loadStructure, refuseToOverwrite } from '../files/files.js';
import { figuresAsJson, outputOption, readSecret, secretOption } from '../frame/arguments.js';
import { command } from '../frame/command.js';
import { CommandError, tellAbout } from '../frame/errors.js';
import { formatCount } from '../frame/format.js';
import { writeAndReport } from './figures.js';

interface Mergeable extends Structure {
  merge(other: Structure): unknown;
}

const isMergeable = (structure: Structure): structure is Mergeable => 'merge' in structure;

export const merge = command({
  usage: 'merge A B... -o FILE',
  summary: 'writes the union of filters with equal options',
  about: 'Writes the union of filters to FILE: a filter with the keys of all of them.',
  operands: {
    'A B...': 'two or more files of one type: bloom, blocked-bloom, counting-bloom, bit-array',
  },
  expected: [2, Infinity, 'two or more files, which tamis build or toBytes wrote'],
  options: {
    output: { ...outputOption, help: `${outputOption.help}; it may be one of A B...` },
    'secret-file': { ...secretOption, help: 'the file with the secret of all the filters' },
    json: figuresAsJson,
  },
  notes: [
    'Filters need the same --type, --capacity, --fpr, --seed, --secret-file and --scheme. Build each with the capacity of the union. A warning says if the union contains more keys than that.',
  ],
  async run(values, [first, ...others]: readonly [string, ...string[]], terminal) {
    const { output, 'secret-file': secretFile, json } = values;
    // The output may be one of the inputs, because it will contain all their keys.
    await refuseToOverwrite('-o', output, [secretFile], terminal);
    const secret = await readSecret(secretFile);
    const { structure: union } = await loadStructure(first, secret);
    if (!isMergeable(union)) {
      const { type } = union;
      throw new CommandError(
        `${first}: ${type} cannot be merged: tamis merge --help says what can`,
      );
    }
    for (const path of others) {
      const { structure } = await loadStructure(path, secret);
      // The error says "here" and "there", so the names must be in this order.
      await tellAbout(`${first} and ${path}`, () => union.merge(structure));
      structure.dispose();
    }
    const files = 1 + others.length;
    const heading = `${output}: the union of ${formatCount(files)} files`;
    const more = { output, files };
    await writeAndReport(union, output, { json, heading, path: output, more }, terminal);
  },
});
