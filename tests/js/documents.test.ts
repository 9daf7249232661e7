/** Links between documents lead somewhere, and README is short and leads to every page. */
import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, test } from '@jest/globals';

import { pages } from './support/examples.js';

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const others = ['CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'cpp/FORMAT.md'];

/** The text without its code, in blocks or between backticks. */
const prose = (text: string): string =>
  text.replace(/^( *)```[\s\S]*?^\1```$/gm, '').replace(/`[^`\n]*`/g, '');

const linksIn = (path: string): string[] =>
  [...prose(read(path)).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target as string)
    .filter((target) => !/^[a-z]+:/.test(target));

/** Where a link of the document leads: a path from the root, and an anchor. */
function resolveLink(from: string, target: string): [path: string, anchor: string] {
  const [path = '', anchor = ''] = target.split('#');
  return [path === '' ? from : posix.join(posix.dirname(from), path), anchor];
}

/** The anchors of the headings on which every renderer of Markdown agrees: those of letters, digits and blanks. */
function anchorsOf(path: string): string[] {
  const text = read(path).replace(/^( *)```[\s\S]*?^\1```$/gm, '');
  return [...text.matchAll(/^#{1,6} ([\w -]+?) *$/gm)].map(([, heading]) =>
    (heading as string).toLowerCase().replaceAll(' ', '-'),
  );
}

test.each([...pages(), ...others])('the links of %s lead somewhere', (path) => {
  const dead = linksIn(path).filter((target) => {
    const [file, anchor] = resolveLink(path, target);
    if (!existsSync(new URL(file, root))) return true;
    return anchor !== '' && !anchorsOf(file).includes(anchor);
  });
  expect(dead).toEqual([]);
});

describe('README.md', () => {
  test('has at most 250 lines', () => {
    expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(250);
  });

  test('leads to every page', () => {
    const linked = linksIn('README.md').map((target) => resolveLink('README.md', target)[0]);
    const docs = pages().filter((page) => page.startsWith('docs/'));
    expect(docs.filter((page) => !linked.includes(page))).toEqual([]);
  });
});

test.each(pages().filter((page) => page.startsWith('docs/')))(
  '%s has its title, once more as its heading, and no HTML but the marks of what is generated',
  (path) => {
    const [, title] = /^---\ntitle: (.+)\n---\n/.exec(read(path)) ?? [];
    const plain = prose(read(path));
    expect(plain.match(/^# .*/gm)).toEqual([`# ${title}`]);
    expect(plain.replace(/^<!-- [\w-]+:(?:start|end) -->$/gm, '')).not.toMatch(/<[a-z!/]/i);
  },
);
