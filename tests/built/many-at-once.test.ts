/** Many requests at once, on the signal of one object or one caller: Node has no leak to warn of. */
import { expect, test } from '@jest/globals';

import { runModule } from '../js/support/child.js';

const source = `
  import { mkdtemp, readFile, rm } from 'node:fs/promises';
  import { tmpdir } from 'node:os';
  import { buildPages } from 'tamis/pages';
  import { RemoteFilter } from 'tamis/remote';
  import { SafeBrowsing } from 'tamis/safe-browsing';
  import { memoryStorage, publishList, UrlChecker, UrlGuard, UrlListBuilder } from 'tamis/url';

  const warnings = [];
  process.on('warning', ({ name, message }) => warnings.push(name + ': ' + message));
  const signingKeys = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']);
  const hosts = Array.from({ length: 1000 }, (_, i) => 'h' + i + '.example');
  const folder = memoryStorage();
  await publishList(new UrlListBuilder().addHosts(hosts).build(), { name: 'l', storage: folder, signingKeys });
  const { signal } = new AbortController();

  /** Opens a gate once as many requests wait at it. */
  function gateOf(count) {
    let open;
    const opened = new Promise((resolve) => { open = resolve; });
    let waiting = 0;
    return () => { if (++waiting === count) open(); return opened; };
  }
  const fetchAt = (count) => {
    const pass = gateOf(count);
    return async (url) => {
      const file = await folder.get(url.split('/').at(-1));
      if (file) return new Response(file);
      await pass();
      return new Response(null, { status: 503 });
    };
  };
  const manifest = 'https://lists.example/manifest.json';
  const list = { name: 'l', publicKeys: [signingKeys.publicKey], confirm: 'https://api.example/confirm' };
  const common = { storage: 'memory', whenMissing: 'throw', whenUnconfirmed: 'unknown', updateEveryMs: 0 };
  const checker = await UrlChecker.open(manifest, { ...list, ...common, fetch: fetchAt(1000) });
  const verifyAll = (one, options) =>
    Promise.all(hosts.map(async (host) => (await one.verify('https://' + host + '/', options)).verdict));
  const verdicts = [await verifyAll(checker)];
  checker.close();

  const lists = { one: { ...list, manifest, action: 'block' } };
  const guard = await UrlGuard.open({ lists, ...common, fetch: fetchAt(1000) });
  verdicts.push(await verifyAll(guard, { signal }));
  guard.close();

  const google = await SafeBrowsing.open({
    apiKey: 'key', mode: 'no-storage', whenSearchFails: 'unknown', fetch: fetchAt(3),
  });
  const verifying = [0, 1, 2].map((i) => google.verify('https://' + hosts[i] + '/', { signal }));
  const shared = Array.from({ length: 1000 }, () => google.verify('https://' + hosts[0] + '/', { signal }));
  verdicts.push((await Promise.all([...verifying, ...shared])).map(({ verdict }) => verdict));
  google.close();

  const path = await mkdtemp(tmpdir() + '/tamis-many-');
  await buildPages(hosts, path, { name: 'p' });
  const remote = await RemoteFilter.open('https://pages.example/manifest.json', {
    name: 'p', publicKeys: null,
    fetch: async (url, { headers }) => {
      const bytes = await readFile(path + new URL(url).pathname);
      const [, from, to] = /(\\d+)-(\\d+)/.exec(headers?.Range ?? '') ?? [];
      if (!from) return new Response(bytes);
      const init = { status: 206, headers: { 'Content-Range': 'bytes ' + from + '-' + to + '/' + bytes.length } };
      return new Response(bytes.subarray(Number(from), Number(to) + 1), init);
    },
  });
  const found = await Promise.all(hosts.map((host) => remote.has(host, { signal })));
  remote.close();
  await rm(path, { recursive: true });
  // Warnings come in a later turn.
  await new Promise(setImmediate);
  const answers = verdicts.map((some) => [some.length, ...new Set(some)].join(' '));
  console.log(JSON.stringify({ answers, found: found.filter(Boolean).length, warnings }));
`;

test('a thousand verifies and look-ups', async () => {
  expect(JSON.parse(await runModule(source))).toEqual({
    answers: ['1000 unknown', '1000 unknown', '1003 unknown'],
    found: 1000,
    warnings: [],
  });
});
