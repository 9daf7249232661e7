// Checks the GitHub workflows, and the job in a guide, with actionlint. Run by `npm run test:peers`.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from '../../js/scripts/run.mjs';
import { startOf } from './peer.mjs';

const folder = '.github/workflows';
const { command, skip } = startOf('actionlint');

/** Checks files, or `input` for the file `-`. Shell scripts are not checked: machines may lack the programs. */
function lint(files, input = '') {
  const [program, ...first] = command;
  const options = ['-no-color', '-oneline', '-shellcheck=', '-pyflakes='];
  const args = [...first, ...options, ...files];
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: root,
    encoding: 'utf8',
    input,
  });
  assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: '', stderr: '' });
}

test('actionlint finds nothing', { skip }, () => {
  const files = readdirSync(join(root, folder)).map((name) => `${folder}/${name}`);
  assert.ok(files.length >= 2);
  lint(files);
});

test('actionlint finds nothing in the job of a guide', { skip }, () => {
  const page = readFileSync(join(root, 'docs/guide/publishing.md'), 'utf8');
  const [, job] = /^```yaml\n([\s\S]*?)^```$/m.exec(page);
  lint(['-'], job);
});
