// The parts that every page of the demo has: its head, the bar of the documents' site, and its navigation.

import { readFileSync } from 'node:fs';

/** The pages in the order of the navigation. `skip` is the element to which the first link leads, and what is there. */
const PAGES: Readonly<Record<string, { label: string; skip?: [id: string, what: string] }>> = {
  'index.html': { label: 'Look up a host', skip: ['host', 'question'] },
  'urls.html': { label: 'URL check', skip: ['text', 'question'] },
  'pages.html': { label: 'Breached passwords', skip: ['password', 'question'] },
  'calculator.html': { label: 'Calculator', skip: ['calculator-n', 'numbers'] },
  'figures.html': { label: 'How filters work' },
};

const file = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');

/** The repository's address, and the sign of its host. */
export const repository: string = JSON.parse(file('../package.json')).repository.url.replace(
  /^git\+|\.git$/g,
  '',
);
export const repositoryIcon = file('repository.svg').trim();
export const icon = `data:image/svg+xml,${encodeURIComponent(file('icon.svg').replace(/\n\s*/g, ''))}`;

/** The address of a documentation page: in the repository, or on a site that contains the demo in a folder. */
export const docsPages = process.env.TAMIS_DOCS_PAGES ?? `${repository}/blob/main/docs/*.md`;

/** The links in the bar of the documents' site, each with the beginning of the addresses for which it is the current one. */
export const SITE_LINKS = [
  { text: 'Guide', page: 'guide/start', activeMatch: '^/(guide/|how-it-works)' },
  { text: 'Recipes', page: 'index', anchor: '#recipes', activeMatch: '^/recipes/' },
  { text: 'API', page: 'api/index', activeMatch: '^/api/' },
  { text: 'Benchmarks', page: 'benchmarks', activeMatch: '^/benchmarks' },
];

const POLICY = "script-src 'self' 'wasm-unsafe-eval'";

/** What all fields for keys and hosts share: browsers must not change what is typed. */
const FIELD = 'autocomplete="off" autocapitalize="none" autocorrect="off" spellcheck="false"';

const HEAD = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta http-equiv="Content-Security-Policy" content="${POLICY}" />
    <link rel="icon" href="${icon}" type="image/svg+xml" />
    <style>
      @import "./style.css";
    </style>`;

function barOf(current: string): string {
  const { skip } = PAGES[current] ?? {};
  const isSite = !docsPages.endsWith('.md');
  const documents = SITE_LINKS.filter(({ page }) => isSite || !page.startsWith('api/')).map(
    ({ text, page, anchor = '' }) =>
      `<a href="${docsPages.replace('*', page)}${anchor}">${text}</a>`,
  );
  const links = Object.entries(PAGES).map(([name, { label }]) => {
    const mark = name === current ? ' aria-current="page"' : '';
    return `<a href="./${name}"${mark}>${label}</a>`;
  });
  return `</head>
  <body>
    <noscript><p class="trouble">This page works in your browser: it needs scripts.</p></noscript>
    ${skip ? `<a class="skip" href="#${skip[0]}">Skip to the ${skip[1]}</a>` : ''}
    <header>
    <div class="site-bar">
      <a class="site-name" href="${docsPages.replace('*', 'index')}">
        <img src="${icon}" alt="" width="24" height="24" />tamis
      </a>
      <nav aria-label="Documents">
        ${documents.join('\n        ')}
        <a href="./index.html" aria-current="true">Try it</a>
        <a href="${repository}" aria-label="Repository">${repositoryIcon}</a>
      </nav>
    </div>
    <nav class="pages" aria-label="Pages of this demo">
      ${links.join('\n      ')}
    </nav>
    <div class="page-head">`;
}

const policyOf = (more: string): string =>
  `<p>This page works under <code>Content-Security-Policy: ${POLICY}</code>. ${more}</p>`;

/** The head of a table, from the names of its columns. */
const headsOf = (names: string): string =>
  `<tr>${names
    .split(' | ')
    .map((name) => `<th scope="col">${name}</th>`)
    .join('')}</tr>`;

/** Bars of these sizes, and room for a sentence that says the same. */
const sizesOf = (names: string): string => {
  const bars = names
    .split(' | ')
    .map(
      (name) =>
        `<div class="size-bar"><span id="bar-${name}" class="bar bar-${name}"></span></div>`,
    );
  return `<div class="sizes" aria-hidden="true">${bars.join('')}</div>
    <p id="sizes-note" class="note sizes-note">&nbsp;</p>`;
};

/** Completes a page: its file has the rest. */
export const completePage = (html: string, current: string): string =>
  html
    .replace('%head%', HEAD)
    .replace('%bar%', barOf(current))
    .replace('%main%', '</div>\n</header>\n<main>')
    .replace('%foot%', '</main>\n<footer class="page-foot">')
    .replace(/%policy: (.*)%/, (_, more) => policyOf(more))
    .replaceAll(/%heads: (.*)%/g, (_, names) => headsOf(names))
    .replaceAll(/%sizes: (.*)%/g, (_, names) => sizesOf(names))
    .replaceAll(' class="field', ` ${FIELD} class="field`)
    .concat('</footer>\n  </body>\n</html>\n');
