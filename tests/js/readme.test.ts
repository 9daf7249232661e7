/** Every example that is shown runs as it is shown, and gives what it says. */
import { describe, expect, test } from '@jest/globals';
import * as tamis from 'tamis';
import * as url from 'tamis/url';

import { runModule } from './support/child.js';
import { claims, docExamples, readmeExamples, runnable } from './support/examples.js';

const names = Object.keys(tamis);
const readme = readmeExamples();
const docs = docExamples();

describe('README.md', () => {
  test.each(readme.map((example) => [example.place, example] as const))(
    '%s',
    async (_place, example) => {
      expect(example.code).toMatch(/from 'tamis(\/url)?'/);
      await runModule(runnable(example, names));
    },
  );

  test('has examples, and they claim results', () => {
    expect(readme.length).toBeGreaterThan(5);
    expect(readme.reduce((sum, example) => sum + claims(example), 0)).toBeGreaterThan(10);
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
