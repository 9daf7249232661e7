// The fifteen questions of new users. Each has its page and heading, at most three clicks from README.
// docs/project/testing.md says how a reader tries them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseHTML } from 'linkedom';
import { renderReadme } from './readme.mjs';
import { dist } from './site.mjs';

/** The questions, each with the page and the heading that answer it. */
const questions = {
  'Which class do I take, and how large is it?': 'guide/choose.html#choose-a-filter',
  'How do I delete a key?': 'guide/choose.html#delete-keys',
  'What if more keys come than the capacity?': 'guide/choose.html#keys-that-grow-or-age',
  'How does a Python server build a filter?': 'guide/from-python.html#from-python',
  'How do I merge two filters?': 'guide/start.html#add-keys-merge-filters-save-them',
  'What are the limits?': 'guide/choose.html#know-the-limits',
  'How do I update a shipped filter each day?': 'guide/updating.html',
  'How do I sign one file, and verify it?': 'guide/updating.html#sign-one-file',
  'What do I tell people after a false positive?': 'guide/after-a-true.html',
  'How do I roll out a new version, and go back?': 'guide/updating.html#roll-back-a-bad-list',
  'How do I use tamis in Jest and Vitest?': 'guide/frameworks.html#vitest',
  'How is a UUID a key?': 'guide/saving.html#use-uuids-as-keys',
  'How do I use tamis in the middleware of Next.js?':
    'guide/frameworks.html#nextjs-proxyts-middleware-and-routes',
  'May I ship hashed e-mail addresses?': 'guide/privacy.html',
  'Is it ready for production?': 'README.md#status',
};

const read = (page) => parseHTML(readFileSync(join(dist, page), 'utf8')).document;

/** The pages of the site to which links of a document lead. `page` is its own address. */
const linkedFrom = (document, page) =>
  [...document.querySelectorAll('a[href]')]
    .map((link) => new URL(link.getAttribute('href'), `https://site.example/${page}`))
    .map(({ host, pathname }) => {
      // README leads to files of the repository, and to the site.
      const [, file] = /\/blob\/main\/docs\/(.+)\.md$/.exec(pathname) ?? [];
      if (file !== undefined) return `${file}.html`;
      const path = host === 'site.example' ? pathname.slice(1) : undefined;
      return host.endsWith('.github.io') ? 'index.html' : path?.replace(/(^|\/)$/, '$1index.html');
    })
    .filter((path) => /^[\w/-]+\.html$/.test(path ?? '') && !/^(api|demo)\//.test(path));

const readme = parseHTML(renderReadme()).document;

/** The pages that one click more reaches, from those of `pages`. */
const clickFrom = (pages) =>
  new Set([...pages, ...[...pages].flatMap((page) => linkedFrom(read(page), page))]);

const first = new Set(linkedFrom(readme, ''));
const near = clickFrom(clickFrom(first));

for (const [question, address] of Object.entries(questions)) {
  test(question, () => {
    const [page, anchor] = address.split('#');
    if (page === 'README.md') {
      const headings = [...readme.querySelectorAll('h2')].map(({ textContent }) => textContent);
      assert.ok(headings.some((heading) => heading.toLowerCase() === anchor));
      return;
    }
    assert.ok(near.has(page), `${page} is more than three clicks away`);
    if (anchor !== undefined) assert.ok(read(page).getElementById(anchor), address);
  });
}
