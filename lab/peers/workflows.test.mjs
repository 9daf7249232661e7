// The workflows of GitHub, read by actionlint. Run by `npm run test:peers`.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from '../../js/scripts/run.mjs';
import { startOf } from './peer.mjs';

const folder = '.github/workflows';
const { command, skip } = startOf('actionlint');

/** The result of actionlint for files, or for a text: its exit code, and a line for each fault. */
function lint(files, input) {
  const [program, ...first] = command;
  // actionlint calls other programs for shell scripts, and not every machine has them.
  const options = ['-no-color', '-oneline', '-shellcheck=', '-pyflakes='];
  const args = [...first, ...options, ...files];
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: root,
    encoding: 'utf8',
    input,
  });
  return { status, lines: stdout.split('\n').filter((line) => line !== ''), stderr };
}

test('actionlint finds nothing', { skip }, () => {
  const files = readdirSync(join(root, folder)).map((name) => `${folder}/${name}`);
  assert.ok(files.length >= 2);
  assert.deepEqual(lint(files), { status: 0, lines: [], stderr: '' });
});

test('and finds what is put in', { skip }, () => {
  const good = readFileSync(join(root, folder, 'release.yml'), 'utf8');
  const changes = [
    ['steps.pages.outputs', 'steps.site.outputs', /"site" is not defined/],
    ['needs: build', 'needs: built', /"built"/],
    ['runs-on: ubuntu-24.04', 'runs-on: ubuntu-1.04', /label "ubuntu-1\.04" is unknown/],
    ['contents: write', 'content: write', /permission scope "content"/],
  ];
  for (const [from, to, message] of changes) {
    const { status, lines } = lint(['-'], good.replace(from, to));
    assert.equal(status, 1);
    assert.match(lines.join('\n'), message);
  }
});
