/** @jest-environment ./jsdom-of-node.mjs */
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { RemoteFilter } from 'tamis/remote';

test('pages of a static host, in jsdom', async () => {
  const filter = await RemoteFilter.open('https://host.example/manifest.json', {
    name: 'taken',
    publicKeys: null,
    fullResponses: 'use',
    fetch: async (url) => new Response(await readFile(join('pages', basename(url)))),
  });
  expect([...(await filter.hasMany(['ada', 'zoe']))]).toEqual([1, 0]);
  expect(document.body).toBeDefined();
});
