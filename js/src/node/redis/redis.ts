import { BlockedBloomFilter } from 'tamis';
import { RedisFilter, type RedisFilterOptions } from 'tamis/redis';
import { loadStructure, refuseToOverwrite } from '../files/files.js';
import { encodeList, encodingOf, textOptions } from '../files/key-encodings.js';
import { listOptions, openList } from '../files/lists.js';
import {
  answerKeys,
  checkStandardInput,
  keyAnswerOptions,
  keyExitCodes,
  keyOperand,
} from '../files/questions.js';
import { writeAndReport } from '../filters/figures.js';
import {
  countOption,
  figuresAsJson,
  outputOption,
  rateOption,
  readSecret,
  seedOption,
} from '../frame/arguments.js';
import { command, dropUndefined, type ValuesOf } from '../frame/command.js';
import { CommandError, codeOf, prefixError, toUsageError } from '../frame/errors.js';
import { formatCount, formatRate, formatSize, pluralize } from '../frame/format.js';
import type { Terminal } from '../frame/terminal.js';
import { connectTo, redisOptions } from './connection.js';

const nameHelp = 'the name of the filter in Redis';

const shardOption = { shard: countOption('the shard, from 0 on, of a filter that has several') };

/** True if `open` found no filter of this name: for a wrong name or option, it throws a RangeError. */
const isOfAbsence = (error: unknown): error is Error =>
  codeOf(error) === 'ERR_TAMIS_INVALID_OPTION' && (error as Error).name === 'TypeError';

/** Calls `act` with the filter of this name, and closes the connection. */
async function withFilter<T>(
  name: string,
  values: ValuesOf<typeof redisOptions>,
  options: RedisFilterOptions,
  act: (filter: RedisFilter) => Promise<T>,
): Promise<T> {
  const secret = await readSecret(values['secret-file']);
  const { client, close } = await connectTo(values);
  try {
    const wanted = { ...options, ...(secret && { secret }) };
    const filter = await RedisFilter.open(client, name, wanted).catch((error) => {
      if (!isOfAbsence(error)) throw toUsageError(error);
      const way = 'tamis redis load with --capacity makes one';
      throw new CommandError(`${name}: Redis has no filter of this name; ${way}`, { cause: error });
    });
    return await act(filter);
  } finally {
    close();
  }
}

function show(
  filter: RedisFilter,
  heading: string,
  { json, more }: { readonly json: boolean; readonly more: object },
  terminal: Terminal,
): Promise<void> {
  const { capacity, fpr, shards, sizeBytes, hash, seed } = filter.figures;
  return terminal.printFigures(json, { ...filter.toJSON(), ...more }, heading, [
    ['capacity', pluralize(capacity, 'key')],
    ['memory', formatSize(sizeBytes)],
    ['shards', formatCount(shards)],
    ['false positives', `${formatRate(fpr)}, as designed`],
    ['hash', hash],
    ['seed', String(seed)],
  ]);
}

export const redisLoad = command({
  usage: 'redis load LIST NAME',
  summary: 'adds the keys of a list to a filter in Redis',
  about:
    'Adds the keys of a list to a filter in Redis. With --capacity, it makes the filter if there is none.',
  operands: { LIST: 'a key on each line; - is standard input', NAME: nameHelp },
  expected: [2, 2, 'LIST and NAME'],
  options: {
    capacity: countOption('the number of keys to make room for'),
    fpr: rateOption('the rate of false positives (default 0.01)'),
    seed: seedOption('the seed of the hash (default 0)'),
    shards: countOption(
      'the number of strings, which a cluster spreads over its nodes (default: one for each 32 MiB)',
    ),
    ...redisOptions,
    ...textOptions,
    ...listOptions,
    json: figuresAsJson,
  },
  notes: [
    'The program uses the package redis, @redis/client or ioredis of this folder.',
    'The capacity, rate, seed and shards of a filter in Redis cannot be changed. Other values are an error.',
  ],
  async run(values, [path, name]: readonly [string, string], terminal) {
    const { capacity, fpr, seed, shards, json } = values;
    const options = dropUndefined({ capacity, fpr, seed, shards });
    return withFilter(name, values, options, async (filter) => {
      const list = await openList(path, values, terminal);
      let newKeys = 0;
      for await (const keys of encodeList(list, encodingOf(values), terminal, 'adding')) {
        newKeys += await filter.addMany(keys);
      }
      list.warn(terminal);
      const of = `${pluralize(list.keys, 'line')} of ${list.name}`;
      const heading = `${name}: ${of}, ${formatCount(newKeys)} certainly new`;
      const more = { lines: list.keys, isNew: newKeys };
      await show(filter, heading, { json, more }, terminal);
    });
  },
});

