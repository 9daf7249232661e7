// What C++ and TypeScript must list alike, where nothing is generated: the options that cross the border
// by position.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import * as tamis from 'tamis';

interface Definition {
  readonly type: string;
  readonly readers?: object;
}

const camelCase = (name: string): string =>
  name.replace(/_(\w)/g, (_, next: string) => next.toUpperCase());

/** The fields() of a C++ Config, by their names in TypeScript. */
function fieldsOf(type: string): string[] {
  const header = `../../cpp/include/tamis/filters/${type.replaceAll('-', '_')}.hpp`;
  const text = readFileSync(new URL(header, import.meta.url), 'utf8');
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
