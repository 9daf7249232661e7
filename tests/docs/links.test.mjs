// Where the links of the built site lead, and whether every page is led to. No link to another host is followed.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { dist, docs, pages, startSite } from './site.mjs';

const linkinator = join(docs, 'node_modules/linkinator/build/src/cli.js');

let site;
let links;

before(async () => {
  site = await startSite();
  links = await findLinks();
});

after(() => site?.close());

/** Every link of the site, from its first page on: its address and what became of it. */
async function findLinks() {
  const others = `^(?!${site.url})`;
  const flags = ['--recurse', '--check-fragments', '--format', 'json', '--skip', others];
  const options = { maxBuffer: 2 ** 28 };
  const text = await new Promise((resolve, reject) => {
    const args = [linkinator, site.url, ...flags];
    // Its exit code says that links are broken, which the tests say better.
    execFile(process.execPath, args, options, (error, stdout) =>
      stdout === '' ? reject(error) : resolve(stdout),
    );
  });
  return JSON.parse(text.slice(text.indexOf('{'))).links;
}

test('every link and every anchor leads somewhere', () => {
  const broken = links.filter(({ state }) => state === 'BROKEN');
  assert.deepEqual(
    broken.map(({ url, parent }) => `${parent}: ${url}`),
    [],
  );
});

test('links lead from the first page to every other', () => {
  const reached = new Set(
    links.map(({ url }) => new URL(url).pathname.replace(/\/$/, '/index.html')),
  );
  assert.deepEqual(
    pages.filter((page) => !reached.has(`/${page}`)),
    [],
  );
});

test('every page of docs/ is in the sidebar', () => {
  const names = readdirSync(docs, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.md$/.test(name) && !/node_modules|^api\//.test(name))
    .filter((name) => name !== 'index.md');
  assert.ok(names.length > 20);
  const html = readFileSync(join(dist, 'index.html'), 'utf8');
  const sidebar = /<aside class="VPSidebar"[\s\S]*?<\/aside>/.exec(html)?.[0] ?? '';
  const missing = names.filter(
    (name) => !sidebar.includes(`href="/${name.replace(/\.md$/, '.html')}"`),
  );
  assert.deepEqual(missing, []);
});
