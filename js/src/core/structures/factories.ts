// Calls the factories of the core: they take checked fields, and return handles of new structures.

import type { Core, Handle } from '../../wasm/core.js';
import {
  handleOrThrow,
  hashesAddress,
  numberAddress,
  readNumber,
  readStatus,
  statusAddress,
  withMemory,
  writeArray,
  writeNumbers,
} from '../border/memory.js';
import { call, core } from '../border/runtime.js';
import type { Blocks } from '../keys/blocks.js';
import { type hashingOf, withSipKey } from '../keys/hashing.js';
import { check, statusError } from '../statuses.js';

/** The values of a Config's fields, in the order of its fields(); undefined keeps the default. */
export type FieldValues = readonly (number | undefined)[];

/** The part of a Config about hashing. */
export type Hashing = Readonly<ReturnType<typeof hashingOf>>;

/** Writes the fields, and runs a factory with their address and that of the SipHash key. */
function withFields<T>(
  fields: FieldValues,
  { hashId, seed, sipKey }: Hashing,
  act: (core: Core, fields: number, sipKey: number) => T,
): T {
  return withSipKey(sipKey, (sipKeyAddress) => {
    const halves = [Number(seed & 0xffffffffn), Number(seed >> 32n)];
    writeNumbers(hashesAddress, [hashId, ...halves, ...fields.map((field) => field ?? Number.NaN)]);
    return call((core) => act(core, hashesAddress, sipKeyAddress));
  });
}

/** Makes a structure in the core from checked fields. */
export function create(typeId: number, fields: FieldValues, hashing: Hashing): Handle {
  return handleOrThrow(
    withFields(fields, hashing, (core, at, sipKey) =>
      core.create(typeId, at, sipKey, statusAddress),
    ),
  );
}

/** The numbers for a build, which empties the list. */
type Numbers = Blocks<BigUint64Array<ArrayBuffer>> | Blocks<Uint32Array<ArrayBuffer>>;

/** Moves numbers into wasm memory, which is freed after `act`. */
function withNumbers<T>(
  numbers: Numbers | undefined,
  act: (address: number, count: number) => T,
): T {
  if (numbers === undefined) return act(0, 0);
  core();
  const { length } = numbers;
  const size = length * numbers.bytesEach;
  return withMemory(size, (address) => {
    numbers.drain((part, at) => {
      const before = at * numbers.bytesEach;
      writeArray(address + before, size - before, part);
    });
    return act(address, length);
  });
}

/**
 * Builds a static structure from the hashes of its keys, and from a second list if its type has one. Throws
 * ERR_TAMIS_CONFLICT with a `count`.
 */
export function buildStatic(
  typeId: number,
  fields: FieldValues,
  hashing: Hashing,
  hashes: Numbers,
  others?: Numbers,
): Handle {
  const handle = withNumbers(hashes, (address, count) =>
    withNumbers(others, (otherAddress, otherCount) =>
      withFields(fields, hashing, (core, at, sipKey) =>
        core.build(
          typeId,
          at,
          sipKey,
          address,
          count,
          otherAddress,
          otherCount,
          numberAddress,
          statusAddress,
        ),
      ),
    ),
  );
  if (handle !== 0) return handle;
  const error = statusError(readStatus(), {
    ERR_TAMIS_CONFLICT:
      'the lists contradict one another: a key with two values, or both to include and to exclude',
    ERR_TAMIS_BUILD_FAILED:
      'no filter of these keys was found; try another `seed`, or a secret `key`',
  });
  if (error.code !== 'ERR_TAMIS_CONFLICT') throw error;
  throw Object.assign(error, { count: readNumber(numberAddress) });
}

/** The bytes in memory that a structure of `create` would take. */
export function sizeFor(typeId: number, fields: FieldValues, hashing: Hashing): number {
  const size = withFields(fields, hashing, (core, at, sipKey) =>
    core.sizeFor(typeId, at, sipKey, statusAddress),
  );
  check(readStatus());
  return size;
}
