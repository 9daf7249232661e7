#!/usr/bin/env node
import { main, removeUnfinished } from './main.js';

const { stdin, stdout, stderr } = process;

// The exit code until `main` returns one: a process that ends early must not report "found".
process.exitCode = 2;
process.on('uncaughtException', (error) => {
  console.error(error);
  process.exit(2);
});
// Node 20 warns that Ed25519 is experimental, and the user of the command can do nothing about that.
process.removeAllListeners('warning').on('warning', (warning) => {
  if (warning.name !== 'ExperimentalWarning') console.error(String(warning));
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    removeUnfinished();
    // The signal is sent again, without a handler, so that the parent process learns of it.
    process.kill(process.pid, signal);
  });
}
// Ends the process even if standard input is still open, such as after an error that stopped the reading.
main(process.argv.slice(2), { stdin, stdout, stderr }).then((code) => process.exit(code));
