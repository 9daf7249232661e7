// The package in projects of every kind that have it installed.
// Run by `node --test tests/package/consumers.test.mjs`.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, posix } from 'node:path';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import esbuild from 'esbuild';
import { assertFound, checkPath, given } from '../e2e/read-golden.mjs';
import { app, bin, expectedOfLists, expectedOfUrls, manifest } from './app.mjs';
import { output, packed, project, root, run } from './workspace.mjs';

const entries = Object.keys(manifest.exports)
  .filter((path) => manifest.exports[path].types)
  .map((path) => posix.join('tamis', path));

describe('Node', () => {
  test('builds in a worker, and asks where the bytes are sent', () => {
    const { same, emptied, hits, misses } = JSON.parse(output('node', ['ship.mjs'], { cwd: app }));
    assert.deepEqual([same, emptied, hits, misses], [true, 0, 10_000, 0]);
  });

  test('requires it from CommonJS', () => {
    const folder = project('commonjs', 'commonjs');
    const script =
      "const { BloomFilter } = require('tamis');" +
      "const f = new BloomFilter({ capacity: 10 }); f.add('a'); console.log(f.has('a'), f.has('b'))";
    assert.equal(output('node', ['-e', script], { cwd: folder }), 'true false\n');
  });

  test('requires of each entry what it imports', () => {
    const script = (load) => `(async () => {
      for (const entry of ${JSON.stringify(entries)}) {
        console.log(entry, Object.keys(await ${load}(entry)).sort().join());
      }
    })()`;
    const [required, imported] = ['require', 'import'].map((load) =>
      output('node', ['--input-type=commonjs', '-e', script(load)], { cwd: app }),
    );
    assert.equal(required, imported);
    assert.match(required, /^tamis .*\bBloomFilter\b/);
  });

  test('exports its entry points and no other path', () => {
    const script = `
      import { readFileSync } from 'node:fs';
      const wasm = readFileSync(new URL(import.meta.resolve('tamis/core.wasm')));
      const entry = (path) => import(path, { with: { type: 'json' } }).then(
        (module) => module.default.name, (error) => error.code);
      console.log(JSON.stringify([
        WebAssembly.validate(wasm),
        await entry('tamis/package.json'),
        await entry('tamis/dist/index.js'),
        await entry('tamis/core/memory.js'),
      ]));`;
    const said = output('node', ['--input-type=module', '-e', script], { cwd: app });
    const closed = 'ERR_PACKAGE_PATH_NOT_EXPORTED';
    assert.deepEqual(JSON.parse(said), [true, 'tamis', closed, closed]);
  });

  test('builds pages in Node, which its clients read; no browser is given that', async () => {
    const script = `
      import { readFile } from 'node:fs/promises';
      import { join } from 'node:path';
      import { TamisError } from 'tamis';
      import { buildPages, TamisError as own } from 'tamis/pages';
      import { RemoteFilter } from 'tamis/remote';
      const { manifestPath, manifest, bytes } = await buildPages(['ant', 'bee'], 'pages', { name: 'two' });
      const filter = await RemoteFilter.open('https://host.example/manifest.json', {
        name: 'two',
        publicKeys: null,
        fullResponses: 'use',
        fetch: async (url) => new Response(await readFile(join(manifestPath, '..', url.split('/').at(-1)))),
      });
      const found = await filter.hasMany(['ant', 'bee']);
      console.log(JSON.stringify([own === TamisError, manifest.keys, bytes === manifest.stride, [...found]]));`;
    const said = output('node', ['--input-type=module', '-e', script], { cwd: app });
    assert.deepEqual(JSON.parse(said), [true, 2, true, [1, 1]]);
    const refused = esbuild.build({
      stdin: { contents: "export * from 'tamis/pages'", resolveDir: app },
      bundle: true,
      write: false,
      logLevel: 'silent',
    });
    await assert.rejects(refused, /"tamis\/pages".*"node"|Could not resolve "tamis\/pages"/s);
  });

  test('gives every class its own name', () => {
    const script = `
      const names = [];
      const entries = ['read', 'interop', 'redis', 'url', 'safe-browsing'].map((name) => 'tamis/' + name);
      for (const entry of ['tamis', ...entries]) {
        for (const [name, value] of Object.entries(await import(entry))) {
          if (/^class\\b/.test(value)) names.push([name, value.name]);
        }
      }
      console.log(JSON.stringify(names));`;
    const names = JSON.parse(output('node', ['--input-type=module', '-e', script], { cwd: app }));
    assert.ok(names.length >= 20, `${names.length}`);
    for (const [name, own] of names) assert.equal(own, name);
  });

  test('runs under Jest, as ES modules and as CommonJS', () => {
    const jest = (...args) => {
      const { status, stderr } = run('node', [...args, '--ci'], { cwd: join(app, 'jest') });
      assert.equal(status, 0, stderr);
      assert.match(stderr, /Tests: +1 passed, 1 total/);
    };
    const program = join(root, 'node_modules/jest/bin/jest.js');
    jest('--experimental-vm-modules', program, '-c', 'modules.config.mjs');
    // The guide's, with the path of the transform that a project has installed.
    const recipe = readFileSync(join(root, 'lab/web/frameworks/jest/jest.config.mjs'), 'utf8');
    const transform = createRequire(import.meta.url).resolve('@swc/jest');
    const config = recipe.replace("'@swc/jest'", JSON.stringify(transform));
    writeFileSync(join(app, 'jest/guide.config.mjs'), config);
    jest(program, '-c', 'guide.config.mjs', 'commonjs.test.cjs');
  });

  test('does nothing on import: WebAssembly is not even looked at', () => {
    const script = `
      const before = Object.getOwnPropertyNames(globalThis).join();
      Object.defineProperty(globalThis, 'WebAssembly', { get() { throw new Error('used') } });
      await import('tamis');
      await import('tamis/read');
      await import('tamis/feeds');
      await import('tamis/safe-browsing');
      await import('tamis/interop');
      await import('tamis/redis');
      await import('tamis/pages');
      console.log(Object.getOwnPropertyNames(globalThis).join() === before);`;
    assert.equal(output('node', ['--input-type=module', '-e', script], { cwd: app }), 'true\n');
  });

  // Without a compiler at run time there is no WebAssembly either.
  for (const flags of [[], ['--jitless']]) {
    test(`${['node', ...flags].join(' ')}: the golden files by tamis/read`, () => {
      const data = join(app, 'golden.json');
      writeFileSync(data, given);
      const script = `
        import { readFileSync } from 'node:fs';
        import * as read from 'tamis/read';
        import { checkGolden } from ${JSON.stringify(pathToFileURL(checkPath))};
        const given = JSON.parse(readFileSync(${JSON.stringify(data)}, 'utf8'));
        const found = checkGolden(read, ...given);
        console.log(JSON.stringify([typeof WebAssembly, found]));`;
      const args = [...flags, '--input-type=module', '-e', script];
      const [wasm, found] = JSON.parse(output('node', args, { cwd: app }));
      assert.equal(wasm, flags.length > 0 ? 'undefined' : 'object');
      assertFound(found);
    });
  }

  test('has one core for tamis and tamis/url', () => {
    const script = "import { urls } from './urls.mjs'; console.log(JSON.stringify(urls()))";
    const said = output('node', ['--input-type=module', '-e', script], { cwd: app });
    assert.deepEqual(JSON.parse(said), expectedOfUrls);
  });

  test('has a tamis/url that works without any filter', () => {
    const folder = project('urls-alone');
    const folderOf = join(folder, 'node_modules/tamis/dist');
    const types = readdirSync(join(folderOf, 'filters')).map((file) => file.split('.')[0]);
    const ofFilters = [
      ...['', 'node', 'static'].flatMap((form) =>
        [
          ...['index.js', 'any.js', 'suggest.js'],
          ...['filters', 'read', 'schemes', 'interop', 'redis'],
        ].map((name) => join(form, name)),
      ),
      ...types.flatMap((type) => [`wasm/parts/${type}.js`, `wasm/${type}.wasm`]),
    ];
    for (const path of ofFilters) rmSync(join(folderOf, path), { recursive: true, force: true });
    for (const entry of ['tamis/url', './node_modules/tamis/dist/url/index.js']) {
      const script = `
        const filters = await import('tamis').catch(({ code }) => code);
        const { checkLists } = await import('./check-lists.mjs');
        console.log(JSON.stringify([filters, await checkLists(await import('${entry}'))]));`;
      const said = output('node', ['--input-type=module', '-e', script], { cwd: folder });
      assert.deepEqual(JSON.parse(said), ['ERR_MODULE_NOT_FOUND', expectedOfLists], entry);
    }
  });

  test('runs the installed command', () => {
    const list = join(app, 'list.txt');
    writeFileSync(list, 'evil.example\nbad.example\n');
    const tamis = (...args) => run(join(app, 'node_modules/.bin/tamis'), args, { cwd: app });
    assert.equal(tamis('build', list, '-o', 'list.tamis').status, 0);
    assert.ok(existsSync(join(app, 'list.tamis')));
    assert.equal(tamis('check', 'list.tamis', 'evil.example').status, 0);
    assert.equal(tamis('check', 'list.tamis', 'good.example').status, 1);
    assert.equal(tamis('check', 'missing.tamis', 'evil.example').status, 2);
    const npx = run('npx', ['--no-install', 'tamis', 'check', 'list.tamis', 'bad.example'], {
      cwd: app,
    });
    assert.equal(npx.status, 0, npx.stderr);
  });
});

