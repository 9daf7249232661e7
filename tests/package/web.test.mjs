// The package in bundles: for pages, and for runtimes that compile no wasm.
// Run by `node --test tests/package/web.test.mjs`.
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { build as viteBuild } from 'vite';
import { golden } from '../e2e/golden.mjs';
import { app, bin, bundle, expected, expectedOfUrls, installed, read } from './app.mjs';
import { output, runInPage } from './workspace.mjs';

describe('the web', () => {
  test('runs what esbuild bundles, without unsafe-eval', async () => {
    assert.deepEqual(runInPage(await bundle('page.mjs')), { answer: expected });
  });

  test('says which header a policy without WebAssembly lacks', async () => {
    const { answer, failure } = runInPage(await bundle('page.mjs'), { wasm: false });
    assert.equal(answer, undefined);
    assert.equal(failure.code, 'ERR_TAMIS_WASM_BLOCKED');
    assert.match(failure.message, /'wasm-unsafe-eval'/);
  });

  test('runs what Vite builds', async () => {
    writeFileSync(join(app, 'index.html'), '<script type="module" src="/page.mjs"></script>');
    const built = await viteBuild({
      root: app,
      configFile: false,
      logLevel: 'error',
      build: { write: false, modulePreload: false },
    });
    const scripts = built.output.filter((file) => file.type === 'chunk');
    const others = built.output.filter((file) => file.type === 'asset');
    assert.deepEqual(
      others.map((file) => file.fileName),
      ['index.html'],
    );
    assert.equal(scripts.length, 1, 'one chunk, nothing beside it');
    assert.deepEqual(runInPage(`{${scripts[0].code}}`), { answer: expected });
  });

  const pageOf = (name, code) => {
    writeFileSync(join(app, name), code);
    return bundle(name);
  };

  test('bundles tamis/url with the same core', async () => {
    const code = await pageOf(
      'url-page.mjs',
      "import { urls } from './urls.mjs'; self.answer = urls()",
    );
    assert.deepEqual(runInPage(code), { answer: expectedOfUrls });
    // The base's own text, which all of a page shares, is there once.
    const [, , base] = /code: ?(['"])([^\\\n]{200})/.exec(read('dist/wasm/parts/base.js'));
    assert.equal(code.split(base).length, 2);
  });

  test('carries no code of URLs into a page of filters, nor the reverse', async () => {
    const filters = await pageOf(
      'filters.mjs',
      "import * as all from 'tamis'; self.all = { ...all }",
    );
    const urls = await pageOf(
      'lists.mjs',
      "import * as all from 'tamis/url'; self.all = { ...all }",
    );
    for (const [code, own, foreign] of [
      [filters, 'jaccard', 'addExpressions'],
      [urls, 'addExpressions', 'jaccard'],
    ]) {
      assert.ok(code.includes(own) && !code.includes(foreign));
    }
  });

  test('leaves nothing behind where nothing of it is used', async () => {
    const lines = ['tamis', 'tamis/url'].map((name) => `import '${name}';`);
    const names = "import { BloomFilter } from 'tamis';\nimport { UrlList } from 'tamis/url';";
    writeFileSync(join(app, 'unused.mjs'), `${lines.join('\n')}\n${names}`);
    const code = await bundle('unused.mjs', {
      format: 'esm',
      logOverride: { 'ignored-bare-import': 'silent' },
    });
    assert.equal(code.trim(), '');
  });
});

describe('runtimes that take wasm from static imports alone', () => {
  const conditions = {
    workerd: '.wasm',
    'edge-light': '.wasm?module',
    // Nitro sets both: its output for Cloudflare runs in workerd.
    'edge-light,workerd': '.wasm',
    // By default its plug-in unwasm returns an instance in the place of a module.
    'edge-light,workerd,unwasm': '.wasm?module',
  };
  const wasm = (name) => join(installed, 'dist/wasm', name);

  for (const [condition, ending] of Object.entries(conditions)) {
    test(`${condition}: a bundle imports the modules, and compiles nothing`, async () => {
      const options = {
        conditions: condition.split(','),
        external: ['*.wasm', '*?module'],
        format: 'esm',
      };
      for (const [entry, part] of [
        ['page.mjs', 'bloom'],
        ['urls.mjs', 'url'],
      ]) {
        const code = await bundle(entry, options);
        const names = [...code.matchAll(/\bfrom\s*['"]([^'"]+\.wasm\b[^'"]*)['"]/g)].map(
          ([, from]) => from,
        );
        for (const name of ['base', part])
          assert.ok(names.includes(`./${name}${ending}`), names.join());
        assert.ok(names.every((name) => name.endsWith(ending)));
        const compiling = /new WebAssembly\.Module\b|WebAssembly\.(compile|instantiate)/;
        assert.equal(compiling.exec(code)?.[0], undefined);
        assert.ok(code.length < 150_000, `${code.length}: the wasm is not inside`);
      }
    });

    test(`${condition}: it runs where WebAssembly may not be compiled`, async () => {
      const asked = [];
      const handOver = {
        name: 'wasm as a compiled module',
        setup(build) {
          build.onResolve({ filter: /\.wasm(\?module)?$/ }, ({ path, importer }) => {
            assert.equal(dirname(importer), wasm('.'));
            assert.ok(path.endsWith(ending), path);
            const name = basename(path, ending);
            asked.push(name);
            return { path: name, namespace: 'compiled' };
          });
          build.onLoad({ filter: /./, namespace: 'compiled' }, ({ path }) => ({
            contents: `export default compiled['${path}']`,
          }));
        },
      };
      const code = await bundle('page.mjs', {
        conditions: condition.split(','),
        plugins: [handOver],
      });
      assert.ok(asked.includes('base') && !asked.includes('core'), asked.join());
      const compiled = Object.fromEntries(
        asked.map((name) => [name, new WebAssembly.Module(readFileSync(wasm(`${name}.wasm`)))]),
      );
      const result = runInPage(code, { wasm: false, globals: { compiled } });
      assert.deepEqual(result, { answer: expected });
    });
  }

  /** Runs a worker's `test` in workerd, with the wasm beside it. Returns the output. */
  function runInWorkerd(name, code) {
    const folder = join(app, name);
    mkdirSync(folder);
    writeFileSync(join(folder, 'main.js'), code);
    const named = [...code.matchAll(/from\s*['"]\.\/([\w-]+\.wasm)['"]/g)].map(([, file]) => file);
    for (const file of named) copyFileSync(wasm(file), join(folder, file));
    const modules = named.map((file) => `(name = "${file}", wasm = embed "${file}"),`);
    const config = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = (
  compatibilityDate = "2024-10-01",
  modules = [
    (name = "main.js", esModule = embed "main.js"),
    ${modules.join('\n    ')}
  ],
))]);
`;
    writeFileSync(join(folder, 'config.capnp'), config);
    return output(bin('workerd', 'lab'), ['test', join(folder, 'config.capnp')]);
  }

  test('it runs in workerd', async () => {
    writeFileSync(
      join(app, 'worker.mjs'),
      `import { exercise } from './exercise.mjs';
      import { urls } from './urls.mjs';
      export default { test: () => console.log(JSON.stringify([exercise(), urls()])) };`,
    );
    const options = { conditions: ['workerd'], external: ['*.wasm'], format: 'esm' };
    const said = runInWorkerd('with-condition', await bundle('worker.mjs', options));
    assert.deepEqual(JSON.parse(said), [expected, expectedOfUrls]);
  });

  test('a scheme in workerd loads a file of its own, and brings no other scheme', async () => {
    const { bytes, present, absent } = golden.find(({ file }) => file === 'bloom-guava.tamis');
    const keys = [...present, ...absent.map(({ key }) => key)];
    writeFileSync(
      join(app, 'scheme.mjs'),
      `import { BloomFilter } from 'tamis';
      import { guava64 } from 'tamis/schemes';
      const fromHex = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (byte) => parseInt(byte, 16));
      const bytes = fromHex('${bytes}');
      let code;
      try { BloomFilter.fromBytes(bytes) } catch (error) { code = error.code }
      const filter = BloomFilter.fromBytes(bytes, { schemes: [guava64] });
      const answers = ${JSON.stringify(keys)}.map((key) => filter.has(fromHex(key)));
      export default { test: () => console.log(JSON.stringify([code, filter.scheme, answers])) };`,
    );
    const options = { conditions: ['workerd'], external: ['*.wasm'], format: 'esm' };
    const code = await bundle('scheme.mjs', options);
    const said = runInWorkerd('with-scheme', code);
    const answers = [...present.map(() => true), ...absent.map(({ has }) => has)];
    assert.deepEqual(JSON.parse(said), ['ERR_TAMIS_UNSUPPORTED', 'guava64', answers]);
    const others = ['seeds', 'digest', 'murmur2a-fnv1a'];
    assert.ok(code.includes('./guava64.wasm'));
    for (const name of others) assert.ok(!code.includes(`./${name}.wasm`), name);
  });

  test('without its condition workerd is told what to do, which is no header of a page', async () => {
    writeFileSync(
      join(app, 'blocked.mjs'),
      `import wasm from './core.wasm';
      import { BloomFilter, init } from 'tamis';
      export default {
        async test() {
          const told = [];
          const source = { bytes: new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]) };
          for (const start of [() => new BloomFilter({ capacity: 1 }), () => init(source)]) {
            try { await start(); } catch ({ code, message }) { told.push([code, message]); }
          }
          await init({ module: wasm });
          told.push(new BloomFilter({ capacity: 1 }).has('a'));
          console.log(JSON.stringify(told));
        },
      };`,
    );
    const options = { external: ['*.wasm'], format: 'esm' };
    const said = runInWorkerd('without-condition', await bundle('blocked.mjs', options));
    const [byUse, byInit, answer] = JSON.parse(said);
    assert.deepEqual(byUse, byInit);
    assert.equal(byUse[0], 'ERR_TAMIS_WASM_BLOCKED');
    assert.match(byUse[1], /bundle for `workerd` or `edge-light`.*`await init\(\{ module \}\)`/);
    assert.doesNotMatch(byUse[1], /page|polic|header/i);
    assert.equal(answer, false);
  });
});
