/** Links between documents lead somewhere, and the documents of a first visit are short. */
import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import * as tamis from 'tamis';

import { classesOf } from './support/all-classes.mjs';
import { pages } from './support/examples.js';

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const docs = pages().filter((page) => page.startsWith('docs/'));
const others = [
  'CONTRIBUTING.md',
  'CODE_OF_CONDUCT.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'cpp/FORMAT.md',
];

/** The text without its code, in blocks or between backticks. */
const prose = (text: string): string =>
  text.replace(/^( *)```[\s\S]*?^\1```$/gm, '').replace(/`[^`\n]*`/g, '');

const address = JSON.parse(read('package.json')).repository.url.replace(/^git\+|\.git$/g, '');

/** The links to files of the repository. Only README's are absolute, since npm shows no other file. */
const linksIn = (path: string): string[] =>
  [...prose(read(path)).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target.replace(new RegExp(`^${address}/(?:blob|raw)/main/`), ''))
    .filter((target) => !/^[a-z]+:/.test(target));

/** Resolves a link of the document to a path from the root and an anchor. */
function resolveLink(from: string, target: string): [path: string, anchor: string] {
  const [path = '', anchor = ''] = target.split('#');
  return [path === '' ? from : posix.join(posix.dirname(from), path), anchor];
}

/** The anchors of the headings, as GitHub makes them and docs/.vitepress too. */
function anchorsOf(path: string): string[] {
  const text = read(path).replace(/^( *)```[\s\S]*?^\1```$/gm, '');
  const seen = new Map<string, number>();
  return [...text.matchAll(/^#{1,6} (.+?) *$/gm)].map(([, heading]) => {
    const anchor = (heading as string)
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-');
    const before = seen.get(anchor) ?? 0;
    seen.set(anchor, before + 1);
    return before === 0 ? anchor : `${anchor}-${before}`;
  });
}

test.each([...pages(), ...others])('the links of %s lead somewhere', (path) => {
  const dead = linksIn(path).filter((target) => {
    const [file, anchor] = resolveLink(path, target);
    if (!existsSync(new URL(file, root))) return true;
    return anchor !== '' && !anchorsOf(file).includes(anchor);
  });
  expect(dead).toEqual([]);
});

/** The most lines and words that the documents of a first visit may have. */
const MOST = [
  ['README.md', 130, 900],
  ['CONTRIBUTING.md', 130, 900],
] as const;

test.each(MOST)('%s has at most %i lines and %i words', (path, lines, words) => {
  const text = read(path).trim();
  expect(text.split('\n').length).toBeLessThanOrEqual(lines);
  expect(text.split(/\s+/).length).toBeLessThanOrEqual(words);
});

const parts = /\]\(([^)#\s]+\.(?!md\))\w+)\)(?:(?!\n\n)[^[])*:\n\n```\w+\n([\s\S]*?)```$/gm;
const pasted = docs.flatMap((page) =>
  [...read(page).matchAll(parts)].map(([, target = '', code = '']) => ({
    path: posix.join(posix.dirname(page), target),
    code,
  })),
);

test.each(pasted)('code after a link to $path is text of that file', ({ path, code }) => {
  expect(read(path)).toContain(code);
});

test('pages show parts of files', () => {
  expect(pasted.length).toBeGreaterThan(10);
});

/**
 * The HTML that a page may have: the marks of generated text, the text of another file, and an element of the site.
 * Readers outside the site find a sentence in that element.
 */
const allowed =
  /^<!-- [\w-]+:(?:start|end) -->$|^<!--@include: [\w./]+\.md(?:\{\d+,\}|#[\w-]+)-->$|^<(tamis-\w+)(?: type="[\w-]+")?>\n\n[^<]+\.\n\n<\/\1>$/gm;

test.each(docs)(
  '%s has its title, once more as its heading, and no HTML but marks, other files and elements of the site',
  (path) => {
    const [, title] = /^---\ntitle: (.+)\n(?:order: \d+\n)?---\n/.exec(read(path)) ?? [];
    const plain = prose(read(path));
    expect(plain.match(/^# .*/gm)).toEqual([`# ${title}`]);
    expect(plain.replace(allowed, '')).not.toMatch(/<[a-z!/]/i);
  },
);

/** Pages that have another name than their type. */
const pageNames: Readonly<Record<string, string>> = {
  iblt: 'invertible-bloom-table',
  'blocked-bloom': 'bloom',
  'deletable-bloom': 'from-the-literature',
  'tombstone-bloom': 'from-the-literature',
  'd-left-counting': 'from-the-literature',
};
const pageOf = (type: string): string => `docs/filters/${pageNames[type] ?? type}.md`;

const types = classesOf(tamis).map(({ name, prototype }) => ({ name, type: prototype.type }));

describe('docs/filters', () => {
  const sections = [
    'How it works',
    'When to use it',
    'When not to use it',
    'Cost',
    'What it never does',
  ];

  test.each(types.map(({ type, name }) => [name, type] as const))(
    'have the page of %s',
    (name, type) => {
      const text = read(pageOf(type));
      // A page of several types may have a part for each.
      const own = text.split(`\n## ${name}\n`)[1]?.split('\n## ')[0];
      const part = own ?? text;
      const level = own === undefined ? '##' : '###';
      const headings = [...part.matchAll(/^(#+) (.+)$/gm)]
        .filter(([, marks]) => marks === level)
        .map(([, , heading]) => heading);
      expect(headings.filter((heading) => sections.includes(heading as string))).toEqual(sections);
      expect(text).toMatch(/^## (?:Papers? and formats?|Format)$/m);
      expect(part).toMatch(new RegExp(`\`${name}\`[\\s\\S]*\n\`\`\`ts\n`));
      expect(part).toMatch(/^<!-- cost(?:-[\w-]+)?:start -->$/m);
      const formats = linksIn(pageOf(type)).filter((target) =>
        new RegExp(`^../../cpp/FORMAT.md#.*-${type}-type-\\d+$`).test(target),
      );
      expect(formats).not.toEqual([]);
    },
  );

  test('have one figure or picture for each type, but none for bit arrays', () => {
    const figure = /<tamis-figure type="|\]\(\.\.\/\.\.\/web-demo\/pictures\//g;
    const found = docs
      .filter((page) => page.startsWith('docs/filters/'))
      .flatMap((page) => read(page).match(figure) ?? []);
    expect(found).toHaveLength(types.length - 1);
  });

  test('and no other, each in its place', () => {
    const found = docs.filter((page) => page.startsWith('docs/filters/'));
    expect(found).toEqual([...new Set(types.map(({ type }) => pageOf(type)))].sort());
    const orders = found.map((page) => Number(/^order: (\d+)$/m.exec(read(page))?.[1]));
    expect(orders.sort((a, b) => a - b)).toEqual(found.map((_, i) => i + 1));
  });
});

test('the glossary is in alphabetical order', () => {
  const terms = [...read('docs/glossary.md').matchAll(/^- \*\*(.+?)\.\*\*/gm)].map(
    ([, term]) => term as string,
  );
  expect(terms.length).toBeGreaterThan(40);
  expect(terms).toEqual([...terms].sort((a, b) => a.localeCompare(b, 'en')));
});
