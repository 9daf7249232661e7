#!/usr/bin/env node
import { main, removeUnfinished } from './main.js';

const { stdin, stdout, stderr } = process;

// Until there is an answer: a process that ends by itself must not say "found".
process.exitCode = 2;
process.on('uncaughtException', (error) => {
  console.error(error);
  process.exit(2);
});
// Node 20 calls Ed25519 experimental, in lines of its own. Who runs the command can do nothing about it.
process.removeAllListeners('warning').on('warning', (warning) => {
  if (warning.name !== 'ExperimentalWarning') console.error(String(warning));
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    removeUnfinished();
    // Once more, and nobody listens any longer: so whoever waits is told of the signal.
    process.kill(process.pid, signal);
  });
}
// Ends also where standard input is still open, after an error that made reading on useless.
main(process.argv.slice(2), { stdin, stdout, stderr }).then((code) => process.exit(code));
