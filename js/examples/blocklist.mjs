// A blocklist on its way from a server to a browser, on real lists. Two processes that share nothing
// but files: the server builds the filters, the client loads their bytes and asks them.
//
//   node js/examples/blocklist.mjs [FOLDER]       (default: build/blocklist)
//
// Exit code 0 only if every check of the client holds.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const fromRoot = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const folder = process.argv[2] ?? fromRoot('build/blocklist');

/** Runs one half, its output on ours. Ends the whole example if it fails. */
function run(half) {
  const script = fromRoot(`js/examples/blocklist-${half}.mjs`);
  const { status, signal } = spawnSync(process.execPath, [script, folder], { stdio: 'inherit' });
  if (status === 0) return;
  console.error(`the ${half} failed: ${signal ?? `exit code ${status}`}`);
  process.exit(1);
}

run('server');
run('client');
