// One call about one key.

import type { Core } from '../wasm/core.js';
import { check } from './errors.js';
import type { Key } from './key-types.js';
import { keyAddress, putKey, releaseKey } from './memory.js';
import { call, core } from './runtime.js';

/**
 * Calls `act` with the address and size of a key's bytes, where wasm can read them, and gives its answer.
 * Throws where that is a failure, and for what is no key. What asks for a key at full speed does the same by
 * hand, without a closure for each.
 */
export function withKey(
  key: Key,
  act: (address: number, size: number, core: Core) => number,
): number {
  core();
  const size = putKey(key);
  const answer = call((ready) => act(keyAddress, size, ready));
  releaseKey();
  check(answer);
  return answer;
}
