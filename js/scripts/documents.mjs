// Writes the parts of documents that come from programs, between `<!-- name:start -->` and `<!-- name:end -->`.
//
//   node js/scripts/documents.mjs [--check] [DOCUMENT]...     (default: all)
//
// README.md              figures from the saved bench; filters to choose from, from the built package
// docs/index.md          figures from the saved bench
// docs/guide/choose.md   all filters to choose from, from the built package
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

const capacity = 1_000_000;
/** Needs of users: the words, the arguments of suggestFilter, and true if README.md shows the need. */
const needs = [
  ['keys that come one by one and stay', { capacity }, true],
  ['keys that come and go', { capacity, deletes: true }, true],
  ['a fixed list, to build once and ship', { capacity, static: true }, true],
  ['no idea how many keys will come', { capacity, grows: true }, true],
  ["keys that stay, more than a processor's cache holds", { capacity: 3 * capacity }],
  [
    'a fixed list, and a list of all other keys that you look up',
    { capacity, static: true, universe: 10 * capacity },
  ],
  ['a fixed list, with a number for each key', { capacity, static: true, values: 8 }],
  ['a number for each key, and it changes', { capacity, values: 8 }],
  ['elements that can be numbered, many of them present', { capacity, universe: 5 * capacity }],
  ['a thousand keys or fewer, all in one process', { capacity: 1000 }, true],
];
/** Answers for the columns about deleting and merging. A BitArray does both, by `set` and `toggle`. */
function abilitiesOf(Class) {
  if (Class === undefined) return ['yes', '-'];
  const can = (...names) => names.some((name) => name in Class.prototype);
  if (!can('add', 'set')) return ['no (built once)', 'no (built once)'];
  return [can('delete', 'toggle'), can('merge')].map((does) => (does ? 'yes' : 'no'));
}

/** Needs as a program writes them, without the capacity if it is the table's. */
function writeNeed(need) {
  const literal = (value) =>
    value === true || value < 10_000 ? value : value.toLocaleString('en-US').replaceAll(',', '_');
  const names = Object.keys(need).filter((name, _, all) => name !== 'capacity' || all.length === 1);
  return names.map((name) => `${name}: ${literal(need[name])}`).join(', ');
}

const fileOf = (part) => `lab/bench/results/${part}.json`;
const isSaved = (part) => existsSync(join(root, fileOf(part)));
const readSaved = (part) => JSON.parse(read(fileOf(part)));

/** A class, with a link to its page in that folder; `Set` and `Map` have none. */
const classLink = (className, type, folder) =>
  existsSync(join(root, 'docs/filters', `${type}.md`))
    ? `[\`${className}\`](${folder}/${type}.md)`
    : `\`${className}\``;

/** The needs and the results of suggestFilter for them, in these columns; pages of filters lie in `folder`. */
async function choiceTable(shown, folder, columns) {
  const tamis = await import('tamis');
  const { table } = await import('../../lab/bench/format.mjs');
  const rows = shown.map(([what, need]) => {
    const { type, className, bitsPerKey, fpr } = tamis.suggestFilter(need);
    const more = type === 'scalable-bloom' ? ', later up to 48' : fpr === 0 ? ', exact' : '';
    const [deletes, merges] = abilitiesOf(tamis[className]);
    return {
      'You have': what,
      '`suggestFilter` is told': `\`${writeNeed(need)}\``,
      Class: classLink(className, type, folder),
      'Bits per key': `${bitsPerKey.toFixed(bitsPerKey < 100 ? 1 : 0)}${more}`,
      Delete: deletes,
      Merge: merges,
    };
  });
  const heads = columns ?? Object.keys(rows[0]);
  return table(
    heads,
    rows.map((row) => heads.map((head) => row[head])),
  );
}

async function readme() {
  const { byEngine, compared, entries, peers } = await import('../../lab/bench/headlines.mjs');
  const [comparison, sizes, browsers] = ['comparison', 'sizes', 'browsers'].map(readSaved);
  const few = needs.filter(([, , isShown]) => isShown);
  const { repository } = JSON.parse(read('package.json'));
  const filters = `${repository.url.replace(/^git\+|\.git$/g, '')}/blob/main/docs/filters`;
  updateBlocks('README.md', {
    peers: peers(comparison, sizes, browsers, '#compared'),
    entries: entries(sizes),
    choice: await choiceTable(few, filters, ['You have', 'Class', 'Bits per key', 'Delete']),
    compared: compared(comparison),
    engines: byEngine(browsers),
  });
}

async function home() {
  const { peers } = await import('../../lab/bench/headlines.mjs');
  const saved = ['comparison', 'sizes', 'browsers'].map(readSaved);
  updateBlocks('docs/index.md', { peers: peers(...saved, 'benchmarks.md') });
}

const choose = async () =>
  updateBlocks('docs/guide/choose.md', { choice: await choiceTable(needs, '../filters') });

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
  'docs/guide/choose.md': choose,
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
