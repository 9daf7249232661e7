// Starts peers, by the commands in the file that prepare.mjs wrote.
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../js/scripts/run.mjs';
import { makeFolder } from '../folders.mjs';

const ready = JSON.parse(readFileSync(join(root, 'build/peers/peers.json'), 'utf8'));

/** The command of a peer, and the reason to skip its tests (false if the peer is available). */
export function startOf(name) {
  const { command, from, missing } = ready[name];
  const skip = missing === undefined ? false : `${name} (${from}): ${missing}`;
  return { command, skip };
}

const folder = makeFolder('peers');
const [file, list] = ['dump', 'keys'].map((part) => join(folder, part));

/** A peer that is a separate program. It reads keys as lines. */
export function programOf(name) {
  const { command, skip } = startOf(name);
  const call = (verb, dump, keys, parameters) => {
    writeFileSync(list, keys.map((key) => `${key}\n`).join(''));
    if (dump) writeFileSync(file, dump);
    else rmSync(file, { force: true });
    const [program, ...first] = command;
    const args = [...first, verb, file, list, ...parameters.map(String)];
    const answers = execFileSync(program, args, { encoding: 'latin1', maxBuffer: 2 ** 24 });
    return dump ? answers : new Uint8Array(readFileSync(file));
  };
  return {
    name,
    skip,
    /** Lets the peer build a filter from keys, and returns its bytes. */
    build: (keys, ...parameters) => call('build', undefined, keys, parameters),
    /** Lets the peer look up keys in these bytes. Returns a string of 1 and 0. */
    ask: (dump, keys, ...parameters) => call('ask', dump, keys, parameters),
  };
}
