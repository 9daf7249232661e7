// The content of the package as it is published.
// Run by `node --test tests/package/tarball.test.mjs`; UPDATE_SNAPSHOT=1 rewrites files.txt.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, test } from 'node:test';
import esbuild from 'esbuild';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { app, bin, installed, manifest, read } from './app.mjs';
import { output, packed, root } from './workspace.mjs';

const address = manifest.repository.url.replace(/^git\+|\.git$/g, '');

/** The imports of each module of dist, as esbuild resolves them. */
function graphOf(files) {
  const { metafile } = esbuild.buildSync({
    absWorkingDir: installed,
    entryPoints: files,
    metafile: true,
    write: false,
    bundle: true,
    format: 'esm',
    outdir: 'out',
    logLevel: 'silent',
  });
  return new Map(
    Object.entries(metafile.inputs).map(([file, { imports }]) => [
      file,
      imports.map((to) => to.path),
    ]),
  );
}

/** The files from which an import leads to one that `isWanted`. */
function findReaching(graph, isWanted) {
  const reaching = new Set([...graph.keys()].filter(isWanted));
  for (const one of reaching) {
    for (const [file, imports] of graph) if (imports.includes(one)) reaching.add(file);
  }
  return reaching;
}

/** The modules that a file of the package imports. */
function importsOf(file) {
  const { errors, metafile } = esbuild.buildSync({
    absWorkingDir: installed,
    entryPoints: [file],
    metafile: true,
    write: false,
    bundle: true,
    format: 'esm',
    outfile: 'out.js',
    external: ['*'],
  });
  assert.deepEqual(errors, []);
  return metafile.inputs[file].imports.map(({ path }) => path);
}

/** The files of a part of the wasm: as text, and as a file with the ways of two runtimes to import it. */
const formsOfPart = (name) => [
  `dist/wasm/parts/${name}.js`,
  ...['wasm', 'workerd.js', 'edge-light.js'].map((ending) => `dist/wasm/${name}.${ending}`),
];

