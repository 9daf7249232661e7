// A Redis server for one test file, and a client that keeps bytes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, RESP_TYPES } from '@redis/client';

/** Starts a server that keeps nothing on disk. `call` sends a command, and `stop` ends server and client. */
export async function startRedis([program, ...options]) {
  const folder = mkdtempSync(join(tmpdir(), 'tamis-redis-'));
  const path = join(folder, 'socket');
  const args = ['--port', '0', '--unixsocket', path, '--save', '', '--dir', folder, ...options];
  const server = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  const ready = new Promise((resolve, reject) => {
    server.stdout.on('data', (text) => {
      printed += text;
      if (/ready to accept connections/i.test(printed)) resolve();
    });
    server.on('error', reject);
    server.on('exit', () => reject(new Error(`redis-server ended:\n${printed}`)));
  });
  await ready;
  // By itself the client gives up after five seconds, and a machine may be slower.
  const client = createClient({
    socket: { path, connectTimeout: 0 },
    commandOptions: { timeout: undefined },
    RESP: 2,
  });
  await client.connect();
  const binary = client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });
  return {
    /** A command of text, numbers and bytes; its reply, with bytes as a Buffer. */
    call: (...words) =>
      binary.sendCommand(
        words.map((word) => (word instanceof Uint8Array ? Buffer.from(word) : `${word}`)),
      ),
    async stop() {
      client.destroy();
      server.kill();
      await once(server, 'close');
      rmSync(folder, { recursive: true });
    },
  };
}

/** Sends a command for keys, a group at a time. Returns all replies in one array. */
export async function callMany(call, command, name, keys, atOnce = 1000) {
  const replies = [];
  for (let i = 0; i < keys.length; i += atOnce) {
    replies.push(call(command, name, ...keys.slice(i, i + atOnce)));
  }
  return (await Promise.all(replies)).flat();
}
