// The applications of docs/guide/frameworks.md, each in a new folder with the packed tarball and the packages that
// frameworks/apps.json pins. They are built, and answer for a listed key and an absent one. Run by `npm run test:web`;
// some of them by `npm run test:web -- --all` alone.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openFor, outcomeOf, startEngine } from '../../tests/e2e/engines/index.mjs';
import { skipMissing } from '../../tests/package/from-npm.mjs';
import { environment, output, packed, run } from '../../tests/package/workspace.mjs';
import { startServer as serveFolder } from '../../web-demo/serve.mjs';
import { makeFolder } from '../folders.mjs';
import { onFreePort, startServer } from '../servers.mjs';

const apps = JSON.parse(readFileSync(new URL('frameworks/apps.json', import.meta.url), 'utf8'));
const nightly = { skip: !process.env.TAMIS_ALL && 'only with --all' };

const env = {
  ...environment,
  NEXT_TELEMETRY_DISABLED: '1',
  NUXT_TELEMETRY_DISABLED: '1',
  NG_CLI_ANALYTICS: 'false',
};

/** Runs a program of an application, or `npm`. */
function runIn(folder, name, ...args) {
  const program = name === 'npm' ? name : join(folder, 'node_modules/.bin', name);
  return output(program, args, { cwd: folder, env });
}

/** A list that is so long that no bundler puts its filter inside a script. */
const linesOf = (listed, other) => [
  ...listed,
  ...Array.from({ length: 10_000 }, (_, i) => other(i)),
];
const lists = {
  'taken.tamis': linesOf(['ada'], (i) => `name-${i}`),
  'moved.tamis': linesOf(['/blog/ada', '/blog/a b'], (i) => `/blog/old-${i}`),
};

/** Makes an application, with a filter at each of `places`. Without npm it skips the test and returns undefined. */
function makeApp(t, name, ...places) {
  const folder = makeFolder(name);
  cpSync(fileURLToPath(new URL(`frameworks/${name}`, import.meta.url)), folder, {
    recursive: true,
  });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, ...apps[name] }));
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  try {
    runIn(folder, 'npm', 'install', ...flags, packed.tarball);
  } catch (error) {
    skipMissing(t, name, error);
    return undefined;
  }
  for (const place of places) {
    const [file] = place.split('/').slice(-1);
    writeFileSync(join(folder, 'list.txt'), `${lists[file].join('\n')}\n`);
    mkdirSync(dirname(join(folder, place)), { recursive: true });
    runIn(folder, 'tamis', 'build', 'list.txt', '-o', place, '--type', 'ribbon', '--fpr', '0.001');
  }
  return folder;
}

/** Starts a server of Node for a test, which ends it. Returns its address. */
async function serve(t, folder, ready, argsOf) {
  const server = await onFreePort((port) => {
    const more = { HOST: '127.0.0.1', PORT: String(port) };
    return startServer(ready, process.execPath, argsOf(String(port)), {
      cwd: folder,
      env: { ...env, ...more },
    }).then((started) => ({ ...started, url: `http://127.0.0.1:${port}` }));
  });
  t.after(() => server.stop());
  return server.url;
}

const ask = async (url) => (await fetch(url)).json();

/** Opens a folder of static files in Chromium. Its page asks for both keys. */
async function checkPage(t, root) {
  const server = await serveFolder({ root, port: 0, csp: "script-src 'self'" });
  t.after(() => server.close());
  const engine = await startEngine('chromium');
  t.after(() => engine.close());
  const page = await openFor(t, engine, server.url);
  assert.deepEqual(await outcomeOf(page), [true, false]);
}

test('Vite 7, and Vitest 4 in Node and in jsdom', async (t) => {
  const folder = makeApp(t, 'vite', 'taken.tamis');
  if (folder === undefined) return;
  runIn(folder, 'vite', 'build');
  const built = readdirSync(join(folder, 'dist/assets'));
  assert.ok(built.some((file) => /^taken-[\w-]+\.tamis$/.test(file)));
  await checkPage(t, join(folder, 'dist'));
  for (const environment of ['node', 'jsdom']) {
    assert.match(runIn(folder, 'vitest', 'run', `--environment=${environment}`), /1 passed/);
  }
});

test('Next.js 16: proxy, route and edge route', async (t) => {
  const folder = makeApp(t, 'next', 'data/moved.tamis');
  if (folder === undefined) return;
  runIn(folder, 'next', 'build');
  // A host of functions copies the files that Next has traced, and no others.
  for (const script of ['middleware.js', 'app/api/moved/route.js']) {
    const traced = readFileSync(join(folder, '.next/server', `${script}.nft.json`), 'utf8');
    assert.match(traced, /"[./]*data\/moved\.tamis"/);
  }
  const program = join(folder, 'node_modules/next/dist/bin/next');
  const argsOf = (port) => [program, 'start', '-H', '127.0.0.1', '-p', port];
  const url = await serve(t, folder, /Ready in/, argsOf);
  const visit = (path) => fetch(`${url}${path}`, { redirect: 'manual' });
  const moves = { '/blog/ada?page=2': '/blog/lovelace?page=2', '/blog/a%20b': '/blog/bar' };
  for (const [path, target] of Object.entries(moves)) {
    const { status, headers } = await visit(path);
    assert.deepEqual([status, headers.get('location')], [308, target]);
  }
  for (const path of ['/blog/zoe', '/blog/%FF']) assert.equal((await visit(path)).status, 404);
  for (const [path, has] of [
    ['/blog/ada', true],
    ['/blog/zoe', false],
  ]) {
    assert.deepEqual(await ask(`${url}/api/moved?path=${path}`), { mayHaveMoved: has });
    assert.deepEqual(await ask(`${url}/edge?path=${path}`), [has, has]);
  }
});

test('Jest 30, and tamis/remote in its jsdom', (t) => {
  const folder = makeApp(t, 'jest', 'taken.tamis');
  if (folder === undefined) return;
  runIn(folder, 'tamis', 'shard', 'list.txt', '-o', 'pages', '--name', 'taken');
  const jest = join(folder, 'node_modules/.bin/jest');
  const { status, stderr } = run(jest, ['--ci'], { cwd: folder, env });
  assert.equal(status, 0, stderr);
  assert.match(stderr, /Tests: +2 passed, 2 total/);
});

test('Angular 20', nightly, async (t) => {
  const folder = makeApp(t, 'angular', 'public/taken.tamis');
  if (folder === undefined) return;
  runIn(folder, 'ng', 'build');
  await checkPage(t, join(folder, 'dist/app/browser'));
});

describe('servers that ask for a name', nightly, () => {
  const servers = {
    'SvelteKit 2': {
      app: 'sveltekit',
      file: 'src/routes/taken/taken.tamis',
      build: ['vite', 'build'],
      main: 'build/index.js',
      path: '/taken',
    },
    'Nuxt 3': {
      app: 'nuxt',
      file: 'server/assets/taken.tamis',
      build: ['nuxi', 'build'],
      main: '.output/server/index.mjs',
      path: '/api/taken',
    },
  };
  for (const [name, { app, file, build, main, path }] of Object.entries(servers)) {
    test(name, async (t) => {
      const folder = makeApp(t, app, file);
      if (folder === undefined) return;
      runIn(folder, ...build);
      const url = await serve(t, folder, /Listening on/, () => [main]);
      const answers = ['ada', 'zoe'].map((key) => ask(`${url}${path}?name=${key}`));
      assert.deepEqual(await Promise.all(answers), [true, false]);
    });
  }
});