describe('the commands for lists of URLs', () => {
  const folder = join(app, 'urls');
  mkdirSync(folder);
  const tamis = (...args) => run(join(app, 'node_modules/.bin/tamis'), args, { cwd: folder });
  const done = (...args) => {
    const { status, stdout, stderr } = tamis('url', ...args);
    assert.deepEqual([status, stderr], [0, '']);
    return stdout;
  };

  test('build, diff, publish and check, from a text file to an answer', () => {
    const lists = { monday: 'evil.example\n', tuesday: 'evil.example\nbad.example\n' };
    const publish = ['--to', 'pub', '--sign', 'key.pem', '--name', 'bad', '--json'];
    let published;
    for (const [day, text] of Object.entries(lists)) {
      writeFileSync(join(folder, `${day}.txt`), text);
      done('build', `${day}.txt`, '-o', `${day}.tamis`, '--hashes', `${day}.hashes`);
      published = JSON.parse(done('publish', `${day}.tamis`, ...publish, '--create-key'));
    }
    assert.deepEqual([published.deltas, published.entries], [1, 2]);
    assert.equal(readFileSync(join(folder, 'tuesday.hashes')).length, 2 * 32);
    done('diff', 'monday.tamis', 'tuesday.tamis', '-o', 'delta');
    const key = ['--public-key', published.publicKey, '--name', 'bad'];
    const url = 'https://www.bad.example/login';
    assert.equal(done('check', 'pub', ...key, url), `maybe    ${url}  by bad.example/\n`);
    assert.equal(tamis('url', 'check', 'monday.tamis', url).status, 1);
    for (const wrong of [key.with(1, 'a'.repeat(64)), key.with(3, 'worse')]) {
      assert.equal(tamis('url', 'check', 'pub', ...wrong, url).status, 2);
    }
    writeFileSync(join(folder, 'good.txt'), `${url}\n`);
    const gate = ['--must-not-match', 'good.txt'];
    const refused = tamis('url', 'build', 'tuesday.txt', '-o', 'no.tamis', ...gate);
    assert.equal(refused.status, 2);
    assert.match(refused.stderr, /ERR_TAMIS_REFUSED\)\n {2}bad\.example\/\n$/);
    assert.equal(existsSync(join(folder, 'no.tamis')), false);
  });

  test('say what is missing where the package of public suffixes is not installed', () => {
    const { status, stderr } = tamis('url', 'build', 'monday.txt', '-o', 'x', '--rule', 'tldts');
    assert.equal(status, 2);
    assert.match(stderr, /^tamis: --rule tldts: the package tldts is not installed: /);
  });
});

