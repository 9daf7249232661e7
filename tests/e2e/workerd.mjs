// Cloudflare's runtime, on this machine: a worker that is bundled as wrangler would, with the wasm beside it.
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

// The program itself. If npm runs no install scripts, the one in .bin is a wrapper that passes no files on.
const { default: program } = createRequire(new URL('../../lab/', import.meta.url))('workerd');

const loader = { '.wasm': 'copy' };

/** The module's line in the configuration: the first is the worker. */
const moduleLine = (name) =>
  `(name = "./${name}", ${name.endsWith('.wasm') ? 'wasm' : 'esModule'} = embed "${name}")`;

/** A configuration of one worker, which may ask servers of this machine. */
const configuration = (modules, date) => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [${modules.map(moduleLine).join(', ')}],
      compatibilityDate = "${date}",
      globalOutbound = "servers",
    )),
    (name = "servers", network = (allow = ["local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`;

/** Resolves to the port, which the program tells when it listens. */
function listening(child) {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stdio[3].on('data', (chunk) => {
      said += chunk;
      const [, port] = /"port":(\d+)/.exec(said) ?? [];
      if (port !== undefined) resolve(port);
    });
    child.once('error', reject);
    child.once('exit', (status) => reject(new Error(`workerd ended with ${status}`)));
  });
}

/**
 * Runs the worker of a folder. All files with such names are its modules. Resolves to its address, and a way to end it.
 */
export async function serveWorker(folder, main, date) {
  const isOther = (name) => name !== main && /\.(m?js|wasm)$/.test(name);
  const others = (await readdir(folder, { recursive: true })).filter(isOther);
  await writeFile(join(folder, 'config.capnp'), configuration([main, ...others], date));
  const child = spawn(program, ['serve', '--control-fd=3', 'config.capnp'], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const url = `http://127.0.0.1:${await listening(child)}`;
  return {
    url,
    close: async () => {
      child.kill();
      await ended;
    },
  };
}

/**
 * Runs a worker, the ES module `source`, under a compatibility date. Resolves to its address, and a way to
 * end it.
 */
export async function startWorker(source, date) {
  const folder = await mkdtemp(join(tmpdir(), 'tamis-workerd-'));
  await build({
    stdin: { contents: source, resolveDir: fileURLToPath(new URL('.', import.meta.url)) },
    outfile: join(folder, 'worker.js'),
    bundle: true,
    format: 'esm',
    conditions: ['workerd'],
    loader,
    logLevel: 'error',
  });
  const { url, close } = await serveWorker(folder, 'worker.js', date);
  return {
    url,
    close: async () => {
      await close();
      await rm(folder, { recursive: true });
    },
  };
}
