// The registries and what follows from them: for every line of structures.def, the places that a
// compiler does not force anybody to visit; for every line of status.def, its code in TypeScript and
// in the README. One sentence per missing piece; exit code 1 if any.
//
//   node js/scripts/check-registry.mjs [folder]     (default: this repository)
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = process.argv[2] ?? fileURLToPath(new URL('../../', import.meta.url));
const vectors = 'tests/vectors/v1';

const missing = [];
const need = (there, sentence) => {
  if (!there) missing.push(sentence);
};

/** A file's text; '' if it is not there, so that every piece it should hold is named. */
function read(path) {
  return existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : '';
}
const withoutComments = (text) => text.replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g, '');

/** The Markdown below the first heading that matches, up to the next heading of its level. */
function section(markdown, heading) {
  const lines = markdown.split('\n');
  const start = lines.findIndex((line) => /^#+ /.test(line) && heading.test(line));
  if (start < 0) return [];
  const level = /^#+/.exec(lines[start])[0].length;
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => new RegExp(`^#{1,${level}} `).test(line));
  return end < 0 ? rest : rest.slice(0, end);
}
const tableRows = (lines) => lines.filter((line) => line.startsWith('|'));

/** `word` on its own: 'bloom' is not in 'blocked-bloom', nor 'BitArray' in 'BitArrayOptions'. */
const alone = (word) => new RegExp(`(?<![\\w-])${word}(?![\\w-])`);

function checkFilters() {
  const text = withoutComments(read('cpp/include/tamis/structures.def'));
  const entry = /TAMIS_STRUCTURE\(\s*(\w+),\s*"([a-z0-9-]+)",\s*(\d+),\s*(k\w+)\)/g;
  const filters = [...text.matchAll(entry)].map(([, type, slug, id]) => ({ type, slug, id }));
  need(filters.length > 0, 'cpp/include/tamis/structures.def has no line TAMIS_STRUCTURE(...)');
  const lines = text.match(/TAMIS_STRUCTURE\(/g)?.length ?? 0;
  need(
    lines === filters.length,
    `cpp/include/tamis/structures.def has ${lines - filters.length} entries that are not TAMIS_STRUCTURE(Type, "slug", id, kHashing)`,
  );
  for (const field of ['type', 'slug', 'id']) {
    const values = filters.map((filter) => filter[field]);
    const twice = values.filter((value, index) => values.indexOf(value) !== index);
    need(twice.length === 0, `structures.def has the ${field} ${twice[0]} twice`);
  }
  // url's stand in other places.
  for (const filter of filters) if (Number(filter.id) < 32) checkFilter(filter);
  return filters.length;
}

function checkFilter({ type, slug, id }) {
  const header = `filters/${slug.replaceAll('-', '_')}.hpp`;
  need(
    new RegExp(`\\bclass ${type}\\b`).test(read(`cpp/include/tamis/${header}`)),
    `${type}: no class of that name in cpp/include/tamis/${header}`,
  );

  const module = `filters/${slug}.ts`;
  need(
    new RegExp(`\\bexport class ${type}\\b`).test(read(`js/src/${module}`)),
    `${type}: no exported class of that name in js/src/${module}`,
  );
  const exported = withoutComments(read('js/src/index.ts')).matchAll(/export\s*\{([^}]*)\}/g);
  need(
    [...exported].some(([, names]) => names.split(',').some((name) => name.trim() === type)),
    `${type}: js/src/index.ts does not export it`,
  );

  need(
    new RegExp(`(?<![\\w-])'?${slug}'?: ${id},`).test(read('js/src/core/structure.ts')),
    `${type}: js/src/core/structure.ts does not give ${slug} the id ${id}`,
  );
  for (const path of ['js/src/any.ts', 'tests/js/classes.ts']) {
    need(alone(type).test(read(path)), `${type}: ${path} does not name it`);
  }

  const headings = read('cpp/FORMAT.md').match(/^#+ .*$/gm) ?? [];
  need(
    headings.some((line) => alone(slug).test(line) || alone(type).test(line)),
    `${type}: cpp/FORMAT.md has no section whose heading names ${slug}`,
  );
  const folder = join(root, vectors);
  const golden = (existsSync(folder) ? readdirSync(folder) : []).filter(
    (name) => name.startsWith(`${slug}-`) && name.endsWith('.tamis'),
  );
  need(
    golden.some((name) => readFileSync(join(folder, name))[10] === Number(id)),
    `${type}: no golden file ${vectors}/${slug}-*.tamis that holds type id ${id}; run npm run vectors`,
  );
  need(
    tableRows(section(read('README.md'), /which filter\?/i)).some((row) => alone(type).test(row)),
    `${type}: the table "Which filter?" of README.md has no row for it`,
  );
  need(alone(type).test(read('CHANGELOG.md')), `${type}: CHANGELOG.md does not mention it`);
}

function checkStatuses() {
  const file = 'cpp/include/tamis/status.def';
  const entry = /TAMIS_STATUS\(\s*(k\w+),\s*"(\w+)",/g;
  const statuses = [...withoutComments(read(file)).matchAll(entry)];
  need(statuses.length > 0, `${file} has no line TAMIS_STATUS(...)`);
  for (const [, name, code] of statuses) {
    const expected = name.slice(1).replace(/(?<!^)([A-Z])/g, '_$1');
    need(
      code === `ERR_TAMIS_${expected.toUpperCase()}`,
      `${file}: ${name} has the code ${code}, not ERR_TAMIS_${expected.toUpperCase()}`,
    );
  }
  const codes = new Set(statuses.map(([, , code]) => code));
  const found = (text) => new Set(text.match(/\bERR_TAMIS_[A-Z_]+\b/g));
  const script = found(withoutComments(read('js/src/core/errors.ts')));
  const table = found(tableRows(section(read('README.md'), /\berrors\b/i)).join('\n'));
  for (const [place, others] of [
    ['js/src/core/errors.ts', script],
    ["README.md's table of errors", table],
  ]) {
    for (const code of codes) need(others.has(code), `${code}: in ${file}, not in ${place}`);
    for (const code of others) need(codes.has(code), `${code}: in ${place}, not in ${file}`);
  }
  // A status crosses the border as its place in the list.
  const displaced = [...codes].find((code, index) => [...script][index] !== code);
  need(
    script.size !== codes.size || displaced === undefined,
    `js/src/core/errors.ts has the codes in another order than ${file}, first at ${displaced}`,
  );
  return statuses.length;
}

/** Figures cross the border by their place in the list. */
function checkFigures() {
  const camel = (name) => name[0].toLowerCase() + name.slice(1);
  const entry = /TAMIS_FIGURE\(k(\w+),/g;
  const figures = [...withoutComments(read('bindings/figures.def')).matchAll(entry)];
  const list = /const figureNames = \[([^\]]*)\]/.exec(read('js/src/core/structure.ts'))?.[1] ?? '';
  const names = [...list.matchAll(/'(\w+)'/g)].map(([, name]) => name);
  need(
    figures.length > 0 && figures.map(([, name]) => camel(name)).join() === names.join(),
    'js/src/core/structure.ts has other figures than bindings/figures.def, or in another order',
  );
}

checkFigures();
const filters = checkFilters();
const statuses = checkStatuses();
for (const sentence of missing) console.error(`${sentence}.`);
if (missing.length > 0) process.exitCode = 1;
else console.log(`registry: ${filters} structures and ${statuses} errors, all in every place`);
