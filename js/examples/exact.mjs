// A blocklist that never blocks a known good site. It is exact on both lists, with some bits for each bad site.
//
//   node js/examples/exact.mjs                                   npm's phishing and legitimate hosts
//   node js/examples/exact.mjs INCLUDE EXCLUDE [--drop-overlap]  lists of your own, one key a line, or .gz
//
// The exit code is 0 only if the answer for every key of both lists is right.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { ExactFilter, hashKeys, keysFromLines } from 'tamis';
import { legitimateHosts, lists } from './blocklist-lists.mjs';
import { count, printTable } from './figures.mjs';

const { values, positionals } = parseArgs({
  options: { 'drop-overlap': { type: 'boolean' } },
  allowPositionals: true,
});

function keysOf(path) {
  const bytes = readFileSync(path);
  return keysFromLines(path.endsWith('.gz') ? gunzipSync(bytes) : bytes);
}

/** The keys of a list that are not in another: keys of both lists have no right answer. */
function without(keys, others) {
  const known = new Set(hashKeys(others));
  const hashes = hashKeys(keys);
  const bytesOf = ({ bytes, starts, ends }, i) => bytes.subarray(starts[i], ends[i]);
  const all = Array.isArray(keys) ? keys : Array.from(keys.starts, (_, i) => bytesOf(keys, i));
  return all.filter((_, i) => !known.has(hashes[i]));
}

function listsFrom([includePath, excludePath]) {
  if (includePath !== undefined && excludePath !== undefined) {
    const [include, exclude] = [keysOf(includePath), keysOf(excludePath)];
    return { include: values['drop-overlap'] ? without(include, exclude) : include, exclude };
  }
  // npm's list of phishing hosts names a few that its list of legitimate ones names too.
  return { include: without(lists[0].keys, legitimateHosts), exclude: legitimateHosts };
}

function build(pair) {
  try {
    // Hosts on neither list come too. The user may be asked about one in a thousand of them.
    return ExactFilter.from(pair, { fpr: 0.001 });
  } catch (error) {
    if (error.code !== 'ERR_TAMIS_CONFLICT') throw error;
    const keys = error.count === 1 ? '1 key is' : `${count(error.count)} keys are`;
    console.error(`${keys} in both lists; --drop-overlap leaves them out of INCLUDE`);
    process.exit(1);
  }
}

const pair = listsFrom(positionals);
const start = performance.now();
const filter = build(pair);
const buildMs = performance.now() - start;
const missed = filter.hasMany(pair.include).filter((answer) => answer === 0).length;
const alarms = filter.hasMany(pair.exclude).filter((answer) => answer === 1).length;
printTable('exact filter', [
  ['included', count(filter.count)],
  ['excluded', count(filter.excluded)],
  ['bytes', count(filter.toBytes().length)],
  ['bits per included key', filter.bitsPerKey.toFixed(2)],
  ['build', `${buildMs.toFixed(1)} ms`],
  ['missed', count(missed)],
  ['false alarms', count(alarms)],
  ['rate outside of both', `1 in ${count(1 / filter.fprOutside)}`],
]);
if (missed + alarms > 0) process.exitCode = 1;
