// Loaded before a program, with `--import`. It records the program's file operations ("steps"), or kills the program at
// one. TAMIS_TRACE is a file that gets a line for each step: its name and its path. TAMIS_KILL_AT is the number of a
// step, counted from 0. TAMIS_KILL_HOW says if SIGKILL comes before it, after it, or halfway through it.

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { TAMIS_TRACE: trace, TAMIS_KILL_AT: at, TAMIS_KILL_HOW: how } = process.env;
const last = at === undefined ? Number.POSITIVE_INFINITY : Number(at);
const own = { ...fs };
const traced = trace === undefined ? undefined : fs.openSync(trace, 'w');

// In a slow run, lock renewals would add steps that the recorded run does not have.
globalThis.setInterval = () => ({});

let steps = 0;
const paths = new Map();

function kill() {
  process.kill(process.pid, 'SIGKILL');
  // Waits, because the signal may arrive a little later.
  for (;;);
}

/** Counts a step. Returns true if it is the one that must be done by half. */
function step(name, path) {
  if (traced !== undefined) own.writeSync(traced, `${name}\t${path}\n`);
  if (steps++ !== last) return false;
  if (how === 'before') kill();
  return true;
}

/** Writes of up to this many bytes are done completely or not at all. */
const PIECE = 512;
const halfOf = (length) => (length > PIECE ? Math.floor(length / 2) : length);
const half = (data) => {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data;
  return bytes.subarray(0, halfOf(bytes.length));
};

fs.openSync = (path, ...more) => {
  const isLast = step('open', path);
  const file = own.openSync(path, ...more);
  paths.set(file, path);
  if (isLast) kill();
  return file;
};
fs.writeSync = (file, data, offset = 0, length = data.length - offset, position = null) => {
  const isLast = step('write', paths.get(file));
  const size = isLast && how === 'half' ? halfOf(length) : length;
  const written = size > 0 ? own.writeSync(file, data, offset, size, position) : 0;
  if (isLast) kill();
  return written;
};
fs.writeFileSync = (path, data, options) => {
  const isLast = step('write', path);
  own.writeFileSync(path, isLast && how === 'half' ? half(data) : data, options);
  if (isLast) kill();
};
for (const name of ['renameSync', 'rmSync', 'mkdirSync']) {
  fs[name] = (...args) => {
    const isLast = step(name.replace('Sync', ''), args[0]);
    const result = own[name](...args);
    if (isLast) kill();
    return result;
  };
}

const promises = { ...fs.promises };
fs.promises.writeFile = async (path, data, options) => {
  const isLast = step('write', String(path));
  await promises.writeFile(path, isLast && how === 'half' ? half(data) : data, options);
  if (isLast) kill();
};
for (const name of ['rename', 'rm', 'mkdir', 'open']) {
  fs.promises[name] = async (...args) => {
    const isLast = step(name, String(args[0]));
    const result = await promises[name](...args);
    if (isLast) kill();
    return result;
  };
}
syncBuiltinESMExports();