describe('TypeScript', () => {
  // The rule that is ignored asks for CommonJS beside the modules: Node of `engines` requires modules.
  test('satisfies attw, but for the .wasm entry, which has no types to resolve', () => {
    const options = ['--no-definitely-typed', '--no-color', '--ignore-rules=cjs-resolves-to-esm'];
    output(bin('attw', 'lab'), [
      packed.tarball,
      ...options,
      '--exclude-entrypoints',
      './core.wasm',
    ]);
  });

  const oldest = 'lab/node_modules/typescript-5.7';
  const compilers = { 'of the oldest version': oldest, 'of now': 'node_modules/typescript' };
  const options = {
    target: 'es2022',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
  };
  const dom = ['dom', 'dom.iterable', 'dom.asynciterable'];
  const page = { lib: ['es2023', ...dom], types: [], noEmit: true };
  const node16 = { module: 'node16', moduleResolution: 'node16' };

  function compile(compiler, files, more) {
    const config = join(app, 'tsconfig.json');
    const compilerOptions = { ...options, ...more };
    writeFileSync(config, JSON.stringify({ compilerOptions, files }));
    const tsc = join(root, compiler, 'bin/tsc');
    const { status, stdout } = run('node', [tsc, '-p', config], { cwd: app });
    assert.equal(status, 0, stdout);
  }

  writeFileSync(
    join(app, 'both-entries.ts'),
    `import { BloomFilter, fromStream, init, keyBatchesFrom } from 'tamis';
    import * as url from 'tamis/url';
    export const bytes: Uint8Array<ArrayBuffer> = new BloomFilter({ capacity: 10 }).toBytes();
    export const list: url.UrlList = new url.UrlListBuilder().addHosts(['b.example']).build();
    export const source = (module: Parameters<typeof init>[0]) => init(module);
    export { fromStream, keyBatchesFrom, url };
`,
  );
  const guide = readFileSync(join(root, 'docs/guide/urls.md'), 'utf8');
  const block = /^```ts\n(import [^`]*?'tamis\/url';\n[\s\S]*?)^```$/m.exec(guide);
  writeFileSync(join(app, 'guide-url.ts'), `${block[1]}\nexport {};\n`);

  for (const [age, compiler] of Object.entries(compilers)) {
    test(`a compiler ${age}: with moduleResolution node16, also the guide's block of tamis/url, and the result runs`, () => {
      const emit = { noEmit: false, outDir: 'out' };
      compile(compiler, ['main-api.ts', 'guide-url.ts'], { ...page, ...node16, ...emit });
      const said = output('node', ['out/main-api.js'], { cwd: app });
      assert.equal(said, `${manifest.version}\n`);
    });

    test(`a compiler ${age}: with moduleResolution bundler`, () => {
      const bundler = { module: 'esnext', moduleResolution: 'bundler' };
      compile(compiler, ['both-entries.ts'], { ...page, ...bundler });
    });

    test(`a compiler ${age}: with the types of Node and without those of the DOM`, () => {
      const typeRoots = [join(root, 'node_modules/@types')];
      const node = { lib: ['es2022'], typeRoots, types: ['node'], noEmit: true };
      compile(compiler, ['both-entries.ts'], { ...node, ...node16 });
    });
  }

  test('finds every entry with moduleResolution node10 too, the default of ts-jest', () => {
    const imports = entries.map((entry, i) => `import * as all${i} from '${entry}';\n`);
    writeFileSync(
      join(app, 'all-entries.ts'),
      `${imports.join('')}export const all = [${entries.map((_, i) => `all${i}`)}];\n`,
    );
    for (const module of ['esnext', 'commonjs']) {
      const node10 = { module, moduleResolution: 'node10' };
      compile(oldest, ['both-entries.ts', 'all-entries.ts'], { ...page, ...node10 });
    }
  });
});
