import type { Structure } from 'tamis';
import { figuresAsJson, keyOption, outputOption, readSipKey, requireOutput } from './arguments.js';
import { command } from './command.js';
import { CommandError, prefixError } from './errors.js';
import { SUCCESS } from './exit-codes.js';
import { report } from './figures.js';
import { loadStructure, refuseToOverwrite, writeAtomically } from './files.js';
import { formatCount } from './format.js';

interface Mergeable extends Structure {
  merge(other: Structure): unknown;
}

type Paths = readonly [string, ...string[]];

const isMergeable = (structure: Structure): structure is Mergeable => 'merge' in structure;

/** `tamis merge A B... -o FILE`: the union of structures of one kind, written to a file. */
export const merge = command({
  usage: 'merge A B... -o FILE',
  summary: 'the union of filters that were made alike',
  operands: {
    'A B...':
      'two or more files of one type that can be merged: bloom, blocked-bloom, counting-bloom, bit-array; made alike: size, hash, seed, key, scheme',
  },
  expected: [2, Infinity, 'two or more files, which tamis build or toBytes wrote'],
  options: {
    output: { ...outputOption, help: `${outputOption.help}; may be one of them` },
    'key-file': { ...keyOption, help: 'the secret key that all of them were built with' },
    json: figuresAsJson,
  },
  notes: [
    'A filter is made alike by the same --type, --capacity, --fpr and --seed. The union holds the keys of all: make each with the capacity of the whole. Warns as inspect does.',
  ],
  async run({ output: given, 'key-file': keyFile, json }, paths: Paths, terminal) {
    const output = requireOutput('merge', given);
    // One of the files that are merged it may be: their keys are in it afterwards.
    await refuseToOverwrite('-o', output, [keyFile], terminal);
    const union = await unionOf(paths, await readSipKey(keyFile));
    const bytes = union.toBytes();
    await writeAtomically(output, bytes);
    const files = paths.length;
    const heading = `${output}: the union of ${formatCount(files)} files`;
    const own = { json, fileBytes: bytes.length, heading, path: output, more: { output, files } };
    await report(union, own, terminal);
    union.dispose();
    return SUCCESS;
  },
});

async function unionOf(
  [first, ...others]: Paths,
  sipKey: Uint8Array | undefined,
): Promise<Structure> {
  const { structure: union } = await loadStructure(first, sipKey);
  if (!isMergeable(union)) {
    const { type } = union;
    throw new CommandError(`${first}: ${type} cannot be merged: tamis merge --help says what can`);
  }
  for (const path of others) {
    const { structure } = await loadStructure(path, sipKey);
    try {
      union.merge(structure);
    } catch (error) {
      // The error says what is "here" and what "there": in this order.
      throw prefixError(`${first} and ${path}`, error);
    }
    structure.dispose();
  }
  return union;
}
