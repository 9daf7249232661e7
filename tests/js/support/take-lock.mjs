// Loaded before a program, with `--import`. Simulates that another run takes over the lock file TAMIS_TAKE, as happens
// to a program that stops for long. TAMIS_TAKE_AT matches the step after which it happens: `write`, `rename` or `read`,
// a blank and the path. TAMIS_HURRY divides the time between renewals. TAMIS_AHEAD sets the clock ahead, in ms.

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { TAMIS_TAKE: lock, TAMIS_TAKE_AT: at, TAMIS_HURRY: hurry, TAMIS_AHEAD: ahead } = process.env;

if (lock !== undefined) {
  const own = { ...fs.promises };
  const steps = { writeFile: 'write', rename: 'rename', readFile: 'read' };
  let isTaken = false;
  for (const [name, step] of Object.entries(steps)) {
    fs.promises[name] = async (...args) => {
      try {
        return await own[name](...args);
      } finally {
        if (!isTaken && new RegExp(at).test(`${step} ${args[0]}`)) {
          isTaken = true;
          fs.rmSync(lock);
          fs.writeFileSync(lock, 'elsewhere 1 5 other\n');
          fs.utimesSync(lock, 1e9, 1e9);
        }
      }
    };
  }
  syncBuiltinESMExports();
}

if (hurry !== undefined) {
  const { setInterval } = globalThis;
  globalThis.setInterval = (action, ms, ...more) =>
    setInterval(action, ms / Number(hurry), ...more);
}

if (ahead !== undefined) {
  const { now } = Date;
  Date.now = () => now() + Number(ahead);
}
