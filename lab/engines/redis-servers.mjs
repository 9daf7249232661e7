// Starts Redis servers, single and as a cluster of three, on free ports of 127.0.0.1, and the clients that tests use.
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createClient, createCluster, RESP_TYPES } from '@redis/client';
import { Cluster, Redis } from 'ioredis';
import { findFreePort } from '../../tests/e2e/free-port.mjs';
import { PATIENCE_MS } from '../../tests/e2e/patience.mjs';
import { makeFolder } from '../folders.mjs';
import { onFreePort, startServer as startProgram } from '../servers.mjs';

const run = promisify(execFile);

/** Starts a server that keeps nothing on disk. */
export async function startServer(...options) {
  const args = [
    ...['--bind', '127.0.0.1', '--save', '', '--dir', makeFolder('redis')],
    // So that a slow node is not considered lost.
    ...['--cluster-node-timeout', `${PATIENCE_MS}`],
    ...options,
  ];
  const { port, busPort, server } = await onFreePort(async (port) => {
    const busPort = await findFreePort();
    const ports = ['--port', `${port}`, '--cluster-port', `${busPort}`];
    const server = await startProgram(/ready to accept/i, 'redis-server', [...ports, ...args]);
    return { port, busPort, server };
  });
  const client = await connect('node-redis', [port]);
  return {
    port,
    busPort,
    /** Sends a command to this server only. */
    call: (...words) => client.sendCommand(words.map(String)),
    /** Sends a command with text, numbers and bytes. Bytes in the reply are a Buffer. */
    binary: (...words) =>
      client.sendCommand(
        words.map((word) => (word instanceof Uint8Array ? Buffer.from(word) : `${word}`)),
        { typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } },
      ),
    async stop() {
      client.destroy();
      await server.stop();
    },
  };
}

/** Starts three masters that share the slots. */
export async function startCluster() {
  const nodes = [];
  for (let i = 0; i < 3; i++) nodes.push(await startServer('--cluster-enabled', 'yes'));
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.stop()));
  };
  try {
    const addresses = nodes.map(({ port, busPort }) => `127.0.0.1:${port}@${busPort}`);
    await run('redis-cli', ['--cluster', 'create', ...addresses, '--cluster-yes']);
    for (const { call } of nodes) {
      while (!/cluster_state:ok/.test(await call('CLUSTER', 'INFO'))) await sleep(50);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { nodes, ports: nodes.map(({ port }) => port), stop };
}

/** The kinds of clients with which RedisFilter is tested. */
export const clients = ['node-redis', 'ioredis'];

/** Connects a client to a port, or to a cluster's ports. It has no timeout, because a machine may be slow. */
export async function connect(kind, ports) {
  const isCluster = ports.length > 1;
  const host = '127.0.0.1';
  if (kind === 'ioredis') {
    const redisOptions = { connectTimeout: 0 };
    const made = isCluster
      ? new Cluster(
          ports.map((port) => ({ host, port })),
          { redisOptions, slotsRefreshTimeout: PATIENCE_MS },
        )
      : new Redis({ ...redisOptions, host, port: ports[0] });
    return made.on('error', () => {});
  }
  const options = {
    socket: { connectTimeout: 0 },
    commandOptions: { timeout: undefined },
  };
  const client = isCluster
    ? createCluster({
        rootNodes: ports.map((port) => ({ url: `redis://${host}:${port}` })),
        defaults: options,
      })
    : createClient({ ...options, socket: { ...options.socket, host, port: ports[0] } });
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** Closes a client of either kind. */
export function disconnect(client) {
  if (client instanceof Redis || client instanceof Cluster) client.disconnect();
  else client.destroy();
}
