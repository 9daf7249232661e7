/**
 * Look-ups in bytes of `tamis`, in a few kilobytes of plain JavaScript. They work if WebAssembly is off, too.
 *
 * @packageDocumentation
 */

export { TamisError, type TamisErrorCode } from '../core/errors.js';
export type { Key } from '../core/key-types.js';
export * from './classes.js';
export type { LoadOptions } from './container.js';
export { type Filter, hashKey, type Reader, type ReaderClass } from './filter.js';
export {
  type AnyReader,
  type ByteSource,
  fromStream,
  open,
  openAny,
  type ReaderOf,
} from './open.js';
