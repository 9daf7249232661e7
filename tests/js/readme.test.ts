/** Every example that is shown runs as it is shown, and gives what it says. */
import { describe, expect, test } from '@jest/globals';
import * as tamis from 'tamis';
import * as url from 'tamis/url';

import { runModule } from './support/child.js';
import { claims, docExamples, type Example, pageExamples, runnable } from './support/examples.js';

const names = Object.keys(tamis);
const shown = pageExamples();
const docs = docExamples();

/** The block of a page, after that of its server: what it fetches is what that one serves. */
function withServer({ place, code }: Example): Example {
  if (!code.includes("fetch('/blocked.tamis')")) return { place, code };
  const server = shown.find((example) => example.code.includes('export function serveList'));
  const serving = server?.code
    .replace(/^import (.*) from ('tamis');$/m, 'const $1 = await import($2);')
    .replace('export ', '');
  const answer = "path === '/blocked.tamis' ? serveList() : new Response()";
  return { place, code: `{ ${serving} globalThis.fetch = async (path) => ${answer}; }\n${code}` };
}

describe('README.md and docs', () => {
  test.each(shown.map((example) => [example.place, example] as const))(
    '%s',
    async (_place, example) => {
      expect(example.code).toMatch(/from 'tamis(\/\w+)?'/);
      await runModule(runnable(withServer(example), names));
    },
  );

  test('have examples, and they claim results', () => {
    expect(shown.length).toBeGreaterThan(25);
    expect(shown.reduce((sum, example) => sum + claims(example), 0)).toBeGreaterThan(70);
  });
});

describe('@example', () => {
  test.each(docs.map((example) => [example.place, example] as const))(
    '%s',
    async (_place, example) => {
      await runModule(runnable(example, names));
    },
  );

  test('there is one for most of what is exported', () => {
    const functions = [...names, ...Object.keys(url)].filter(
      (name) => !['TamisError', 'version'].includes(name),
    );
    const all = docs.map((example) => example.code).join('\n');
    expect(functions.filter((name) => !new RegExp(`\\b${name}\\b`).test(all))).toEqual([]);
  });
});

test('a claim that does not hold fails', async () => {
  const example = { place: 'here', code: '1 + 1; // => 3\n' };
  await expect(runModule(runnable(example, names))).rejects.toThrow(/AssertionError/);
});
