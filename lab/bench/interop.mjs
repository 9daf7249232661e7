// The part of other libraries' filters. It measures a look-up by each of their rules, beside BloomFilter's own rule. It
// also measures the time to load a file of each library. Each round measures all in turn, in one process.

import { BloomFilter } from 'tamis';
import {
  bloomFiltersJson,
  bloomfilterJson,
  dataSketches,
  goBloom,
  guava,
  parquet,
  redisBloom,
  spark,
} from 'tamis/interop';
import * as schemes from 'tamis/schemes';
import { makeUrls } from './keys.mjs';
import { askAll, figuresInTurn, MS, time } from './measure.mjs';

const LENGTH = 54;
const KEYS = 100_000;
const MEGABYTES = 10;
const DECODES = 9;

const CREATED = { guava, goBloom, spark, parquet, dataSketches, redisBloom };
const CODECS = { ...CREATED, bloomFiltersJson, bloomfilterJson };

/** The rules that read the bytes of a key twice. */
const HASHES_TWICE = [
  'spark-v1',
  'spark-v2',
  'redisbloom',
  'datasketches',
  'npm-bloom-filters',
  'murmur2a-fnv1a',
];

/** The rules of no other library, and Parquet's, which is not a rule of BloomFilter. */
const NOT_FOREIGN = ['seeds', 'digest', 'parquet'];

/** Distinct strings of one length. The second half of each list is never added. */
function makeKeys() {
  const lines = makeUrls(0, KEYS).toString('latin1').trimEnd().split('\n');
  return lines.map((line, i) => `${line.slice(0, LENGTH - 7).padEnd(LENGTH - 7, '-')}${1e6 + i}`);
}

/** Copies of strings that nobody looked up before, as if they arrived from outside. */
const freshen = (keys) => Buffer.from(keys.join('\n'), 'latin1').toString('latin1').split('\n');

/** The filters, with every other key in each: the default one, and one for each rule. */
function makeFilters(keys) {
  const foreign = Object.values(schemes).filter(({ name }) => !NOT_FOREIGN.includes(name));
  const made = [undefined, ...foreign].map((scheme) => {
    const filter = new BloomFilter({ capacity: KEYS / 2, ...(scheme && { scheme }) });
    filter.addMany(keys.filter((_, i) => i % 2 === 0));
    return [filter.scheme, filter];
  });
  return new Map(made);
}

/** Files of about 10 MB, one for each codec. */
function makeFiles() {
  const capacity = Math.round((MEGABYTES * 8e6) / 9.585);
  const keys = freshen(Array.from({ length: 1000 }, (_, i) => `key-${i}`));
  const made = {};
  for (const [name, codec] of Object.entries(CREATED)) {
    const filter = codec.create({ capacity, fpr: 0.01 });
    filter.addMany(keys);
    made[name] = codec.encode(filter);
    filter.dispose();
  }
  const bits = Buffer.alloc(MEGABYTES * 750_000, 0x41);
  made.bloomFiltersJson = JSON.stringify({
    type: 'BloomFilter',
    _seed: 0x1234567890,
    _size: 8 * bits.length,
    _nbHashes: 7,
    _filter: { size: 8 * bits.length, content: bits.toString('base64') },
  });
  made.bloomfilterJson = JSON.stringify({
    version: 1,
    m: 32 * 1e6,
    k: 7,
    buckets: Array.from({ length: 1e6 }, (_, i) => (i * 0x9e3779b1) >>> 0),
  });
  return made;
}

const sizeOf = (file) =>
  Array.isArray(file) ? file.reduce((sum, [, { length }]) => sum + length, 0) : file.length;

const has = (filter, key) => filter.has(key);

/** Looks new strings up. Half of them are in the filter. */
const lookUp = (keys, filter) => () =>
  time(KEYS, (strings) => askAll({ has }, filter, strings), {
    input: () => freshen(keys),
    after(found) {
      if (found < KEYS / 2) throw new Error(`${filter.scheme}: a key that was added is absent`);
    },
  });

/** Nanoseconds per look-up by each rule, and milliseconds per file of each codec. */
export async function measureInterop({ rounds, say }) {
  const keys = makeKeys();
  say('looking up by each rule');
  const rules = [...makeFilters(keys)].map(([name, filter]) => [name, lookUp(keys, filter)]);
  const times = await figuresInTurn(rounds, Object.fromEntries(rules), 1);
  say('loading files');
  const files = {};
  for (const [name, file] of Object.entries(makeFiles())) {
    const decode = () => CODECS[name].decode(file, { maxBytes: 2 ** 30 });
    const after = (filter) => filter.dispose();
    const [, ms] = await time(MS, decode, { after, iterations: DECODES });
    files[name] = { bytes: sizeOf(file), ms };
  }
  return { keys: KEYS, length: LENGTH, rounds, twice: HASHES_TWICE, times, files };
}
