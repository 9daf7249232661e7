// What no compiler asks for: for every line of structures.def its class, its golden file and its place in
// the documents, and for every line of status.def its row in the README. One sentence per missing piece;
// exit code 1 if any.
//
//   node js/scripts/check-registry.mjs [folder]     (default: this repository)
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readRegistry } from './registry.mjs';

const root = process.argv[2] ?? fileURLToPath(new URL('../../', import.meta.url));

const missing = [];
const need = (there, sentence) => {
  if (!there) missing.push(sentence);
};

/** A file's text; '' if it is not there, so that every piece it should hold is named. */
function read(path) {
  return existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : '';
}

/** The rows of tables below the first heading that matches, up to the next heading of its level. */
function tableBelow(heading) {
  const [, level, rest = ''] =
    new RegExp(`^(#+) [^\\n]*${heading}[^\\n]*\\n([^]*)`, 'im').exec(read('README.md')) ?? [];
  const [own] = rest.split(new RegExp(`^#{1,${level?.length}} `, 'm'));
  return own.split('\n').filter((line) => line.startsWith('|'));
}

/** `word` on its own: 'bloom' is not in 'blocked-bloom', nor 'BitArray' in 'BitArrayOptions'. */
const alone = (word) => new RegExp(`(?<![\\w-])${word}(?![\\w-])`);

/** Types of url/ have rooms of their own: no row under "Which filter?", and no place in any.ts. */
const isUrl = ({ id }) => Number(id) >= 32;

function checkStructure(structure) {
  const { type, slug, id } = structure;
  const index = isUrl(structure) ? 'js/src/url/index.ts' : 'js/src/index.ts';
  const exported = read(index).matchAll(/export\s*\{([^}]*)\}/g);
  need(
    [...exported].some(([, names]) => names.split(',').some((name) => name.trim() === type)),
    `${type}: ${index} does not export it`,
  );
  need(
    read('cpp/FORMAT.md')
      .match(/^#+ .*$/gm)
      ?.some((line) => alone(slug).test(line) || alone(type).test(line)),
    `${type}: cpp/FORMAT.md has no section whose heading names ${slug}`,
  );
  const vectors = isUrl(structure) ? 'tests/vectors/v1/url' : 'tests/vectors/v1';
  const folder = join(root, vectors);
  const golden = (existsSync(folder) ? readdirSync(folder) : []).filter(
    (name) => name.startsWith(`${slug}-`) && name.endsWith('.tamis'),
  );
  need(
    golden.some((name) => readFileSync(join(folder, name))[10] === Number(id)),
    `${type}: no golden file ${vectors}/${slug}-*.tamis that holds type id ${id}; run npm run vectors`,
  );
  need(alone(type).test(read('CHANGELOG.md')), `${type}: CHANGELOG.md does not mention it`);
  if (isUrl(structure)) return;
  for (const path of ['js/src/any.ts', 'tests/js/classes.ts']) {
    need(alone(type).test(read(path)), `${type}: ${path} does not name it`);
  }
  need(
    tableBelow('which filter\\?').some((row) => alone(type).test(row)),
    `${type}: the table "Which filter?" of README.md has no row for it`,
  );
}

const { structures, codes } = readRegistry(root);
for (const structure of structures) checkStructure(structure);
const told = new Set(
  tableBelow('\\berrors\\b')
    .join('\n')
    .match(/\bERR_TAMIS_[A-Z_]+\b/g),
);
const table = "README.md's table of errors";
for (const code of codes) need(told.has(code), `${code}: not in ${table}`);
for (const code of told) need(codes.includes(code), `${code}: in ${table}, not in status.def`);
for (const sentence of missing) console.error(`${sentence}.`);
if (missing.length > 0) process.exitCode = 1;
else
  console.log(
    `registry: ${structures.length} structures and ${codes.length} errors, all in every place`,
  );
