/** Runs every example of the documents as it is shown, and checks its results. */
import { describe, expect, test } from '@jest/globals';
import * as tamis from 'tamis';
import * as interop from 'tamis/interop';
import * as url from 'tamis/url';

import { runModule } from '../js/support/child.js';
import {
  claims,
  docExamples,
  type Example,
  fileName,
  pageExamples,
  type Recipe,
  recipes,
  runnable,
} from '../js/support/examples.js';
import { inFolder, runProgram } from '../js/support/recipe.js';

const names = Object.keys(tamis);
const shown = pageExamples();
const docs = docExamples();

/** Runs the block of a page after the block of its server, which serves the page's requests. */
function withServer({ place, code }: Example): Example {
  if (!code.includes("fetch('/blocked.tamis')")) return { place, code };
  const server = shown.find((example) => example.code.includes('export const serveList'));
  const serving = server?.code
    .replace(/^import (.*) from ('tamis');$/m, 'const $1 = await import($2);')
    .replace('export ', '');
  return { place, code: `{ ${serving} globalThis.fetch = async () => serveList(); }\n${code}` };
}

describe('README.md and docs', () => {
  test.each(shown.map((example) => [example.place, example] as const))(
    '%s',
    async (_place, example) => {
      expect(example.code).toMatch(/from 'tamis(\/[\w-]+)?'/);
      // The folder of the other packages that pages name.
      await runModule(runnable(withServer(example), names), [], undefined, 'docs');
    },
  );

  test('have examples, and they claim results', () => {
    expect(shown.length).toBeGreaterThan(25);
    expect(shown.reduce((sum, example) => sum + claims(example), 0)).toBeGreaterThan(70);
  });
});

describe('pages whose blocks are files', () => {
  const all = recipes();

  test.each(all.map((recipe) => [recipe.page, recipe] as const))('%s', async (_page, recipe) => {
    const { files, programs } = recipe;
    expect(programs.reduce((sum, program) => sum + claims(program), 0)).toBeGreaterThan(0);
    const code = [...files, ...programs].map((block) => block.code).join('\n');
    expect(code).toMatch(/from 'tamis(\/[\w-]+)?'/);
    await inFolder(recipe, async (folder) => {
      for (const { code } of programs) await runProgram(folder, code);
    });
  });

  test('are there, and most of their files are imported by another', () => {
    expect(all.length).toBeGreaterThan(7);
    for (const { page, files, programs } of all) {
      const code = [...files, ...programs].map((block) => block.code).join('\n');
      const unused = files
        .map((file) => (fileName(file) as string).replace(/\.tsx?$/, '.js'))
        .filter((name) => name !== 'server.js' && !new RegExp(`['/]${name}'`).test(code));
      expect([page, unused]).toEqual([page, page.endsWith('/react.md') ? ['host-field.js'] : []]);
    }
  });
});

/** Answers of hosts for a missing filter. Single-page hosts answer with their page. */
const instead = {
  '404': "new Response('', { status: 404 })",
  'the page of the app': "new Response('<!doctype html><title>App</title>')",
  'no answer': "Promise.reject(new TypeError('fetch failed'))",
};

describe.each(Object.entries(instead))('a filter whose file is missing: %s', (_, answer) => {
  test('docs/recipes/username-taken.md', async () => {
    const recipe = recipes().find(({ page }) => page.endsWith('/username-taken.md')) as Recipe;
    const program = `
const { fetch } = globalThis;
globalThis.fetch = async (path) => path === '/taken.tamis' ? ${answer} : fetch(path);
const { isFree } = await import('./client.js');
await isFree('Barbara'); // => true
await isFree('Ada'); // => false
globalThis.fetch = async () => new Response('', { status: 503 });
await isFree('Barbara'); // => undefined
`;
    await inFolder(recipe, (folder) => runProgram(folder, program));
  });
});

describe('the hook and the component of docs/recipes/react.md', () => {
  const recipe = recipes().find(({ page }) => page.endsWith('/react.md')) as Recipe;
  const head = `
import { setImmediate as turn } from 'node:timers/promises';
import { mount } from 'react';
const { useFilter } = await import('./use-filter.js');
const until = async (holds) => { while (!holds()) await turn(); };
`;

  test('load once for all, follow the address, and say what failed', async () => {
    const program = `${head}
let requests = 0;
const { fetch } = globalThis;
globalThis.fetch = (...request) => { requests++; return fetch(...request); };
const [one, other] = [mount(useFilter), mount(useFilter)];
Object.keys(one.render('/blocked.tamis')); // => ['url']
other.render('/blocked.tamis');
await until(() => one.render('/blocked.tamis').filter !== undefined);
await until(() => other.render('/blocked.tamis').filter !== undefined);
one.render('/blocked.tamis').filter.has('malware.example'); // => true
other.render('/blocked.tamis').filter === one.render('/blocked.tamis').filter; // => true
requests; // => 1

one.render('/other.tamis'); // => {}
await until(() => one.render('/other.tamis').error !== undefined);
String(one.render('/other.tamis').error); // => 'Error: /other.tamis answered 404'
one.render('/blocked.tamis'); // => {}
one.unmount();
other.unmount();
await turn();
Object.keys(one.render('/blocked.tamis')); // => []
requests; // => 2
`;
    await inFolder(recipe, (folder) => runProgram(folder, program));
  });

  test('warn of a listed host', async () => {
    const program = `${head}
const { HostField } = await import('./host-field.js');
const field = mount(HostField);
const find = (type) => field.render().props.children.filter((child) => child?.type === type);
const type = (value) => find('input')[0].props.onChange({ target: { value } });
type('example.org');
const loading = mount(useFilter);
await until(() => loading.render('/blocked.tamis').filter !== undefined);
find('output').length; // => 0
type('malware.example');
await until(() => find('output').length > 0);
find('output')[0].props.children; // => 'This host may be blocked.'
`;
    await inFolder(recipe, (folder) => runProgram(folder, program));
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
    const functions = [...names, ...Object.keys(interop), ...Object.keys(url)].filter(
      // Exports that no program makes: an error, structures that only codecs make, and a number.
      (name) => !['ForeignFilter', 'TamisError', 'version'].includes(name),
    );
    const all = docs.map((example) => example.code).join('\n');
    expect(functions.filter((name) => !new RegExp(`\\b${name}\\b`).test(all))).toEqual([]);
  });
});

test('a claim that does not hold fails', async () => {
  const example = { place: 'here', code: '1 + 1; // => 3\n' };
  await expect(runModule(runnable(example, names))).rejects.toThrow(/AssertionError/);
});
