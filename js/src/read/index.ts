/**
 * Look-ups in filters that `tamis` saved, in a few kilobytes of plain JavaScript. They also work if WebAssembly is off.
 *
 * @packageDocumentation
 */

export { TamisError, type TamisErrorCode } from '../core/errors.js';
export type { Key, KeySet } from '../core/key-types.js';
export { type NormalizeOptions, normalizeKey } from '../core/normalize.js';
export type { Progress } from '../core/options.js';
export type { ByteSource } from '../core/streams.js';
export * from './classes.js';
export type { LoadOptions } from './container.js';
export { type Filter, hashKey, type Reader, type ReaderClass } from './filter.js';
export {
  type AnyFilter,
  fromBytes,
  fromBytesOf,
  fromStream,
  fromStreamOf,
  type StreamLoadOptions,
} from './open.js';
