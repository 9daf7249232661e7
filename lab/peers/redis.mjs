// A Redis server for one test file, and a client that keeps bytes.
import { startServer } from '../engines/redis-servers.mjs';

/** Starts a server with the options of a peer's command. `call` sends a command, and `stop` ends server and client. */
export async function startRedis([, ...options]) {
  const { binary: call, stop } = await startServer(...options);
  return { call, stop };
}

/** Sends a command for keys, a group at a time. Returns all replies in one array. */
export async function callMany(call, command, name, keys, atOnce = 1000) {
  const replies = [];
  for (let i = 0; i < keys.length; i += atOnce) {
    replies.push(call(command, name, ...keys.slice(i, i + atOnce)));
  }
  return (await Promise.all(replies)).flat();
}
