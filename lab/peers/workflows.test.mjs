// The workflows of GitHub, read by actionlint. Run by `npm run test:peers`.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from '../../js/scripts/run.mjs';
import { startOf } from './peer.mjs';

const folder = '.github/workflows';
const { command, skip } = startOf('actionlint');

test('actionlint finds nothing', { skip }, () => {
  const files = readdirSync(join(root, folder)).map((name) => `${folder}/${name}`);
  assert.ok(files.length >= 2);
  const [program, ...first] = command;
  // actionlint calls other programs for shell scripts, and not every machine has them.
  const options = ['-no-color', '-oneline', '-shellcheck=', '-pyflakes='];
  const args = [...first, ...options, ...files];
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: root, encoding: 'utf8' });
  assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: '', stderr: '' });
});
