/** Lists of SafeBrowsing that come in several answers. */
import { expect, test } from '@jest/globals';

import { type FakeGoogle, hashOf, prefixesOf } from './support/safe-browsing.js';
import {
  codeOf,
  contentOf,
  EVERY,
  EVIL,
  first,
  names,
  OLD,
  second,
  served,
  told,
} from './support/safe-browsing-lists.js';

test('an update that the server split is asked for at once, at most 16 times', async () => {
  const { google, open } = served();
  google.lists['se-4b']?.versions.splice(0);
  for (const end of [10, 20, 30, 40]) google.push('se-4b', prefixesOf(first.slice(0, end)));
  const versions = [...(google.lists['se-4b']?.versions ?? [])];
  let parts = 1;
  google.change = (message) => {
    if (message.name !== 'se-4b') return;
    const list = google.lists['se-4b'];
    if (parts < versions.length) message.waitSeconds = 0;
    if (parts < versions.length) list?.versions.splice(0, 99, ...versions.slice(0, ++parts));
  };
  google.lists['se-4b']?.versions.splice(1);
  const client = await open({ maxUpdateEntries: 1024, maxEntries: 5000 });
  expect(client.check(OLD)).toBe('maybe');
  expect(told(google).slice(0, 3)).toEqual([
    ['se-4b,mw-4b', 0],
    ['se-4b', 1],
    ['se-4b', 1],
  ]);
  const { query } = google.updates[0] as FakeGoogle['requests'][0];
  expect(query.get('sizeConstraints.maxUpdateEntries')).toBe('1024');
  expect(query.get('sizeConstraints.maxDatabaseEntries')).toBe('5000');

  const endless = served();
  endless.google.waitSeconds = 0;
  endless.google.change = () => endless.google.push('se-4b', prefixesOf(names(0, parts++)));
  const other = await endless.open({ autoUpdate: true });
  expect(endless.google.updates).toHaveLength(16);
  // On average, one request a minute.
  expect(other.status.nextUpdateMs).toBe(endless.clock.ms + 1.05 * 16 * 60_000);
});

test('a server that has nothing new is not asked at once, even if it allows that', async () => {
  const { google, clock, open } = served();
  google.waitSeconds = 0;
  const client = await open({ autoUpdate: true });
  expect(google.updates).toHaveLength(2);
  expect(client.status).toMatchObject({ stale: false, nextUpdateMs: clock.ms + 1.05 * 120_000 });
});

test('of a list that the server has not sent to its end nothing is safe, also from the storage', async () => {
  const { google, clock, open } = served();
  google.serve('se-4b', prefixesOf(names(0, 3)));
  google.change = (message) => {
    if (message.name === 'se-4b') message.waitSeconds = 0;
    google.instead = () => new Response('', { status: 503 });
  };
  for (let page = 0; page < 2; page++) {
    const client = await open();
    expect(client.status).toMatchObject({ stale: true, count: 43 });
    expect(client.status.error?.code).toBe('ERR_TAMIS_UNAVAILABLE');
    expect(client.check('https://host-5.example/')).toBe('unknown');
    expect(client.check('https://host-130.example/')).toBe('maybe');
    client.close();
  }
  google.push('se-4b', prefixesOf(first));
  google.change = () => {};
  google.instead = () => undefined;
  const client = await open();
  expect(told(google).at(-1)).toEqual(['se-4b', 1]);
  expect(client.check('https://host-5.example/')).toBe('maybe');
  expect(client.check(EVIL)).toBe('safe');
  // A whole list stays in use while a newer one comes in parts.
  google.push('se-4b', prefixesOf(second));
  google.change = (message) => {
    if (message.name === 'se-4b') message.waitSeconds = 0;
    google.instead = () => new Response('', { status: 503 });
  };
  clock.ms += EVERY;
  expect(await codeOf(client.update())).toBe('ERR_TAMIS_UNAVAILABLE');
  expect(client.check(EVIL)).toBe('maybe');
  expect(client.check(OLD)).toBe('safe');
  expect(client.status).toMatchObject({ stale: false, ageMs: EVERY });
});

test('a whole list stays in use, also in the storage, until another came to its end', async () => {
  const { google, clock, open } = served();
  google.push('se-4b', prefixesOf(first));
  const client = await open();
  const comeInParts = (expressions: readonly string[]) => {
    // The server does not know the version, so it starts anew.
    google.serve('se-4b', prefixesOf(expressions));
    google.change = (message) => {
      if (message.name === 'se-4b') message.waitSeconds = 0;
      google.instead = () => new Response('', { status: 503 });
    };
  };
  const goOn = async () => {
    google.change = () => {};
    google.instead = () => undefined;
    clock.ms += EVERY;
    return client.update();
  };
  comeInParts(second.slice(0, 3));
  clock.ms += EVERY;
  expect(await codeOf(client.update())).toBe('ERR_TAMIS_UNAVAILABLE');
  expect(contentOf(client)).toBe('safe,maybe,maybe');
  expect(client.status).toMatchObject({ stale: false, ageMs: EVERY });
  const other = await open();
  expect(contentOf(other)).toBe('safe,maybe,maybe');
  expect(other.status.source).toBe('storage');
  google.push('se-4b', prefixesOf(second));
  expect(await goOn()).toMatchObject({ changed: true, by: 'deltas' });
  expect(contentOf(client)).toBe('maybe,safe,maybe');
  // The next part does not fit: the partial list is dropped, and requested as a whole.
  comeInParts(first.slice(0, 3));
  clock.ms += EVERY;
  expect(await codeOf(client.update())).toBe('ERR_TAMIS_UNAVAILABLE');
  google.push('se-4b', prefixesOf(first));
  google.change = (message, version) => {
    if (message.name === 'se-4b' && version !== undefined) message.sha256 = hashOf('x');
  };
  google.instead = () => undefined;
  clock.ms += EVERY;
  expect(await client.update()).toMatchObject({ changed: true, by: 'snapshot' });
  expect(contentOf(client)).toBe('safe,maybe,maybe');
  expect(told(google).at(-1)).toEqual(['se-4b', 0]);
  client.close();
});
