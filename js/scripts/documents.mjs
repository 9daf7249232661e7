// Writes the parts of documents that come from programs, between `<!-- name:start -->` and `<!-- name:end -->`.
//
//   node js/scripts/documents.mjs [--check] [DOCUMENT]...     (default: all)
//
// README.md              figures from the saved bench
// docs/index.md          figures from the saved bench
// docs/guide/from-*.md   what the files of other languages cost, from the saved bench
// docs/guide/urls.md, several-lists.md  what a look-up costs, from the saved bench
// docs/benchmarks.md     a chart and a table a question, from the saved bench, which it writes a row a line
// docs/benchmarks/*.md   all tables, from the saved bench
// docs/filters/*.md      what each filter costs, from the built package and the saved bench
// docs/cpp.md            what filters cost in C++, from the saved bench
// docs/recipes/*.md      what each recipe costs, from the built package and the saved bench
// lab/bench/README.md     the engines, from the saved bench
// THIRD-PARTY-NOTICES.md  the licence of every package that the command line bundles
//
// With --check it writes nothing, and fails if a document differs.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './run.mjs';

const { values, positionals } = parseArgs({
  options: { check: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const read = (name) => readFileSync(join(root, name), 'utf8');

/** Brings a file up to date, or, with --check, says that it is not. */
function update(name, content) {
  if (existsSync(join(root, name)) && read(name) === content) return;
  if (values.check) {
    process.stderr.write(`${name} is out of date: run \`node js/scripts/documents.mjs\`\n`);
    process.exitCode = 1;
    return;
  }
  writeFileSync(join(root, name), content);
  process.stdout.write(`${name}: written\n`);
}

/** Brings the blocks of a document up to date, content by name. Each marker must be there exactly once. */
function updateBlocks(name, blocks) {
  let text = read(name);
  for (const [block, content] of Object.entries(blocks)) {
    const [start, end] = [`<!-- ${block}:start -->`, `<!-- ${block}:end -->`];
    const parts = text.split(start);
    const tail = parts[1]?.split(end);
    if (parts.length !== 2 || tail.length !== 2) {
      throw new Error(`${name}: expected ${start} ... ${end}, once`);
    }
    text = `${parts[0]}${start}\n\n${content.trim()}\n\n${end}${tail[1]}`;
  }
  update(name, text);
}

const fileOf = (part) => `lab/bench/results/${part}.json`;
const isSaved = (part) => existsSync(join(root, fileOf(part)));
const readSaved = (part) => JSON.parse(read(fileOf(part)));

async function readme() {
  const { byEngine, compared, entries, peers } = await import('../../lab/bench/headlines.mjs');
  const [comparison, sizes, browsers] = ['comparison', 'sizes', 'browsers'].map(readSaved);
  updateBlocks('README.md', {
    peers: peers(comparison, sizes, browsers, '#compared'),
    entries: entries(sizes),
    compared: compared(comparison),
    engines: byEngine(browsers),
  });
}

async function home() {
  const { peers } = await import('../../lab/bench/headlines.mjs');
  const saved = ['comparison', 'sizes', 'browsers'].map(readSaved);
  updateBlocks('docs/index.md', { peers: peers(...saved, 'benchmarks.md') });
}

async function guideOfUrls() {
  const { hostCosts } = await import('../../lab/bench/report-url.mjs');
  updateBlocks('docs/guide/urls.md', { 'host-costs': hostCosts(readSaved('url')) });
}

async function guideOfLists() {
  const { guardCosts } = await import('../../lab/bench/report-url.mjs');
  updateBlocks('docs/guide/several-lists.md', { 'guard-costs': guardCosts(readSaved('url')) });
}

/** The questions of the benchmarks, each with its chart, and each saved run, with a line for each row. */
async function benchmarks() {
  const { answer, machineNote, PARTS, QUESTIONS } = await import('../../lab/bench/questions.mjs');
  const { readTimed } = await import('../../lab/bench/machine.mjs');
  const { writeRows } = await import('../../lab/bench/format.mjs');
  const saved = Object.fromEntries(PARTS.map((part) => [part, readSaved(part)]));
  const blocks = { machine: machineNote(readTimed()) };
  for (const name of Object.keys(QUESTIONS)) {
    const file = `lab/bench/results/${name}.svg`;
    const { svg, text } = answer(name, saved, `../${file}`);
    blocks[`question-${name}`] = text;
    update(file, svg);
  }
  updateBlocks('docs/benchmarks.md', blocks);
  for (const name of readdirSync(join(root, 'lab/bench/results'))) {
    const [, part] = /^(.+)\.json$/.exec(name) ?? [];
    if (part !== undefined) update(fileOf(part), `${writeRows(readSaved(part))}\n`);
  }
}

/** The pages behind the questions, and the parts of the bench whose tables each has. */
const benchPages = {
  compared: ['comparison'],
  engines: ['browsers', 'ratio'],
  changing: ['dynamic'],
  'fixed-lists': ['static'],
  'bits-per-key': ['accuracy'],
  imports: ['sizes'],
  urls: ['url'],
  files: ['interop', 'pages', 'redis'],
};

const benchPage = (page) => async () => {
  const { TABLES } = await import('../../lab/bench/report.mjs');
  const { engineTable } = await import('../../lab/bench/report-engines.mjs');
  const tables = { ...TABLES, browsers: engineTable };
  const blocks = benchPages[page].map((part) => [`bench-${part}`, tables[part](readSaved(part))]);
  updateBlocks(`docs/benchmarks/${page}.md`, Object.fromEntries(blocks));
  if (page !== 'bits-per-key') return;
  const { chart } = await import('../../lab/bench/chart.mjs');
  update('lab/bench/results/bits-per-key.svg', chart(readSaved('accuracy')));
};

/** The folders of the packages that have a file in the bundle. */
function bundledPackages() {
  const used = JSON.parse(read('build/bundled.json')).map(
    (path) => /^node_modules\/(@[^/]+\/)?[^/]+/.exec(path)?.[0],
  );
  return [...new Set(used.filter((folder) => folder !== undefined))].sort();
}

/** The name, the licence, and the text of the licence. */
function sectionOf(folder) {
  const { name, license } = JSON.parse(read(`${folder}/package.json`));
  const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry));
  if (!file) throw new Error(`${folder} has no file with its licence`);
  const text = read(`${folder}/${file}`).replaceAll('\r\n', '\n').trim();
  return `### ${name} (${license})\n\n\`\`\`text\n${text}\n\`\`\``;
}

function notices() {
  const sections = [...new Set(bundledPackages().map(sectionOf))];
  updateBlocks('THIRD-PARTY-NOTICES.md', { bundled: sections.join('\n\n') });
}

/** The cost of the filter or the recipe of a page. */
const costs = (folder, page) => async () => {
  const saved = Object.fromEntries(
    ['dynamic', 'static', 'sizes'].map((part) => [part, readSaved(part)]),
  );
  const { cost } = await import(
    `../../lab/bench/${folder === 'filters' ? 'costs' : 'recipes'}.mjs`
  );
  updateBlocks(`docs/${folder}/${page}.md`, { cost: cost(page, saved) });
};

/** The pages of a folder of docs, each with its block. */
const pagesOf = (folder) =>
  Object.fromEntries(
    readdirSync(join(root, 'docs', folder))
      .filter((name) => name.endsWith('.md') && name !== 'index.md')
      .map((name) => [`docs/${folder}/${name}`, costs(folder, name.replace(/\.md$/, ''))]),
  );

/** The engines, with the build before. */
async function benchReadme() {
  const { TABLES } = await import('../../lab/bench/report.mjs');
  if (!isSaved('browsers')) return;
  updateBlocks('lab/bench/README.md', { 'bench-browsers': TABLES.browsers(readSaved('browsers')) });
}

/** The guide for a backend in another language. */
const backend = (page) => async () => {
  const { cost } = await import('../../lab/bench/recipes.mjs');
  updateBlocks(page, { cost: cost('backend', { sizes: readSaved('sizes') }) });
};

async function cppPage() {
  const { nativeCosts } = await import('../../lab/bench/costs.mjs');
  updateBlocks('docs/cpp.md', {
    cost: nativeCosts(readSaved('native')),
  });
}

const documents = {
  'README.md': readme,
  'docs/index.md': home,
  'docs/guide/several-lists.md': guideOfLists,
  'docs/guide/urls.md': guideOfUrls,
  'docs/benchmarks.md': benchmarks,
  ...Object.fromEntries(
    Object.keys(benchPages).map((page) => [`docs/benchmarks/${page}.md`, benchPage(page)]),
  ),
  'docs/cpp.md': cppPage,
  ...pagesOf('filters'),
  ...pagesOf('recipes'),
  ...Object.fromEntries(
    ['python', 'go', 'java']
      .map((language) => `docs/guide/from-${language}.md`)
      .map((page) => [page, backend(page)]),
  ),
  'lab/bench/README.md': benchReadme,
  'THIRD-PARTY-NOTICES.md': notices,
};
const asked = positionals.length > 0 ? positionals : Object.keys(documents);
for (const name of asked) {
  if (!(name in documents))
    throw new Error(`${name}: expected ${Object.keys(documents).join(', ')}`);
  await documents[name]();
}