describe('the tarball', () => {
  test('holds each module, those that reach the wasm for workerd too, each part of the wasm in all its forms, types, and what files.txt names', () => {
    // A source that ends with -node replaces another one in dist/node. Sources that build pages are only there. A
    // source with nothing but types is no module, and read/index has what read/classes exports.
    const hasCode = (path) =>
      path !== 'read/classes.ts' &&
      /^export (?!type |interface )/m.test(readFileSync(join(root, 'js/src', path), 'utf8'));
    const sources = readdirSync(join(root, 'js/src'), { recursive: true })
      .filter(
        (path) =>
          /(?<!\.d)\.ts$/.test(path) &&
          !/^(disk|node|pages\/builder|wasm)\/|^pages\/(index|options|steps)\.|-node\.ts$/.test(
            path,
          ) &&
          hasCode(path),
      )
      .map((path) => path.replace(/\.ts$/, ''));
    const parts = packed.files.flatMap((file) => {
      const found = /^dist\/wasm\/parts\/(.+)\.js$/.exec(file);
      return found === null ? [] : [found[1]];
    });
    assert.ok(sources.includes('url/index') && parts.includes('base'));
    const modules = sources.map((path) => `dist/${path}.js`);
    const reaching = findReaching(graphOf(modules), (file) =>
      /^dist\/wasm\/(parts\/|inline\.|string-helper\.)/.test(file),
    );
    const again = modules.filter((file) => reaching.has(file));
    assert.ok(again.includes('dist/index.js') && !again.includes('dist/read/index.js'));
    const forms = [
      ...modules,
      ...again.map((file) => file.replace('dist/', 'dist/static/')),
      ...parts.flatMap(formsOfPart),
    ];
    assert.deepEqual(
      forms.filter((file) => !packed.files.includes(file)),
      [],
    );
    const snapshot = join(root, 'tests/package/files.txt');
    const others = packed.files.filter((file) => !forms.includes(file) && !file.endsWith('.d.ts'));
    if (process.env.UPDATE_SNAPSHOT) writeFileSync(snapshot, `${others.join('\n')}\n`);
    assert.equal(`${others.join('\n')}\n`, readFileSync(snapshot, 'utf8'));
  });

  test('holds for each entry a folder that leads to it, which npm removes after it has packed', () => {
    const entries = Object.keys(manifest.exports).filter((path) => manifest.exports[path].types);
    const stubs = packed.files.filter((file) => /^[\w-]+\/package\.json$/.test(file));
    const folders = stubs.map((file) => `./${posix.dirname(file)}`);
    assert.deepEqual(['.', ...folders].sort(), entries.sort());
    for (const folder of folders) {
      const { main, types } = JSON.parse(read(`${folder}/package.json`));
      const { types: asExported, node, default: code = node } = manifest.exports[folder];
      assert.deepEqual(
        [types, main].map((path) => `./${posix.join(folder, path)}`),
        [asExported, code],
      );
    }
    assert.equal(manifest.main, manifest.exports['.'].default);
    assert.deepEqual(packed.leftBehind, []);
  });

  test('holds no tests, no tools, nothing from outside', () => {
    const strange = packed.files.filter((file) =>
      /(^|\/)(tests?|node_modules|build|scripts|bench|examples)\/|\.test\.|\.tsbuildinfo$/.test(
        file,
      ),
    );
    assert.deepEqual(strange, []);
  });

  test('holds the documents that npm and a reader look for', () => {
    const documents = ['README.md', 'LICENSE', 'CHANGELOG.md', 'SECURITY.md', 'cpp/FORMAT.md'];
    for (const file of documents) {
      assert.ok(packed.files.includes(file), file);
    }
  });

  test('holds a README whose links and pictures lead to files of the repository', () => {
    const links = [...read('README.md').matchAll(/(!?)\[[^[\]]*\]\(([^)\s]+)\)/g)];
    const relative = links.filter(([, , target]) => !/^(#|https:\/\/)/.test(target));
    assert.deepEqual(relative, []);
    const kinds = new Set();
    for (const [, mark, target] of links) {
      if (!target.startsWith(`${address}/`)) continue;
      const [, kind, path] = /^\/(\w+)\/main\/([^#]+)/.exec(target.slice(address.length)) ?? [];
      assert.ok(path && existsSync(join(root, path)), target);
      assert.equal(kind === 'raw', mark === '!', target);
      kinds.add(kind);
    }
    assert.deepEqual([...kinds].sort(), ['blob', 'raw']);
  });

  test('holds the licence of whatever is bundled', () => {
    output('node', ['js/scripts/documents.mjs', '--check', 'THIRD-PARTY-NOTICES.md'], {
      cwd: root,
    });
    const notices = read('THIRD-PARTY-NOTICES.md');
    // The last is in a folder of node_modules below another package.
    const works = ['xxHash (BSD-2-Clause)', 'Emscripten', 'musl', 'cli-progress (MIT)'];
    for (const work of [...works, 'ansi-regex (MIT)']) {
      assert.ok(notices.includes(`### ${work}`), work);
    }
  });

  test('says where it comes from, by one address that a release writes', () => {
    const { repository, bugs, homepage, engines } = manifest;
    const [, owner] = /^https:\/\/github\.com\/([\w-]+)\/tamis$/.exec(address) ?? [];
    assert.equal(repository.url, `git+${address}.git`);
    assert.equal(bugs, `${address}/issues`);
    assert.equal(homepage, `https://${owner}.github.io/tamis/`);
    assert.equal(engines.node, '^20.19.0 || >=22.12.0');
  });

  test('names no folder of the machine that built it', () => {
    for (const file of packed.files) {
      assert.ok(!readFileSync(join(installed, file)).includes(root), file);
    }
  });

  test('has the types of each entry, and of others those that they name', () => {
    const entries = Object.values(manifest.exports).flatMap(({ types }) => types?.slice(2) ?? []);
    assert.ok(entries.length >= 7);
    const named = new Set(entries);
    for (const file of named) {
      for (const [, name] of read(file).matchAll(/\b(?:from |import\()['"]([^'"]+)\.js['"]/g))
        named.add(posix.join(posix.dirname(file), `${name}.d.ts`));
    }
    const types = packed.files.filter((file) => file.endsWith('.d.ts'));
    assert.deepEqual([...named].sort(), types.sort());
  });

  test('has neither sources nor maps of them', () => {
    const found = packed.files.filter((file) => /\.map$|(?<!\.d)\.ts$/.test(file));
    assert.deepEqual(found, []);
  });

  test('is small', () => {
    const { size } = statSync(packed.tarball);
    assert.ok(size > 200_000 && size <= 960_000, `${size} bytes`);
    assert.ok(packed.files.length <= 590, `${packed.files.length} files`);
  });

  // Node prints the whole line that throws an error, and below it a line as long that marks the place.
  test('has no long lines', () => {
    const scripts = packed.files.filter((file) => /^dist\/.*\.m?js$/.test(file));
    for (const file of scripts) {
      const long = read(file)
        .split('\n')
        .filter((line) => line.length > 500);
      assert.deepEqual(long, [], file);
    }
  });

  test('imports by relative paths alone, but where a condition asks for other files', () => {
    const isOther = (file) =>
      /^dist\/(node\/|static\/|wasm\/[\w-]+\.(workerd|edge-light)\.)/.test(file);
    const modules = packed.files.filter((file) => /^dist\/.*\.js$/.test(file) && !isOther(file));
    assert.ok(modules.includes('dist/index.js') && modules.includes('dist/wasm/parts/base.js'));
    for (const file of modules) {
      for (const name of importsOf(file)) {
        const target = posix.join(posix.dirname(file), name);
        assert.ok(name.startsWith('.') && packed.files.includes(target), `${file} imports ${name}`);
      }
    }
  });

  test('brings no dependency', () => {
    for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies']) {
      assert.deepEqual(Object.keys(manifest[kind] ?? {}), []);
    }
    const modules = readdirSync(join(app, 'node_modules'));
    assert.deepEqual(
      modules.filter((name) => !name.startsWith('.')),
      ['tamis'],
    );
    for (const script of ['preinstall', 'install', 'postinstall', 'prepare']) {
      assert.equal(manifest.scripts?.[script], undefined, script);
    }
  });

  test('evaluates no string as code', () => {
    const scripts = packed.files.filter((file) => /^dist\/.*\.m?js$/.test(file));
    assert.ok(scripts.includes('dist/index.js'));
    for (const file of scripts) {
      assert.doesNotMatch(read(file), /\beval\s*\(|\bnew\s+Function\b|\bFunction\s*\(/, file);
    }
  });

  test('satisfies publint', async () => {
    const tarball = new Uint8Array(readFileSync(packed.tarball)).buffer;
    const { messages } = await publint({ pack: { tarball }, strict: true, level: 'suggestion' });
    assert.deepEqual(
      messages.map((message) => formatMessage(message, manifest, { color: false })),
      [],
    );
  });

  test('keeps to its size', () => {
    const sizes = JSON.parse(output(bin('size-limit'), ['--json'], { cwd: root }));
    assert.ok(sizes.length >= 12);
    for (const { name, size, passed } of sizes) {
      assert.equal(passed, true, `${name}: ${size} bytes`);
      const hasNoWasm = /no wasm|^tamis\/(read|remote|feeds)/.test(name);
      assert.ok(hasNoWasm || size > 8000, `${name}: ${size} bytes: is the wasm inside?`);
    }
  });
});
