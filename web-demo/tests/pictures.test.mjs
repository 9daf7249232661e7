import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildDemo } from './demo-page.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

test('the pictures of README are what the figures of the demo draw', async () => {
  await buildDemo();
  await promisify(execFile)(process.execPath, ['js/scripts/pictures.mjs', '--check'], {
    cwd: root,
  });
});

test('the picture beside links has the size that sites expect', () => {
  const png = readFileSync(new URL('../../docs/pictures/og.png', import.meta.url));
  assert.equal(png.toString('latin1', 1, 4), 'PNG');
  assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [1200, 630]);
});
