import { extname } from 'node:path';
import { refuseToOverwrite } from '../files/files.js';
import { figuresAsJson, outputOption } from '../frame/arguments.js';
import { command } from '../frame/command.js';
import { UsageError } from '../frame/errors.js';
import { writeAndReport } from './figures.js';
import {
  chunkedFormats,
  contentFor,
  foreignOf,
  formatOptions,
  fromOption,
  loadFrom,
  OWN_FORMAT,
  toOption,
} from './formats.js';

export const convert = command({
  usage: 'convert IN -o OUT',
  summary: 'reads and writes filters of other programs',
  about: 'Converts a filter from one format to another. Both files give the same answers.',
  operands: { IN: 'the file to read, which stays as it is' },
  expected: [1, 1, 'one IN, a file'],
  options: {
    output: outputOption,
    from: fromOption,
    to: toOption,
    chunks: { help: `writes ${chunkedFormats.join(' or ')} as JSON chunks for LOADCHUNK` },
    json: figuresAsJson,
    ...formatOptions,
  },
  notes: [
    'A filter holds no keys. So it keeps its hash, and only formats that share the hash can be converted into each other. For another hash, add the keys to a new filter: tamis build --scheme has the hashes of most formats.',
    `A file of ${chunkedFormats.join(' or ')} is the header followed by the tables, or JSON. The JSON is an array of [iterator, base64], or such a pair on each line. If the name of the output ends with .json, tamis writes such an array, or with --to go the JSON of Go.`,
    'Some filters can be looked up, but not written as tamis files: cuckoo and binary-fuse filters of other programs, and redisbloom filters of several layers. For these, use tamis check --from.',
  ],
  async run(values, [path]: readonly [string], terminal) {
    const { output, from, to, json, chunks } = values;
    if (from === OWN_FORMAT && to === OWN_FORMAT) {
      throw new UsageError('convert: expected --from FORMAT or --to FORMAT');
    }
    if (chunks && !chunkedFormats.includes(to)) {
      const owners = chunkedFormats.join(', ');
      throw new UsageError(`--chunks works only with --to ${owners}, not ${to}`);
    }
    await refuseToOverwrite('-o', output, [path], terminal);
    const source = await loadFrom(path, values);
    const asJson = chunks || extname(output).toLowerCase() === '.json';
    const bytes = contentFor(source, to, asJson);
    const heading = `${output}: ${path}, from ${from} to ${to}`;
    const foreign = foreignOf(source, to);
    const options = { json, heading, path: output, more: { output, from, to }, foreign };
    await writeAndReport(source.structure, output, options, terminal, bytes);
  },
});
