// The files of a release, of a small package with this build's wasm.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { emscriptenOf, makeFiles } from '../../js/scripts/release/files.mjs';
import { readParts } from '../../js/scripts/wasm/parts.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const parts = join(root, 'build/parts');
const { emscripten } = readParts(parts);

const output = (program, args, options) =>
  execFileSync(program, args, { encoding: 'utf8', ...options });

describe('the files of a release', () => {
  const temporary = mkdtempSync(join(tmpdir(), 'tamis-release-'));
  after(() => rmSync(temporary, { recursive: true }));
  const source = join(temporary, 'source');
  const write = (name, text) => writeFileSync(join(source, name), text);
  const first = join(temporary, 'first');
  const assets = join(first, 'assets');

  before(() => {
    mkdirSync(join(source, 'dist'), { recursive: true });
    cpSync(join(root, 'dist/cdn'), join(source, 'dist/cdn'), { recursive: true });
    cpSync(parts, join(source, 'build/parts'), { recursive: true });
    write('package.json', JSON.stringify({ name: 'tamis', version: '1.2.3', files: ['dist'] }));
    write(
      'CHANGELOG.md',
      '# Changelog\n\n## [1.2.3] - 2027-01-31\n\n### Added\n\n- What is new.\n',
    );
    write('CONTRIBUTING.md', `Releases are made with ${emscripten}, the newest.\n`);
    makeFiles(source, first);
  });

  const digestOf = (kind, encoding, file) =>
    createHash(kind).update(readFileSync(file)).digest(encoding);
  const names = ['tamis-1.2.3.tgz', 'tamis-1.2.3-wasm.tar.gz'];

  test('are the tarball, the wasm and their digests', () => {
    assert.deepEqual(readdirSync(first).sort(), ['assets', 'notes.md']);
    assert.deepEqual(readdirSync(assets).sort(), ['SHA256SUMS', ...names].sort());
    const lines = names.map(
      (name) => `${digestOf('sha256', 'hex', join(assets, name))}  ${name}\n`,
    );
    assert.equal(readFileSync(join(assets, 'SHA256SUMS'), 'utf8'), lines.join(''));
    output('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: assets });
    const listed = output('tar', ['-tzf', join(assets, names[0])]);
    assert.ok(listed.split('\n').includes('package/dist/cdn/bloom.js'));
  });

  test('have the wasm as --wasm takes it', () => {
    const folder = join(temporary, 'wasm');
    mkdirSync(folder);
    const archive = join(assets, names[1]);
    output('tar', ['-xzf', archive, '--strip-components=1', '-C', folder]);
    assert.deepEqual(readdirSync(folder).sort(), readdirSync(parts).sort());
    assert.deepEqual(readParts(folder), readParts(parts));
    const files = output('tar', ['-tzf', archive]).trim().split('\n');
    assert.ok(files.every((file) => /^tamis-1\.2\.3-wasm\/[\w.-]+$/.test(file)));
  });

  test('have notes with what is new, and each digest', () => {
    const notes = readFileSync(join(first, 'notes.md'), 'utf8');
    assert.ok(notes.startsWith('### Added\n\n- What is new.\n'));
    for (const name of names)
      assert.ok(
        notes.includes(`| \`${name}\` | \`${digestOf('sha256', 'hex', join(assets, name))}\` |`),
      );
    for (const name of readdirSync(join(root, 'dist/cdn'))) {
      const digest = digestOf('sha384', 'base64', join(root, 'dist/cdn', name));
      assert.ok(notes.includes(`| \`dist/cdn/${name}\` | \`sha384-${digest}\` |`));
    }
  });

  test('have the same bytes each time', () => {
    const second = join(temporary, 'second');
    makeFiles(source, second);
    for (const name of ['notes.md', ...names.map((file) => `assets/${file}`)])
      assert.deepEqual(readFileSync(join(second, name)), readFileSync(join(first, name)), name);
  });

  test('are of the Emscripten that CONTRIBUTING names, and of no other', () => {
    assert.match(
      emscriptenOf(readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')),
      /^\d+\.\d+\.\d+$/,
    );
    write('CONTRIBUTING.md', 'Releases are made with 999.0.0.\n');
    const folder = join(temporary, 'none');
    const message = `Emscripten ${emscripten} made the wasm, and CONTRIBUTING.md names 999.0.0`;
    assert.throws(() => makeFiles(source, folder), { message });
    assert.ok(!readdirSync(temporary).includes('none'));
  });
});
