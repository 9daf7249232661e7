// The single files of dist/cdn, and the pages of docs/guide/frameworks.md that load them, as they stand there.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import * as tamis from 'tamis';
import * as reading from 'tamis/read';
import { startServer } from '../../web-demo/serve.mjs';
import { complaintsOf, launchBrowser } from './browser.mjs';
import { settles } from './patience.mjs';

const root = new URL('../../', import.meta.url);
const read = (path) => readFileSync(new URL(path, root));
const folder = new URL('dist/cdn/', root);
const { version, ...manifest } = JSON.parse(read('package.json'));
const guide = read('docs/guide/frameworks.md').toString();
const [ownPage, cdnPage] = [...guide.matchAll(/^```html\n([\s\S]*?)^```$/gm)].map(
  ([, html]) => html,
);

/** The exports of each file, and its largest size in gzip. */
const files = {
  'bloom.js': { names: ['BloomFilter', 'TamisError'], most: 30_000 },
  'read.js': { names: Object.keys(reading), most: 12_000 },
  'tamis.js': { names: Object.keys(tamis), most: 80_000 },
};

const isClass = (value) => typeof value === 'function' && /^class\b/.test(String(value));

describe('dist/cdn', () => {
  test('has these files, and the page names each', () => {
    assert.deepEqual(readdirSync(folder).sort(), Object.keys(files).sort());
    const rows = [...guide.matchAll(/^\| `dist\/cdn\/(.+?)` \|/gm)];
    assert.deepEqual(
      rows.map(([, name]) => name),
      Object.keys(files),
    );
  });

  test('has what CDNs give for the name of the package alone', () => {
    for (const field of ['unpkg', 'jsdelivr'])
      assert.equal(manifest[field], './dist/cdn/tamis.js', field);
  });

  for (const [name, { names, most }] of Object.entries(files)) {
    test(`${name} is small, imports nothing, and its classes have their names`, async () => {
      const bytes = read(`dist/cdn/${name}`);
      const [first] = bytes.toString().split('\n');
      assert.ok(
        first.includes(`/*! tamis ${version}, MIT. Notices: THIRD-PARTY-NOTICES.md `),
        first,
      );
      const { length } = gzipSync(bytes, { level: 9 });
      assert.ok(length > 8000 && length <= most, `${length} bytes`);
      const { metafile } = await build({
        entryPoints: [new URL(name, folder).pathname],
        bundle: true,
        format: 'esm',
        external: ['*'],
        metafile: true,
        write: false,
      });
      const inputs = Object.values(metafile.inputs);
      assert.deepEqual(
        inputs.flatMap(({ imports }) => imports),
        [],
      );
      // Safari has static blocks from 16.4 on, and tamis runs in Safari from 15 on.
      assert.ok(!/\bstatic\s*\{/.test(bytes));
      const module = await import(new URL(name, folder));
      assert.deepEqual(Object.keys(module), [...names].sort());
      const classes = Object.entries(module).filter(([, value]) => isClass(value));
      assert.ok(classes.length >= 2);
      for (const [exported, value] of classes) assert.equal(value.name, exported);
      // Names that no file exports, such as the base classes of filters.
      const { BloomFilter } = module;
      assert.match(Object.getPrototypeOf(BloomFilter).name, /^[A-Z]\w{3,}$/);
    });
  }

  test('bloom.js and read.js are what tamis and tamis/read are', async () => {
    const { BloomFilter, TamisError } = await import(new URL('bloom.js', folder));
    const small = await import(new URL('read.js', folder));
    const options = { capacity: 1000, fpr: 0.01 };
    const keys = Array.from({ length: 1000 }, (_, i) => `key-${i}`);
    const bytes = BloomFilter.from(keys, options).toBytes();
    assert.deepEqual(bytes, tamis.BloomFilter.from(keys, options).toBytes());
    const others = Array.from({ length: 1000 }, (_, i) => `other-${i}`);
    const answers = (filter) => [...keys, ...others].map((key) => filter.has(key));
    assert.deepEqual(answers(small.fromBytes(bytes)), answers(tamis.BloomFilter.fromBytes(bytes)));
    const isRefusal = (error) => error instanceof TamisError && error.code === 'ERR_TAMIS_CORRUPT';
    const damaged = bytes.with(-1, bytes.at(-1) ^ 1);
    assert.throws(() => BloomFilter.fromBytes(damaged), isRefusal);
  });
});

describe('docs/guide/frameworks.md, in Chromium', () => {
  let browser;
  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser?.close());

  async function open(t, html, { csp, serveCdn }) {
    const bytes = tamis.BloomFilter.from(['ada', 'grace'], { fpr: 1e-6 }).toBytes();
    const served = {
      '/': [html, 'text/html'],
      '/read.js': [read('dist/cdn/read.js'), 'text/javascript'],
      '/favicon.ico': ['', 'image/x-icon'],
      '/taken.tamis': [bytes, 'application/octet-stream'],
    };
    const handle = ({ url }) => {
      const [body, type] = served[new URL(url).pathname] ?? [];
      return body === undefined
        ? undefined
        : new Response(body, { headers: { 'content-type': `${type}; charset=utf-8` } });
    };
    const server = await startServer({ port: 0, csp, handle });
    t.after(() => server.close());
    const page = await browser.newPage();
    t.after(() => page.close());
    const complaints = complaintsOf(page);
    const asked = [];
    await page.route(/^https:/, (route) => {
      asked.push(route.request().url());
      return serveCdn === undefined ? route.abort() : route.fulfill(serveCdn);
    });
    await page.goto(server.url);
    return { page, complaints, asked };
  }

  const answerOf = (page) => page.evaluate(() => document.getElementById('answer').value);
  const answerIs = (page, text) =>
    page.waitForFunction((value) => document.getElementById('answer').value === value, text);

  test('the page of read.js works under a policy without WebAssembly', async (t) => {
    const csp = "script-src 'self' 'unsafe-inline'";
    const { page, complaints, asked } = await open(t, ownPage, { csp });
    await answerIs(page, 'Type a name');
    const answers = {};
    for (const name of ['Ada', 'grace', 'linus']) {
      await page.fill('#name', name);
      answers[name] = await answerOf(page);
    }
    assert.deepEqual(answers, { Ada: 'Perhaps taken', grace: 'Perhaps taken', linus: 'Free' });
    assert.deepEqual(complaints, []);
    assert.deepEqual(asked, []);
  });

  const cdn = `https://cdn.jsdelivr.net/npm/tamis@${version}/dist/cdn/bloom.js`;
  const csp = "script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval' https://cdn.jsdelivr.net";
  const bloom = read('dist/cdn/bloom.js');
  const command = /^```sh\n(openssl .*)\n```$/m.exec(guide)[1];
  const digest = execFileSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8' });
  const headers = { 'access-control-allow-origin': '*' };
  const asCdn = (body) => ({ contentType: 'text/javascript', headers, body });
  const withDigest = cdnPage.replace('DIGEST', digest);

  test('the page of a CDN runs the file of that digest', async (t) => {
    assert.equal(digest, createHash('sha384').update(bloom).digest('base64'));
    const { page, complaints, asked } = await open(t, withDigest, { csp, serveCdn: asCdn(bloom) });
    await answerIs(page, 'true, false');
    assert.deepEqual(complaints, []);
    assert.deepEqual(asked, [cdn]);
  });

  test('and refuses another', async (t) => {
    const changed = Buffer.concat([bloom, Buffer.from('\n')]);
    const serveCdn = asCdn(changed);
    const { page, complaints, asked } = await open(t, withDigest, { csp, serveCdn });
    await settles(() => assert.match(complaints.join('\n'), /digest|integrity/i));
    assert.deepEqual(asked, [cdn]);
    assert.equal(await answerOf(page), '');
  });
});
