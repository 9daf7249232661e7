// One call into wasm with one key.

import type { Core } from '../../wasm/core.js';
import type { Part } from '../../wasm/part.js';
import { base } from '../../wasm/parts/base.js';
import { keyAddress, putKey, releaseKey } from '../border/memory.js';
import { call, coreWith } from '../border/runtime.js';
import type { Key } from '../key-types.js';
import { check } from '../statuses.js';

/**
 * Calls `act` with the address and size of a key's bytes in wasm memory, and returns its result. `part` names a part
 * of the wasm that it needs. Throws if the result is a status, or if the value is not a key. Fast paths do this
 * without a closure per key.
 */
export function withKey(
  key: Key,
  act: (address: number, size: number, core: Core) => number,
  part: Part = base,
): number {
  coreWith(part);
  const size = putKey(key);
  const answer = call((ready) => act(keyAddress, size, ready));
  releaseKey();
  check(answer);
  return answer;
}
