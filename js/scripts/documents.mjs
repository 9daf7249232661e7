// Writes the parts of documents that come from programs, between `<!-- name:start -->` and `<!-- name:end -->`.
//
//   node js/scripts/documents.mjs [--check] [DOCUMENT]...     (default: all)
//
// README.md              figures from the saved bench; filters to choose from, from the built package
// docs/index.md          figures from the saved bench
// docs/guide/choose.md   all filters to choose from, from the built package
// docs/guide/from-*.md   programs of lab/peers/backends, and what their files cost
// docs/guide/urls.md, several-lists.md  what a look-up costs, from the saved bench
// docs/benchmarks.md     a chart and a table a question, from the saved bench, which it writes a row a line
// docs/benchmarks/*.md   all tables, from the saved bench
// docs/filters/*.md      what each filter costs, from the built package and the saved bench
// docs/cpp.md            the examples of C++, and what filters cost there, from the saved bench
// docs/recipes/*.md      what each recipe costs, from the built package and the saved bench
// cpp/FORMAT.md          the annotated dump of a golden file, and the beginning of the reader in Python
// THIRD-PARTY-NOTICES.md  the licence of every package that the command line bundles
//
// With --check it writes nothing, and fails if a document differs.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join, posix } from 'node:path';
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
const readSaved = (part) => JSON.parse(read(fileOf(part)));

/** A class, with a link to its page from a document of that folder; `Set` and `Map` have none. */
function classLink(className, type, folder) {
  const page = posix.relative(folder, `docs/filters/${type}.md`);
  return existsSync(join(root, 'docs/filters', `${type}.md`))
    ? `[\`${className}\`](${page})`
    : `\`${className}\``;
}

/** The needs and the results of suggestFilter for them, in these columns, for a document of that folder. */
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
  updateBlocks('README.md', {
    peers: peers(comparison, sizes, browsers, '#compared'),
    entries: entries(sizes),
    choice: await choiceTable(few, '', ['You have', 'Class', 'Bits per key', 'Delete']),
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
  updateBlocks('docs/guide/choose.md', { choice: await choiceTable(needs, 'docs/guide') });

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
  engines: ['browsers', 'native'],
  changing: ['dynamic'],
  'fixed-lists': ['static'],
  'bits-per-key': ['accuracy'],
  imports: ['sizes'],
  urls: ['url'],
  files: ['interop', 'pages', 'redis'],
};

const benchPage = (page) => async () => {
  const { TABLES } = await import('../../lab/bench/report.mjs');
  const blocks = benchPages[page].map((part) => [`bench-${part}`, TABLES[part](readSaved(part))]);
  updateBlocks(`docs/benchmarks/${page}.md`, Object.fromEntries(blocks));
  if (page !== 'bits-per-key') return;
  const { curves } = await import('../../lab/bench/charts.mjs');
  update('lab/bench/results/bits-per-key.svg', curves(readSaved('accuracy')));
};

const vectors = 'tests/vectors/v1';

// Each field has an offset, a size, and its meaning, which may be a function of the value.
const FIELDS = [
  [0, 8, () => 'magic: \\x89 T M S CR LF ^Z LF'],
  [8, 2, (value) => `format version ${value}`],
  [10, 1, (value) => `type id ${value}: bloom`],
  [11, 1, (value) => `hash id ${value}: XXH3-64`],
  [12, 4, () => 'reserved'],
  [16, 8, (value) => `seed ${value}`],
  [24, 8, () => 'key id: none'],
  [32, 8, (value) => `capacity ${value}`],
  [40, 8, (value) => `count ${value}`],
  [48, 8, (value) => `payload length ${value}`],
  [56, 4, () => 'CRC-32C of bytes 64 to 87'],
  [60, 4, () => 'CRC-32C of bytes 0 to 59'],
  [64, 8, (value) => `record: ${value} bits`],
  [72, 4, (value) => `record: ${value} hashes`],
  [76, 4, () => 'record: zero'],
  [80, 8, (value) => `bits set: ${bitsOf(value).join(' ')}`],
];

function bitsOf(word) {
  return [...word.toString(2)].reverse().flatMap((bit, index) => (bit === '1' ? [index] : []));
}

const littleEndian = (bytes) =>
  bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);

