// Writes the generated parts of documents, which are between `<!-- name:start -->` and `<!-- name:end -->`.
//
//   node js/scripts/documents.mjs [--check] [DOCUMENT]...     (default: all)
//
// A block's name says what it contains, so a block may move to any document. The figures come from the saved runs of
// lab/bench and from the built package, the messages from the tables of tests/package, and the licences from what the
// command line bundles. With --check it writes nothing, and fails if a document differs.

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
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

const bench = (name) => import(`../../lab/bench/${name}.mjs`);
const fileOf = (part) => `lab/bench/results/${part}.json`;
const readSaved = (part) => JSON.parse(read(fileOf(part)));
const readParts = (parts) => Object.fromEntries(parts.map((part) => [part, readSaved(part)]));

/** The answer to a question of the benchmarks, whose chart becomes a file. */
async function question(name, document) {
  const { answer, PARTS } = await bench('report');
  const file = `lab/bench/results/${name}.svg`;
  const { svg, text } = answer(name, readParts(PARTS), posix.relative(dirname(document), file));
  update(file, svg);
  return text;
}

async function benchTables(part) {
  if (part === 'accuracy') {
    const { curves } = await bench('charts');
    update('lab/bench/results/bits-per-key.svg', curves(readSaved(part)));
  }
  const { tablesOf } = await bench('tables');
  return tablesOf(part, readSaved(part));
}

/** What a filter or a recipe costs. */
async function cost(name) {
  const { cost: costOf } = await bench('costs');
  return costOf(name, readParts(['dynamic', 'static', 'sizes', 'native']));
}

/** The name, the licence, and the text of the licence of a package. */
function sectionOf(folder) {
  const { name, license } = JSON.parse(read(`${folder}/package.json`));
  const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry));
  if (!file) throw new Error(`${folder} has no file with its licence`);
  const text = read(`${folder}/${file}`).replaceAll('\r\n', '\n').trim();
  return `### ${name} (${license})\n\n\`\`\`text\n${text}\n\`\`\``;
}

/** The licences of the packages that have a file in the bundle. */
function bundled() {
  const used = JSON.parse(read('build/bundled.json')).flatMap(
    (path) => /^node_modules\/(?:.*\/node_modules\/)?(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [],
  );
  return [...new Set([...new Set(used)].sort().map(sectionOf))].join('\n\n');
}

/** Wrong calls that newcomers make, and one of each other code, with the texts of their errors. */
async function exampleMessages() {
  const { messages: all } = await import('../../tests/package/messages.mjs');
  const { newcomers } = await import('../../tests/package/newcomers.mjs');
  // Two backticks, because some texts contain one.
  const cell = (text) => `\`\` ${text.replaceAll('|', '\\|')} \`\``;
  const rows = Object.entries(all).flatMap(([code, calls]) =>
    Object.entries(newcomers[code] ?? calls)
      .slice(0, newcomers[code] ? undefined : 1)
      .map(([call, message]) => `| ${cell(call)} | \`${code}\` | ${cell(message)} |`),
  );
  return `| Call | Code | Message |\n| --- | --- | --- |\n${rows.join('\n')}`;
}

async function peers() {
  const { peers: table } = await bench('headlines');
  return table(readParts(['comparison', 'sizes', 'browsers']));
}

async function machine() {
  const { readTimed } = await bench('machine');
  return (await bench('report')).machineNote(readTimed());
}

/** The texts of blocks, by their names. A text gets the rest of a longer name, and the document. */
const TEXTS = {
  peers,
  machine,
  messages: exampleMessages,
  bundled,
  entries: async () => (await bench('headlines')).entries(readSaved('sizes')),
  'host-costs': async () => (await bench('report')).hostCosts(readSaved('url')),
  'question-': question,
  'bench-': benchTables,
  cost: (_rest, document) => cost(basename(document, '.md')),
  'cost-': cost,
};

const START = /^<!-- ([\w-]+):start -->$/gm;

async function textOf(block, document) {
  const name =
    block in TEXTS
      ? block
      : Object.keys(TEXTS).find((one) => one.endsWith('-') && block.startsWith(one));
  if (name === undefined) throw new Error(`${document}: no text for the block ${block}`);
  return await TEXTS[name](block.slice(name.length), document);
}

/** Brings the blocks of a document up to date. It must have one, and each marker must be there exactly once. */
async function updateBlocks(document) {
  let text = read(document);
  if (!text.match(START)) throw new Error(`${document} has no block`);
  for (const [start, block] of text.matchAll(START)) {
    const end = `<!-- ${block}:end -->`;
    const parts = text.split(start);
    const tail = parts[1]?.split(end);
    if (parts.length !== 2 || tail.length !== 2) {
      throw new Error(`${document}: expected ${start} ... ${end}, once`);
    }
    text = `${parts[0]}${start}\n\n${(await textOf(block, document)).trim()}\n\n${end}${tail[1]}`;
  }
  update(document, text);
}

/** The documents that have blocks. */
function documents() {
  const flags = ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'];
  const listed = execFileSync('git', flags, { cwd: root, encoding: 'utf8' }).trim().split('\n');
  return [...new Set(listed)].filter(
    (name) => existsSync(join(root, name)) && read(name).match(START),
  );
}

/** Saved runs have a line for each row. */
async function writeSaved() {
  const { writeRows } = await bench('format');
  for (const name of readdirSync(join(root, 'lab/bench/results'))) {
    const [, part] = /^(.+)\.json$/.exec(name) ?? [];
    if (part !== undefined) update(fileOf(part), `${writeRows(readSaved(part))}\n`);
  }
}

if (positionals.length === 0) await writeSaved();
for (const document of positionals.length > 0 ? positionals : documents()) {
  await updateBlocks(document);
}
