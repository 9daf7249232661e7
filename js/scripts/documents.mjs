// Writes the generated parts of documents, which are between `<!-- name:start -->` and `<!-- name:end -->`.
//
//   node js/scripts/documents.mjs [--check] [DOCUMENT]...     (default: all)
//
// Figures come from the saved runs of lab/bench and from the built package, messages from the tables in tests/package,
// and licences from the packages in the command line's bundle. With --check it fails instead if a document is out of
// date.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './run.mjs';

const { values, positionals } = parseArgs({
  options: { check: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const read = (name) => readFileSync(join(root, name), 'utf8');

/** Writes a file if its content changed. With --check, reports it instead. */
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

/** Updates the blocks of a document; `blocks` has their contents by name. Each marker must occur exactly once. */
function updateBlocks(name, blocks) {
  let text = read(name);
  for (const [block, content] of Object.entries(blocks)) {
    const [start, end] = [`<!-- ${block}:start -->`, `<!-- ${block}:end -->`];
    const parts = text.split(start);
    const tail = parts[1]?.split(end);
    if (parts.length !== 2 || tail.length !== 2) {
      throw new Error(`${name}: must contain ${start} ... ${end} exactly once`);
    }
    text = `${parts[0]}${start}\n\n${content.trim()}\n\n${end}${tail[1]}`;
  }
  update(name, text);
}

const bench = (name) => import(`../../lab/bench/${name}.mjs`);
const fileOf = (part) => `lab/bench/results/${part}.json`;
const readSaved = (part) => JSON.parse(read(fileOf(part)));

const inReadme = ['comparison', 'sizes', 'browsers'].map(readSaved);

async function readme() {
  const { byEngine, compared, entries, peers } = await bench('headlines');
  const [comparison, sizes, browsers] = inReadme;
  return {
    peers: peers(comparison, sizes, browsers, '#compared'),
    entries: entries(sizes),
    compared: compared(comparison),
    engines: byEngine(browsers),
  };
}

/** The benchmark questions with their charts. Also rewrites the chart files, and the saved runs with a row per line. */
async function benchmarks() {
  const { answer, machineNote, PARTS, QUESTIONS } = await bench('report');
  const { readTimed } = await bench('machine');
  const { writeRows } = await bench('format');
  const saved = Object.fromEntries(PARTS.map((part) => [part, readSaved(part)]));
  const blocks = { machine: machineNote(readTimed()) };
  for (const name of Object.keys(QUESTIONS)) {
    const file = `lab/bench/results/${name}.svg`;
    const { svg, text } = answer(name, saved, `../${file}`);
    blocks[`question-${name}`] = text;
    update(file, svg);
  }
  for (const name of readdirSync(join(root, 'lab/bench/results'))) {
    const [, part] = /^(.+)\.json$/.exec(name) ?? [];
    if (part !== undefined) update(fileOf(part), `${writeRows(readSaved(part))}\n`);
  }
  return blocks;
}

/** The benchmark pages, and the parts of the bench whose tables each page shows. */
const benchPages = {
  compared: ['comparison'],
  engines: ['browsers', 'native'],
  native: ['peers'],
  changing: ['dynamic'],
  'fixed-lists': ['static'],
  'bits-per-key': ['accuracy'],
  imports: ['sizes'],
  urls: ['url'],
  files: ['interop', 'pages', 'redis'],
};

async function benchPage(page) {
  const { tablesOf } = await bench('tables');
  if (page === 'bits-per-key') {
    const { curves } = await bench('charts');
    update('lab/bench/results/bits-per-key.svg', curves(readSaved('accuracy')));
  }
  return Object.fromEntries(
    benchPages[page].map((part) => [`bench-${part}`, tablesOf(part, readSaved(part))]),
  );
}

/** The name, the licence, and the text of the licence of a package. */
function sectionOf(folder) {
  const { name, license } = JSON.parse(read(`${folder}/package.json`));
  const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry));
  if (!file) throw new Error(`${folder} has no file with its licence`);
  const text = read(`${folder}/${file}`).replaceAll('\r\n', '\n').trim();
  return `### ${name} (${license})\n\n\`\`\`text\n${text}\n\`\`\``;
}

/** The licences of all packages of which the bundle contains a file. */
function notices() {
  const used = JSON.parse(read('build/bundled.json')).flatMap(
    (path) => /^node_modules\/(?:.*\/node_modules\/)?(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [],
  );
  const sections = new Set([...new Set(used)].sort().map(sectionOf));
  return { bundled: [...sections].join('\n\n') };
}

/** Wrong calls and the texts of their errors, by code. Errors of the engine have no code and are left out. */
async function messagesByCode() {
  const { messages } = await import('../../tests/package/messages.mjs');
  const { newcomers } = await import('../../tests/package/newcomers.mjs');
  // Two backticks, because some texts contain one.
  const cell = (text) => `\`\` ${text.replaceAll('|', '\\|')} \`\``;
  const sections = Object.entries(messages).map(([code, rows]) => {
    const lines = Object.entries({ ...newcomers[code], ...rows }).map(
      (row) => `| ${row.map(cell).join(' | ')} |`,
    );
    return `### ${code}\n\n| Call | Message |\n| --- | --- |\n${lines.join('\n')}`;
  });
  return { messages: sections.join('\n\n') };
}

/** What the filter or the recipe of a page costs. */
async function costOf(page) {
  const parts = ['dynamic', 'static', 'sizes'].map((part) => [part, readSaved(part)]);
  const { cost } = await bench('costs');
  return { cost: cost(page, Object.fromEntries(parts)) };
}

/** A block that a function of a bench module makes from one saved part. */
const block = async (name, module, table, part) => ({
  [name]: (await bench(module))[table](readSaved(part)),
});

/** The pages in a folder of docs. Each gets the function that makes its blocks. */
const pagesOf = (folder, blocksOf) =>
  Object.fromEntries(
    readdirSync(join(root, 'docs', folder))
      .filter((name) => name.endsWith('.md') && name !== 'index.md')
      .map((name) => [`docs/${folder}/${name}`, () => blocksOf(name.replace(/\.md$/, ''))]),
  );

/** All documents with generated parts. Each has a function that makes its blocks. */
const documents = {
  'README.md': readme,
  'docs/index.md': async () => ({
    peers: (await bench('headlines')).peers(...inReadme, 'benchmarks.md'),
  }),
  'docs/guide/errors.md': messagesByCode,
  'docs/guide/several-lists.md': () => block('guard-costs', 'report', 'guardCosts', 'url'),
  'docs/guide/urls.md': () => block('host-costs', 'report', 'hostCosts', 'url'),
  'docs/guide/from-python.md': () => costOf('backend'),
  'docs/guide/from-go.md': () => costOf('backend'),
  'docs/guide/from-java.md': () => costOf('backend'),
  'docs/cpp.md': () => block('cost', 'costs', 'nativeCosts', 'native'),
  'docs/benchmarks.md': benchmarks,
  ...pagesOf('benchmarks', benchPage),
  ...pagesOf('filters', costOf),
  ...pagesOf('recipes', costOf),
  'THIRD-PARTY-NOTICES.md': notices,
};
const asked = positionals.length > 0 ? positionals : Object.keys(documents);
for (const name of asked) {
  if (!(name in documents))
    throw new Error(`${name}: expected ${Object.keys(documents).join(', ')}`);
  updateBlocks(name, await documents[name]());
}
