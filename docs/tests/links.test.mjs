// Each link of the built site leads somewhere, and each page is linked. No link to another host is followed.
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { parseHTML } from 'linkedom';
import { dist, docs, pages, startSite } from './site.mjs';

const linkinator = join(docs, 'node_modules/linkinator/build/src/cli.js');

const read = (page) => readFileSync(join(dist, page), 'utf8');

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
  // On a busy machine some of a hundred connections at once are cut.
  const gently = ['--concurrency', '10', '--retry-errors', '--retry-errors-count', '5'];
  const flags = ['--recurse', '--format', 'json', '--skip', others, ...gently];
  const options = { maxBuffer: 2 ** 28 };
  const args = [linkinator, site.url, ...flags];
  // Its exit code says that links are broken, which the tests say better.
  const runOnce = () =>
    new Promise((resolve, reject) => {
      execFile(process.execPath, args, options, (error, stdout) =>
        stdout === '' ? reject(error) : resolve(stdout),
      );
    });
  // It ends without a word (exit code 13) where it waits for a connection that was cut.
  const text = await runOnce().catch(runOnce).catch(runOnce);
  return JSON.parse(text.slice(text.indexOf('{'))).links;
}

test('every link leads somewhere', () => {
  const broken = links.filter(({ state }) => state === 'BROKEN');
  assert.deepEqual(
    broken.map(({ url, parent }) => `${parent}: ${url}`),
    [],
  );
});

test('every anchor is on the page that the link names', () => {
  const documents = new Map(pages.map((page) => [page, parseHTML(read(page)).document]));
  const missing = [];
  for (const [page, document] of documents) {
    for (const link of document.querySelectorAll('a[href*="#"]')) {
      const { origin, pathname, hash } = new URL(link.getAttribute('href'), site.url + page);
      if (hash === '' || `${origin}/` !== site.url) continue;
      const target = documents.get(pathname.slice(1).replace(/(^|\/)$/, '$1index.html'));
      if (!target?.getElementById(decodeURIComponent(hash.slice(1))))
        missing.push(`${page}: ${link}`);
    }
  }
  assert.deepEqual(missing, []);
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
  const flags = ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'];
  const listed = execFileSync('git', flags, { cwd: docs, encoding: 'utf8' });
  const names = listed
    .trim()
    .split('\n')
    .filter((name) => name !== 'index.md');
  assert.ok(names.length > 20);
  const html = read('index.html');
  const sidebar = /<aside class="VPSidebar"[\s\S]*?<\/aside>/.exec(html)?.[0] ?? '';
  const addressOf = (name) => `/${name.replace(/\.md$/, '.html').replace(/index\.html$/, '')}`;
  const missing = names.filter((name) => !sidebar.includes(`href="${addressOf(name)}"`));
  assert.deepEqual(missing, []);
});
