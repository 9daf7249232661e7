/**
 * A filter in Redis that many processes share. It needs only plain strings, and no Redis module.
 *
 * @packageDocumentation
 */

export { TamisError, type TamisErrorCode } from '../core/errors.js';
export type { Key, Keys, PackedKeys } from '../core/key-types.js';
export type {
  CallingClient,
  IoRedisClient,
  NodeRedisClient,
  RedisClient,
  RedisWord,
} from './client.js';
export { RedisFilter, type RedisFilterFigures, type RedisFilterOptions } from './redis-filter.js';
