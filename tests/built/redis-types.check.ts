/** Types that tsc checks: the clients of both libraries are clients of RedisFilter. This file never runs. */
import { createClient, createCluster } from '@redis/client';
import { Cluster, Redis } from 'ioredis';
import { RedisFilter } from 'tamis/redis';

export async function openAll(): Promise<RedisFilter[]> {
  // @ts-expect-error a URL is no client
  await RedisFilter.open('redis://127.0.0.1', 'seen');
  // @ts-expect-error an object with none of the methods is no client
  await RedisFilter.open({ send: async () => 1 }, 'seen');
  return Promise.all([
    RedisFilter.open(createClient(), 'seen', { capacity: 10 }),
    RedisFilter.open(createCluster({ rootNodes: [] }), 'seen'),
    RedisFilter.open(new Redis(), 'seen'),
    RedisFilter.open(new Cluster([]), 'seen'),
    RedisFilter.open({ call: async (args) => args.length }, 'seen'),
  ]);
}
