// Rules that no compiler checks. Every type of structures.def has its class, its golden files and its place in the
// documents. Its options stand in the order of the C++ fields, because they cross the border by position.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import * as tamis from 'tamis';
import * as url from 'tamis/url';

import { structureCases } from './classes.js';
import { classesOf } from './support/all-classes.mjs';
import { golden, urlGolden } from './support/golden.js';

const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

const structures = [
  ...read('cpp/include/tamis/structures.def').matchAll(
    /^TAMIS_STRUCTURE\((\w+), "([\w-]+)", (\d+)/gm,
  ),
].map((row) => row.slice(1) as [Class: string, type: string, id: string]);

describe('structures.def', () => {
  test('is read whole, and the package has no other class', () => {
    const lines = read('cpp/include/tamis/structures.def').match(/^TAMIS_STRUCTURE/gm);
    expect(structures).toHaveLength(lines?.length ?? 0);
    const exported = [...classesOf(tamis), ...classesOf(url)].map(({ name }) => name);
    expect(exported.sort()).toEqual(structures.map(([Class]) => Class).sort());
  });

  test.each(structures)('%s has its class, its golden files and its place', (Class, type, id) => {
    const isUrl = Number(id) >= 32;
    const named = new RegExp(`(?<![\\w-])${Class}(?![\\w-])`);
    const files = (isUrl ? urlGolden : golden).filter((one) => one.valid && one.type === type);
    expect(files.length).toBeGreaterThan(0);
    expect(read('cpp/FORMAT.md')).toContain(` ${type} (type ${id})\n`);
    expect(read('CHANGELOG.md')).toMatch(named);
    if (isUrl) return;
    expect(structureCases.map(({ className }) => className)).toContain(Class);
    expect(read('docs/guide/choose.md').match(/^\|.*/gm)?.join('\n')).toMatch(named);
  });
});

interface Definition {
  readonly type: string;
  readonly readers?: object;
}

const camelCase = (name: string): string =>
  name.replace(/_(\w)/g, (_, next: string) => next.toUpperCase());

/** The fields() of a C++ Config, by their names in TypeScript. */
function fieldsOf(type: string): string[] {
  const text = read(`cpp/include/tamis/filters/${type.replaceAll('-', '_')}.hpp`);
  const tied = /fields\(\) noexcept \{\s*return std::tie\(([^)]*)\);/.exec(text)?.[1] ?? '';
  return tied.split(',').map((name) => camelCase(name.trim()));
}

const definitions = classesOf(tamis).map(
  (Class) => [Class.name, (Class as unknown as { define(): Definition }).define()] as const,
);

describe('options', () => {
  test.each(definitions)("of %s stand in the order of the C++ Config's fields", (_name, own) => {
    const { type, readers = {} } = own;
    expect(Object.keys(readers)).toEqual(fieldsOf(type));
  });
});
