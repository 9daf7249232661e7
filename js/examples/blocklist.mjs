// A blocklist on its way from a server to a browser, with real lists. The two processes share only files: the
// server builds the filters, and the client loads their bytes and looks up.
//
//   node js/examples/blocklist.mjs [FOLDER]       (default: build/blocklist)
//
// The exit code is 0 only if every check of the client holds.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const fromRoot = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const folder = process.argv[2] ?? fromRoot('build/blocklist');

/** Runs one half, with its output on ours. If it fails, the whole example ends. */
function run(half) {
  const script = fromRoot(`js/examples/blocklist-${half}.mjs`);
  const { status, signal } = spawnSync(process.execPath, [script, folder], { stdio: 'inherit' });
  if (status === 0) return;
  console.error(`the ${half} failed: ${signal ?? `exit code ${status}`}`);
  process.exit(1);
}

run('server');
run('client');