/** One line per field: offset, bytes, meaning. */
function dump(bytes) {
  const last = FIELDS.at(-1);
  if (bytes.length !== last[0] + last[1]) throw new Error(`expected 88 bytes, got ${bytes.length}`);
  return FIELDS.map(([offset, size, meaning]) => {
    const field = bytes.subarray(offset, offset + size);
    const hex = [...field].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    return `${offset.toString(16).padStart(4, '0')}  ${hex.padEnd(24)} ${meaning(littleEndian(field))}`;
  }).join('\n');
}

/** The golden file to show: the first valid `bloom` of three keys under the default scheme. */
function threeKeys() {
  const { lists, files } = JSON.parse(read(`${vectors}/manifest.json`));
  for (const { file, type, valid, present } of files) {
    if (!valid || type !== 'bloom') continue;
    const bytes = readFileSync(join(root, vectors, file));
    const keys = lists[present];
    if (bytes[11] === 1 && bytes.length === 88 && keys.length === 3) {
      return { file, bytes, keys: keys.map((hex) => Buffer.from(hex, 'hex').toString()) };
    }
  }
  throw new Error('tests/vectors/v1 has no bloom of 88 bytes with three keys under hash id 1');
}

function format() {
  const { file, bytes, keys } = threeKeys();
  const program = read('cpp/format/read_format.py');
  const reader = /# reader:start\n([\s\S]*?)\n# reader:end/.exec(program)?.[1];
  if (reader === undefined) throw new Error('cpp/format/read_format.py has no marked part');
  updateBlocks('cpp/FORMAT.md', {
    dump:
      `\`${vectors}/${file}\`, capacity 3, fpr 0.01, the keys ` +
      `${keys.map((key) => `\`${key}\``).join(', ')}:\n\n\`\`\`text\n${dump(bytes)}\n\`\`\``,
    reader: `\`\`\`python\n${reader.trim()}\n\`\`\``,
  });
}

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

/** The whole files of an example, each as a block of code. */
function filesOf(folder, names) {
  const blocks = names.map((name) => {
    // A test would run a block of `js`.
    const language = extname(name).slice(1).replace(/^js$/, 'mjs');
    const code = read(`${folder}/${name}`).trimEnd();
    return `### ${name}\n\n\`\`\`${language}\n${code}\n\`\`\``;
  });
  return blocks.join('\n\n');
}

async function extensionRecipe() {
  const [folder, page] = ['js/examples/extension', 'docs/recipes/browser-extension.md'];
  // The files come in the order for reading.
  const first = ['manifest.json', 'background.js', 'guard.js', 'lists.js', 'held.js', 'ask.js'];
  const others = readdirSync(join(root, folder)).filter((name) => !first.includes(name));
  updateBlocks(page, { files: filesOf(folder, [...first, ...others.sort()]) });
  await costs('recipes', 'browser-extension')();
}

const languages = { '.py': 'python', '.go': 'go', '.java': 'java', '.cpp': 'cpp' };

/** A whole program, which the tests run. */
function programBlock(path) {
  const code = read(path).trimEnd();
  return `\`\`\`${languages[extname(path)]}\n${code}\n\`\`\``;
}

/** The guide for a backend in another language: its programs, each by the name of its block. */
const backend = (page, programs) => async () => {
  const { cost } = await import('../../lab/bench/recipes.mjs');
  const blocks = Object.entries(programs).map(([block, name]) => [
    block,
    programBlock(`lab/peers/backends/${name}`),
  ]);
  updateBlocks(page, {
    ...Object.fromEntries(blocks),
    cost: cost('backend', { sizes: readSaved('sizes') }),
  });
};

const backends = {
  'docs/guide/from-python.md': { bloom: 'bloom.py', fuse: 'fuse.py' },
  'docs/guide/from-go.md': { bloom: 'bloom.go', fuse: 'fuse.go' },
  'docs/guide/from-java.md': { bloom: 'Bloom.java' },
};

async function cppPage() {
  const { nativeCosts } = await import('../../lab/bench/costs.mjs');
  updateBlocks('docs/cpp.md', {
    blocklist: programBlock('cpp/examples/blocklist.cpp'),
    usernames: programBlock('cpp/examples/usernames.cpp'),
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
  'docs/recipes/browser-extension.md': extensionRecipe,
  ...Object.fromEntries(
    Object.entries(backends).map(([page, programs]) => [page, backend(page, programs)]),
  ),
  'cpp/FORMAT.md': format,
  'THIRD-PARTY-NOTICES.md': notices,
};
const asked = positionals.length > 0 ? positionals : Object.keys(documents);
for (const name of asked) {
  if (!(name in documents))
    throw new Error(`${name}: expected ${Object.keys(documents).join(', ')}`);
  await documents[name]();
}
