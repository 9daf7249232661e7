// The check of the golden files and the published hashes by the built tamis/read, for any engine.
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { keyVectors } from '../js/support/hash-vectors.mjs';
import { golden } from './golden.mjs';

/** The module that has `checkGolden`. */
export const checkPath = fileURLToPath(new URL('../js/support/read-golden.mjs', import.meta.url));

/** Golden files and vectors, as `checkGolden` takes them after the module. */
export const given = JSON.stringify([golden, keyVectors]);

/** Throws if a check found a fault, or left something out. */
export function assertFound(found) {
  // A broken build makes hundreds of failures.
  assert.deepEqual(found.faults.slice(0, 10), []);
  assert.equal(found.files, golden.length);
  assert.equal(found.vectors, keyVectors.length);
  // A file is loaded in several ways, and each key is looked up in several ways.
  assert.ok(found.loads > 5000, `${found.loads} loads`);
  assert.ok(found.answers > 400_000, `${found.answers} answers`);
}
