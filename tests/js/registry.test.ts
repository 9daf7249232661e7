// What no compiler asks for: every type of structures.def has its class, its golden files and its place in the
// documents, and its options stand in the order of the C++ fields, since they cross the border by position.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import * as tamis from 'tamis';
import * as url from 'tamis/url';

import { golden, urlGolden } from './support/golden.js';

const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

const structures = [
  ...read('cpp/include/tamis/structures.def').matchAll(
    /^TAMIS_STRUCTURE\((\w+), "([\w-]+)", (\d+)/gm,
  ),
].map((row) => row.slice(1) as [Class: string, type: string, id: string]);

describe('structures.def', () => {
  test('is read whole', () => {
    expect(structures).toHaveLength(17);
  });

  test.each(structures)('%s has its class, its golden files and its place', (Class, type, id) => {
    const isUrl = Number(id) >= 32;
    const named = new RegExp(`(?<![\\w-])${Class}(?![\\w-])`);
    expect(Object.keys(isUrl ? url : tamis)).toContain(Class);
    const files = (isUrl ? urlGolden : golden).filter((one) => one.valid && one.type === type);
    expect(files.length).toBeGreaterThan(0);
    expect(read('cpp/FORMAT.md')).toContain(` ${type} (type ${id})\n`);
    expect(read('CHANGELOG.md')).toMatch(named);
    if (isUrl) return;
    expect(read('tests/js/classes.ts')).toMatch(named);
    expect(read('docs/guide/choose.md').match(/^\|.*/gm)?.join('\n')).toMatch(named);
    expect(read('docs/how-it-works.md')).toMatch(named);
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

const classes = Object.entries(tamis).filter(
  (entry): entry is [string, typeof tamis.BloomFilter & { define(): Definition }] =>
    Object.hasOwn(Object(entry[1]), 'define'),
);

describe('options', () => {
  test('of all classes are looked at', () => {
    expect(classes).toHaveLength(15);
  });

  test.each(classes)("of %s stand in the order of the C++ Config's fields", (_name, Class) => {
    const { type, readers = {} } = Class.define();
    expect(Object.keys(readers)).toEqual(fieldsOf(type));
  });
});
