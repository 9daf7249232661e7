// Connects to a Redis server by the client package in the user's folder.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RedisClient } from 'tamis/redis';
import { keyOption } from '../frame/arguments.js';
import type { Options, ValuesOf } from '../frame/command.js';
import { CommandError, describe, UsageError } from '../frame/errors.js';

/** The options of all commands that talk to Redis. */
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
  'key-file': { ...keyOption, help: 'the file of the secret key that hashes the keys' },
} as const satisfies Options;

type Place = Pick<ValuesOf<typeof redisOptions>, 'redis' | 'cluster'>;

/** The members of a client that are used, of any package. */
interface AnyClient {
  on(event: 'error', listener: () => void): void;
  connect(): Promise<unknown>;
  /** In node-redis. */
  destroy?(): void;
  /** In ioredis. */
  disconnect(): void;
}

type Make = (options: unknown, more?: unknown) => AnyClient;
type Class = new (options: unknown, more?: unknown) => AnyClient;
type Module = Readonly<Record<string, unknown>>;

/** Options of node-redis, in any of its packages: it must not reconnect, so that the user sees the error. */
function makeByNodeRedis({ createClient, createCluster }: Module, { href }: URL, cluster: boolean) {
  const options = { url: href, socket: { reconnectStrategy: false } };
  if (!cluster) return (createClient as Make)(options);
  return (createCluster as Make)({ rootNodes: [options], defaults: { socket: options.socket } });
}

function makeByIoRedis({ Redis, Cluster }: Module, { href }: URL, cluster: boolean) {
  const options = { lazyConnect: true, retryStrategy: () => null };
  if (!cluster) return new (Redis as Class)(href, options);
  return new (Cluster as Class)([href], {
    lazyConnect: true,
    clusterRetryStrategy: () => null,
  });
}

const packages = {
  redis: makeByNodeRedis,
  '@redis/client': makeByNodeRedis,
  ioredis: makeByIoRedis,
} as const;

/** The first client package that the folder has. */
async function makeClient(url: URL, cluster: boolean): Promise<AnyClient> {
  const fromHere = createRequire(join(process.cwd(), 'tamis.js'));
  for (const [name, make] of Object.entries(packages)) {
    let path: string;
    try {
      path = fromHere.resolve(name);
    } catch {
      continue;
    }
    const own = (await import(pathToFileURL(path).href)) as Module;
    return make({ ...(own.default as Module | undefined), ...own }, url, cluster);
  }
  throw new CommandError(
    'this folder has no client of Redis: npm install redis, or npm install ioredis',
  );
}

/** Connects to the server. Throws a CommandError with its address, and without a password. */
export async function connectTo({ redis, cluster }: Place) {
  const url =
    redis ??
    redisOptions.redis.read(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379', 'REDIS_URL');
  const client = await makeClient(url, cluster);
  client.on('error', () => {});
  try {
    await client.connect();
  } catch (error) {
    client.disconnect?.();
    const { code } = error as { code?: string };
    throw new CommandError(`${url.host}: ${code ?? describe(error)}: no connection to Redis`, {
      cause: error,
    });
  }
  return {
    client: client as unknown as RedisClient,
    close: () => (client.destroy ? client.destroy() : client.disconnect()),
  };
}
