// Connects to a Redis server with the client package in the user's folder.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RedisClient } from 'tamis/redis';
import { secretOption } from '../frame/arguments.js';
import type { Options, ValuesOf } from '../frame/command.js';
import { CommandError, codeOf, describe, UsageError } from '../frame/errors.js';

export const redisOptions = {
  redis: {
    value: 'URL',
    wrongName: 'url',
    help: 'the server, redis:// or rediss:// (default: REDIS_URL of the environment, else redis://127.0.0.1:6379)',
    read(text: string, option: string): URL {
      const url = URL.canParse(text) ? new URL(text) : undefined;
      if (url && /^rediss?:$/.test(url.protocol)) return url;
      throw new UsageError(`${option}: expected a URL such as redis://127.0.0.1:6379`);
    },
  },
  cluster: { help: 'the server is a node of a cluster' },
  'secret-file': { ...secretOption, help: 'the file with the secret that hashes the keys' },
} as const satisfies Options;

/** The members of a client that are used: node-redis has `destroy`, and ioredis `disconnect`. */
type AnyClient = RedisClient & {
  on(event: 'error', listener: () => void): void;
  connect(): Promise<unknown>;
  destroy?(): void;
  disconnect(): void;
};

/** The members of both packages that are used. */
interface ClientPackage {
  createClient(options: object): AnyClient;
  createCluster(options: object): AnyClient;
  readonly Redis: new (url: string, options: object) => AnyClient;
  readonly Cluster: new (nodes: readonly string[], options: object) => AnyClient;
}

/** Makes a client that does not reconnect, so that the user sees the error. */
type Make = (from: ClientPackage, url: string, cluster: boolean) => AnyClient;

const makeByNodeRedis: Make = ({ createClient, createCluster }, url, cluster) => {
  const socket = { reconnectStrategy: false };
  if (!cluster) return createClient({ url, socket });
  return createCluster({ rootNodes: [{ url, socket }], defaults: { socket } });
};

const makeByIoRedis: Make = ({ Redis, Cluster }, url, cluster) => {
  if (!cluster) return new Redis(url, { lazyConnect: true, retryStrategy: () => null });
  return new Cluster([url], { lazyConnect: true, clusterRetryStrategy: () => null });
};

const packages: Readonly<Record<string, Make>> = {
  redis: makeByNodeRedis,
  '@redis/client': makeByNodeRedis,
  ioredis: makeByIoRedis,
};

/** Makes a client with the first client package that is installed in the folder. */
async function makeClient(url: string, cluster: boolean): Promise<AnyClient> {
  const fromHere = createRequire(join(process.cwd(), 'tamis.js'));
  for (const [name, make] of Object.entries(packages)) {
    let path: string;
    try {
      path = fromHere.resolve(name);
    } catch {
      continue;
    }
    const module = await import(pathToFileURL(path).href);
    // A CommonJS package may export its members only in `default`.
    return make({ ...module.default, ...module }, url, cluster);
  }
  throw new CommandError(
    'this folder has no Redis client: npm install redis, or npm install ioredis',
  );
}

/** Connects to the server. Throws a CommandError that contains the address, but no password. */
export async function connectTo({ redis, cluster }: ValuesOf<typeof redisOptions>) {
  const url =
    redis ??
    redisOptions.redis.read(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379', 'REDIS_URL');
  const client = await makeClient(url.href, cluster);
  // Without a listener, an error would end the process. Each call throws its own error.
  client.on('error', () => {});
  const close = (): void => (client.destroy ? client.destroy() : client.disconnect());
  try {
    await client.connect();
  } catch (error) {
    close();
    const why = codeOf(error) ?? describe(error);
    throw new CommandError(`${url.host}: ${why}: no connection to Redis`, { cause: error });
  }
  return { client, close };
}
