// Each link of the built site leads somewhere, and each page is linked. No link to another host is followed.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseHTML } from 'linkedom';
import { dist, docs, pages } from './site.mjs';

const ORIGIN = 'https://site.example';

const read = (page) => readFileSync(join(dist, page), 'utf8');
const documents = new Map(pages.map((page) => [page, parseHTML(read(page)).document]));

/** What a page names of the site: for each address the file and the anchor. */
function targetsOf(page) {
  return [...documents.get(page).querySelectorAll('[href], [src]')]
    .map((element) => element.getAttribute('href') ?? element.getAttribute('src'))
    .map((address) => new URL(address, `${ORIGIN}/${page}`))
    .filter(({ origin }) => origin === ORIGIN)
    .map(({ pathname, hash }) => {
      const path = decodeURIComponent(pathname.slice(1));
      const file = path.replace(/(^|\/)$/, '$1index.html');
      return { file, anchor: decodeURIComponent(hash.slice(1)) };
    });
}

const targets = new Map(pages.map((page) => [page, targetsOf(page)]));

/** The targets of all pages that are wrong, each with its page. */
const wrong = (isWrong) =>
  [...targets].flatMap(([page, found]) =>
    found.filter(isWrong).map(({ file, anchor }) => `${page}: ${file}#${anchor}`),
  );

test('every link leads somewhere', () => {
  assert.ok([...targets.values()].flat().length > 10_000);
  const isFile = (file) => statSync(join(dist, file), { throwIfNoEntry: false })?.isFile();
  assert.deepEqual(
    wrong(({ file }) => !isFile(file)),
    [],
  );
});

test('every anchor is on the page that the link names', () => {
  const isMissing = ({ file, anchor }) =>
    anchor !== '' && !documents.get(file)?.getElementById(anchor);
  assert.deepEqual(wrong(isMissing), []);
});

test('links lead from the first page to every other', () => {
  const reached = new Set(['index.html']);
  for (const page of reached) {
    for (const { file } of targets.get(page)) if (documents.has(file)) reached.add(file);
  }
  assert.deepEqual(
    pages.filter((page) => !reached.has(page)),
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
  // The home page has none.
  const html = read('guide/start.html');
  const sidebar = /<aside class="VPSidebar"[\s\S]*?<\/aside>/.exec(html)?.[0] ?? '';
  const addressOf = (name) => `/${name.replace(/\.md$/, '.html').replace(/index\.html$/, '')}`;
  const missing = names.filter((name) => !sidebar.includes(`href="${addressOf(name)}"`));
  assert.deepEqual(missing, []);
});
