// Opens bytes of one of several types.

import { bytesOf, Container, type LoadOptions, need, readOptions } from './container.js';
import type { Reader, ReaderClass } from './filter.js';

/** The structure that a class of a list makes. */
export type ReaderOf<Classes extends readonly ReaderClass[]> = InstanceType<Classes[number]>;

/** The class of a list that reads a type id. Throws ERR_TAMIS_WRONG_TYPE. */
export function classOf<R extends Reader>(
  id: number,
  classes: readonly ReaderClass<R>[],
): ReaderClass<R> {
  const Class = classes.find(({ prototype }) => prototype.kind[1] === id);
  const expected = classes.map(({ prototype }) => prototype.type).join(', ');
  need(Class !== undefined, 'WRONG_TYPE', `expected ${expected}, got type ${id}`);
  return Class;
}

/**
 * Opens the bytes of `toBytes` with the class of their type. Your bundle has only the classes of the list. Throws the
 * errors of fromBytes, and ERR_TAMIS_WRONG_TYPE for a type that the list lacks.
 *
 * @example
 * import { RibbonFilter as Builder } from 'tamis';
 * import { BloomFilter, open, RibbonFilter } from 'tamis/read';
 * const bytes = Builder.from(['alice', 'bob']).toBytes();
 * const filter = open(bytes, [BloomFilter, RibbonFilter]);
 * filter.type; // => 'ribbon'
 * filter.has('alice'); // => true
 */
export function open<const Classes extends readonly ReaderClass[]>(
  bytes: ArrayBuffer | Uint8Array,
  classes: Classes,
  options?: LoadOptions,
): ReaderOf<Classes> {
  const { id } = new Container(bytesOf(bytes), undefined, readOptions(options).maxBytes);
  return classOf(id, classes).fromBytes(bytes, options) as ReaderOf<Classes>;
}
