// The Redis of crawler-frontier.mjs: a client, and a server of its own that keeps nothing on disk.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@redis/client'; // or 'redis'

/** A client without a timeout. A lost connection is an error, since nobody knows which commands ran. */
export function connect(url) {
  const socket = { connectTimeout: 0, reconnectStrategy: false };
  return createClient({ url, socket, commandOptions: { timeout: undefined } }).connect();
}

/** A port of 127.0.0.1 that nobody listened on a moment ago. */
async function findFreePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** Starts redis-server. Returns its `url` and `stop`. Without it, rejects with an error that says what to install. */
export async function startRedis() {
  for (;;) {
    try {
      return await startOnPort();
    } catch (error) {
      if (!error.message.includes('Address already in use')) throw error;
    }
  }
}

async function startOnPort() {
  const port = await findFreePort();
  const folder = mkdtempSync(join(tmpdir(), 'tamis-redis-'));
  const args = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--dir', folder];
  const server = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const end = () => {
    server.kill();
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', end);
  // Without a listener, these signals end a process without that event.
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
  let printed = '';
  try {
    await new Promise((resolve, reject) => {
      server.once('error', reject);
      server.once('exit', () => reject(new Error(`redis-server ended:\n${printed}`)));
      server.stdout.on('data', (text) => {
        printed += text;
        if (printed.includes('Ready to accept connections')) resolve();
      });
    });
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    throw new Error(
      'There is no redis-server here. Install it: on Debian and Ubuntu by "apt-get install redis-server", ' +
        'on macOS by "brew install redis". Or name a server that runs: --redis redis://HOST:6379',
    );
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    async stop() {
      const ended = server.exitCode === null && once(server, 'exit');
      process.off('exit', end);
      end();
      await ended;
    },
  };
}
