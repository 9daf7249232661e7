/** The golden files and the published hashes by tamis/read, which has look-ups of its own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

import { golden, urlGolden } from './support/golden.js';
import { keyVectors } from './support/hash-vectors.mjs';
import { bundle, checkModules, sources } from './support/read-bundle.js';

test('every golden file and every published hash', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tamis-golden-'));
  const path = join(folder, 'read.mjs');
  await bundle(`${sources}read/index.ts`, path);
  const [found] = await checkModules([{ path, mostFaults: 100 }]);
  rmSync(folder, { recursive: true });
  expect(found?.faults).toEqual([]);
  expect(found?.files).toBe(golden.length + urlGolden.length);
  expect(found?.vectors).toBe(keyVectors.length);
  expect(keyVectors.length).toBeGreaterThan(64 + 20);
  // A file is loaded in several ways, and each key is looked up in several ways.
  expect(found?.loads).toBeGreaterThan(5000);
  expect(found?.answers).toBeGreaterThan(400_000);
});