export const redisCheck = command({
  usage: 'redis check NAME [KEY...]',
  summary: 'looks keys up in a filter in Redis',
  about: 'Looks keys up in a filter in Redis, and prints an answer for each.',
  operands: { NAME: nameHelp, KEY: keyOperand },
  expected: [1, Infinity, 'NAME'],
  options: { ...redisOptions, ...textOptions, ...listOptions, ...keyAnswerOptions },
  notes: keyExitCodes,
  async run(values, [name, ...keys]: readonly [string, ...string[]], terminal) {
    checkStandardInput('redis check', keys);
    return withFilter(name, values, {}, (filter) =>
      answerKeys(keys, values, terminal, (batch) => filter.hasMany(batch)),
    );
  },
});

export const redisPull = command({
  usage: 'redis pull NAME -o FILE',
  summary: 'copies a filter from Redis to a file, for browsers',
  about: 'Copies a filter from Redis to a file, as a blocked-bloom that every part of tamis loads.',
  operands: { NAME: nameHelp },
  expected: [1, 1, 'one NAME'],
  options: { output: outputOption, ...shardOption, ...redisOptions, json: figuresAsJson },
  notes: [
    'If a filter has several shards, write a file for each, with --shard. A file contains only the keys of its shard: shardOf of RedisFilter names the shard of a key.',
  ],
  async run(values, [name]: readonly [string], terminal) {
    const { output, shard, json } = values;
    await refuseToOverwrite('-o', output, [values['secret-file']], terminal);
    return withFilter(name, values, {}, async (source) => {
      const filter = await source.toFilter(shard).catch((error) => {
        throw toUsageError(error);
      });
      const { shards } = source.figures;
      const which = shards > 1 ? `shard ${shard} of ${shards} of ${name}` : name;
      const heading = `${output}: ${which} in Redis`;
      const foreign = { format: 'tamis', isByOther: false, isEstimate: true }; // so that `count` is shown as estimated
      const options = { json, heading, path: output, foreign, more: { output, name, shards } };
      await writeAndReport(filter, output, options, terminal);
    });
  },
});

export const redisPush = command({
  usage: 'redis push FILE NAME',
  summary: 'adds a filter in a file to a filter in Redis',
  about:
    'Adds all keys of a filter in a file to a filter in Redis, in one step. It makes the filter in Redis if there is none.',
  operands: {
    FILE: 'a blocked-bloom that tamis build --type blocked-bloom or tamis redis pull wrote',
    NAME: nameHelp,
  },
  expected: [2, 2, 'FILE and NAME'],
  options: { ...shardOption, ...redisOptions, json: figuresAsJson },
  notes: ['The two must have the same seed, secret and number of blocks.'],
  async run(values, [path, name]: readonly [string, string], terminal) {
    const { shard, json } = values;
    const secret = await readSecret(values['secret-file']);
    const { structure } = await loadStructure(path, secret);
    if (!(structure instanceof BlockedBloomFilter)) {
      const { type } = structure;
      throw new CommandError(`${path}: Redis needs a blocked-bloom, but this is a ${type}`);
    }
    const add = async (filter: RedisFilter): Promise<void> => {
      await filter.merge(structure, shard).catch((error) => {
        throw codeOf(error) === 'ERR_TAMIS_INCOMPATIBLE'
          ? prefixError(path, error)
          : toUsageError(error);
      });
      const heading = `${name}: ${path} is in it`;
      await show(filter, heading, { json, more: { path } }, terminal);
    };
    const { capacity, fpr, seed } = structure;
    // An existing filter may have any shape, so it is opened without options.
    const isThere = await withFilter(name, values, {}, async () => true).catch((error) => {
      if (!isOfAbsence(error.cause)) throw error; // withFilter wraps the error of `open`
      return false;
    });
    // If a shard is named, its filter must exist, because a new one would have a single shard.
    const options = isThere || shard !== undefined ? {} : { capacity, fpr, seed, shards: 1 };
    await withFilter(name, values, options, add);
    structure.dispose();
  },
});
