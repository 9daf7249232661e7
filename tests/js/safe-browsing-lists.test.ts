/** Lists of SafeBrowsing: whole, partial, and with answers that do not fit. */

import { describe, expect, test } from '@jest/globals';
import { isLong } from './support/budget.js';

import {
  type FakeGoogle,
  field,
  hashOf,
  type ListMessage,
  prefixesOf,
} from './support/safe-browsing.js';
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
import { hang, holdTimers, pass, until } from './support/waiting.js';

holdTimers();

test('lists come whole at first, and then in part', async () => {
  const { google, clock, open } = served();
  const client = await open();
  expect(contentOf(client)).toBe('safe,maybe,maybe');
  expect(client.status).toMatchObject({ count: 80, stale: false, source: 'network', ageMs: 0 });
  google.push('se-4b', prefixesOf(second));
  expect(await client.update()).toMatchObject({ changed: false, by: 'none' });
  clock.ms += EVERY;
  const result = await client.update();
  expect(result).toMatchObject({ changed: true, by: 'deltas' });
  expect(result.to).toMatch(/^se-4b [\da-f]{8}, mw-4b [\da-f]{8}$/);
  expect(contentOf(client)).toBe('maybe,safe,maybe');
  expect(told(google)).toEqual([
    ['se-4b,mw-4b', 0],
    ['se-4b,mw-4b', 2],
  ]);
  const [{ path, query, headers, redirect }] = google.updates as [FakeGoogle['requests'][0]];
  expect(path).toBe('/v5/hashLists:batchGet');
  expect(query.get('alt')).toBe('proto');
  expect(headers.get('X-Goog-Api-Key')).toBe('the-key');
  expect([...query.keys()]).not.toContain('key');
  // A redirect would take the key elsewhere.
  expect(redirect).toBe('manual');
});

test('what the server says of time holds: nothing is asked before', async () => {
  const { google, clock, open } = served();
  google.change = (message) => {
    if (message.name === 'mw-4b') message.waitSeconds = 7200;
  };
  const client = await open();
  clock.ms += EVERY - 1;
  await client.update();
  clock.ms += 1;
  await client.update();
  clock.ms += 5400_000;
  await client.update();
  expect(told(google).map(([asked]) => asked)).toEqual(['se-4b,mw-4b', 'se-4b', 'se-4b,mw-4b']);
});

/** Fields of the Rice-coded additions, in the place of the right ones. */
const additions = (...fields: (readonly number[])[]) => field(4, fields.flat());
const [stays = ''] = prefixesOf(names(20, 1));

const damages: [string, (message: ListMessage) => void][] = [
  ['another checksum', (message) => (message.sha256 = hashOf('x'))],
  ['a checksum of 31 bytes', (message) => (message.sha256 = message.sha256.slice(2))],
  ['no checksum', (message) => (message.sha256 = '')],
  ['a removal past the end', (message) => (message.removals = [...message.removals, 40])],
  [
    'an addition that is there',
    (message) => (message.additions = prefixesOf([...names(20), 'x.example/'])),
  ],
  [
    'an addition that it removes',
    (message) => {
      message.additions = [...new Set([...message.additions, stays])].sort();
      const at = prefixesOf(first).indexOf(stays);
      message.removals = [...message.removals, at].sort((a, b) => a - b);
    },
  ],
  [
    'an addition twice',
    (message) => (message.more = additions(field(1, 5), field(2, 3), field(3, 1), field(4, [0]))),
  ],
  ['removals of others', (message) => (message.removals = [0, 1, 2])],
  ['another name', (message) => (message.name = 'uws-4b')],
  ['no name', (message) => (message.name = '')],
  ['another width', (message) => (message.additions = prefixesOf(second, 8))],
  ['a negative number', (message) => (message.more = additions(field(3, -1)))],
  ['more entries than data', (message) => (message.more = additions(field(3, 2 ** 31 - 1)))],
  ['a parameter that is too small', (message) => (message.more = additions(field(2, 2)))],
  ['a parameter that is too large', (message) => (message.more = additions(field(2, 31)))],
  ['no data', (message) => (message.more = additions(field(4, [])))],
  ['a negative wait', (message) => (message.waitSeconds = -1)],
];

describe.each(damages)('%s', (_, damage) => {
  test('the list in hand stays in use, and comes as a whole at once', async () => {
    const { google, clock, open } = served();
    const client = await open();
    google.push('se-4b', prefixesOf(second));
    google.push('mw-4b', prefixesOf(names(110)));
    clock.ms += EVERY;
    let isDamaged = true;
    google.change = (message, version) => {
      if (message.name === 'se-4b' && version !== undefined && isDamaged) damage(message);
    };
    expect(await client.update()).toMatchObject({ changed: true, by: 'snapshot' });
    expect(contentOf(client)).toBe('maybe,safe,maybe');
    expect(told(google).slice(1)).toEqual([
      ['se-4b,mw-4b', 2],
      ['se-4b', 0],
    ]);
    isDamaged = false;
  });

  test('where the whole does not fit either, the others are new, and it is told', async () => {
    const { google, clock, open } = served();
    const client = await open();
    google.push('se-4b', prefixesOf(second));
    google.push('mw-4b', prefixesOf(['evil.example/']));
    clock.ms += EVERY;
    google.change = (message) => {
      if (message.name !== 'se-4b') return;
      damage(message);
      // These details say nothing about a whole list.
      message.sha256 = message.sha256 === '' ? '' : hashOf('y');
    };
    expect(await codeOf(client.update())).toBe('ERR_TAMIS_CORRUPT');
    expect(contentOf(client)).toBe('maybe,maybe,safe');
    expect(client.status.error?.code).toBe('ERR_TAMIS_CORRUPT');
    google.change = () => {};
    expect(await codeOf(client.update())).toBe('none');
    expect(contentOf(client)).toBe('maybe,safe,safe');
    expect(client.status.error).toBeUndefined();
  });
});

test.each<[string, (google: FakeGoogle) => void, string]>([
  ['lists in another order', (google) => (google.arrange = (lists) => lists.reverse()), 'CORRUPT'],
  ['a list that is left out', (google) => (google.arrange = ([one]) => [one ?? []]), 'CORRUPT'],
  ['an empty answer', (google) => (google.instead = () => new Response('')), 'CORRUPT'],
  ['JSON', (google) => (google.instead = () => Response.json({ hashLists: [] })), 'CORRUPT'],
  [
    'HTML',
    (google) =>
      (google.instead = () => new Response('<p>', { headers: { 'Content-Type': 'text/html' } })),
    'CORRUPT',
  ],
  ...[204, 206, 404, 429].map((status): [string, (google: FakeGoogle) => void, string] => [
    String(status),
    (google) => (google.instead = () => new Response(null, { status })),
    'UNAVAILABLE',
  ]),
  ['503', (google) => (google.instead = () => new Response('', { status: 503 })), 'UNAVAILABLE'],
  ['403', (google) => (google.instead = () => Response.json({}, { status: 403 })), 'UNAVAILABLE'],
  [
    'a redirect',
    (google) => (google.instead = () => Response.redirect('https://x.example/')),
    'UNAVAILABLE',
  ],
  [
    'no network',
    (google) => (google.instead = () => Promise.reject(new TypeError('failed'))),
    'UNAVAILABLE',
  ],
  ['no answer', (google) => (google.instead = hang), 'UNAVAILABLE'],
  [
    'a body that hangs',
    (google) =>
      (google.instead = () =>
        new Response(new ReadableStream({ pull: hang }, { highWaterMark: 0 }))),
    'UNAVAILABLE',
  ],
  [
    'a body that breaks off',
    (google) =>
      (google.instead = () =>
        new Response(new ReadableStream({ start: (pipe) => pipe.error(new TypeError('broken')) }))),
    'UNAVAILABLE',
  ],
  [
    'more than 64 MiB',
    (google) => {
      const piece = new Uint8Array(2 ** 20);
      const pull = (controller: ReadableStreamDefaultController) => controller.enqueue(piece);
      google.instead = () => new Response(new ReadableStream({ pull }));
    },
    'TOO_LARGE',
  ],
])('%s: the lists in hand stay', async (_, spoil, code) => {
  const { google, clock, open } = served();
  (await open()).close();
  google.push('se-4b', prefixesOf(second));
  clock.ms += EVERY;
  spoil(google);
  const client = await open();
  expect(await codeOf(client.update())).toBe(`ERR_TAMIS_${code}`);
  expect(contentOf(client)).toBe('safe,maybe,maybe');
  expect(client.status.error?.code).toBe(`ERR_TAMIS_${code}`);
});

test.each([8, 16, 32])('prefixes of %d bytes come whole, and then in part', async (width) => {
  const { google, clock, open } = served();
  const list = `se-${width}b`;
  google.serve(list, prefixesOf(first, width));
  const client = await open({ lists: [list] });
  expect(contentOf(client)).toBe('safe,maybe,safe');
  google.push(list, prefixesOf(second, width));
  clock.ms += EVERY;
  expect(await client.update()).toMatchObject({ by: 'deltas' });
  expect(contentOf(client)).toBe('maybe,safe,safe');
});

test('a list without a version is taken, and asked for as a whole the next time', async () => {
  const { google, clock, open } = served();
  google.change = (message) => {
    if (message.name === 'se-4b') message.version = '';
  };
  const client = await open();
  google.push('se-4b', prefixesOf(second));
  clock.ms += EVERY;
  await client.update();
  expect(contentOf(client)).toBe('maybe,safe,maybe');
  expect(told(google)[1]).toEqual(['se-4b,mw-4b', 1]);
});

test('JSON is named in the error', async () => {
  const { google, open } = served();
  google.instead = () => Response.json({});
  const client = await open();
  expect(client.status.error?.message).toMatch(/application\/json/);
  expect(client.check(OLD)).toBe('unknown');
});

test('after a failure the next update waits, as long as Retry-After says at least', async () => {
  const { google, clock, open } = served();
  google.instead = () => new Response('', { status: 503, headers: { 'Retry-After': '7200' } });
  const client = await open({ autoUpdate: true });
  expect(client.status.nextUpdateMs).toBe(clock.ms + 7200 * 1000 * 1.05);
  google.instead = () => undefined;
  // The next page waits too, and reports why it has no lists.
  const next = await open({ autoUpdate: true });
  expect(google.updates).toHaveLength(1);
  expect(next.check(OLD)).toBe('unknown');
  expect(next.status.error?.message).toMatch(/the next is due at/);
  await next.update();
  expect(next.check(OLD)).toBe('maybe');
});

test('updates come by themselves when the server allows', async () => {
  const { google, clock, open } = served();
  const client = await open({ autoUpdate: true });
  google.push('se-4b', prefixesOf(second));
  const changed = new Promise((resolve) => client.onUpdate(resolve));
  clock.ms += 1.05 * EVERY;
  pass(1.05 * EVERY);
  expect(await changed).toMatchObject({ changed: true, by: 'deltas' });
  expect(contentOf(client)).toBe('maybe,safe,maybe');
});

describe('the storage', () => {
  test('gives the lists to the next page, which asks when it is time', async () => {
    const { google, clock, open } = served();
    (await open()).close();
    const next = await open({ autoUpdate: true });
    expect(contentOf(next)).toBe('safe,maybe,maybe');
    expect(next.status.source).toBe('storage');
    // Each due list is requested once more.
    await next.update();
    expect(google.updates).toHaveLength(1);
    google.push('se-4b', prefixesOf(second));
    clock.ms += EVERY;
    await next.update();
    expect(contentOf(next)).toBe('maybe,safe,maybe');
    expect(told(google)[1]).toEqual(['se-4b,mw-4b', 2]);
  });

  test('a list of another rule, or that is damaged in any byte, comes from the network', async () => {
    const { google, storage, open } = served();
    (await open()).close();
    const rule = { name: 'all', registrableDomain: () => null };
    const other = await open({ rule });
    expect(other.status.source).toBe('network');
    other.close();
    (await open()).close();
    const [key, bytes] = [...storage.files].find(([name]) => name.endsWith('se-4b.bin')) as [
      string,
      Uint8Array,
    ];
    for (let i = 0; i < bytes.length; i += isLong ? 1 : 3) {
      const damaged = bytes.slice();
      damaged[i] = (damaged[i] as number) ^ 1;
      storage.files.set(key, damaged);
      const client = await open();
      expect(contentOf(client)).toBe('safe,maybe,maybe');
      expect(told(google).at(-1)).toEqual(['se-4b', 0]);
      client.close();
    }
  });

  test('times that are damaged in any byte cost a request', async () => {
    const { google, clock, storage, open } = served();
    (await open()).close();
    clock.ms += EVERY / 2;
    const name = [...storage.files.keys()].find((one) => one.endsWith('-due.json')) as string;
    const bytes = storage.files.get(name) as Uint8Array;
    for (let i = 0; i < bytes.length; i += isLong ? 1 : 3) {
      const damaged = bytes.slice();
      damaged[i] = (damaged[i] as number) ^ 1;
      storage.files.set(name, damaged);
      const before = google.updates.length;
      const client = await open();
      expect(contentOf(client)).toBe('safe,maybe,maybe');
      expect(told(google).slice(before)).toEqual([['se-4b,mw-4b', 2]]);
      client.close();
    }
  });

  test('one that fails costs a download, and is told', async () => {
    const { storage, open } = served();
    storage.before = () => {
      throw new Error('full');
    };
    const client = await open();
    expect(contentOf(client)).toBe('safe,maybe,maybe');
    expect(client.status.error?.message).toMatch(/could not be stored/);
  });
});

test('lists of which the server said nothing for too long are missing', async () => {
  const { google, clock, open } = served();
  const client = await open({ maxAgeMs: 10 * EVERY });
  clock.ms += 10 * EVERY;
  expect(client.check(EVIL)).toBe('safe');
  clock.ms += 1;
  expect(client.check(EVIL)).toBe('unknown');
  expect(client.check(OLD)).toBe('unknown');
  expect((await client.verify(OLD)).verdict).toBe('unknown');
  expect(client.status).toMatchObject({ stale: true, ageMs: 10 * EVERY + 1 });
  expect(google.updates).toHaveLength(1);
  await client.update();
  expect(client.check(EVIL)).toBe('safe');
});

test('verify says safe only by lists that it looked up: a list may come in between', async () => {
  const { google, storage, open } = served();
  google.serve('mw-4b', prefixesOf([...names(100), 'evil.example/']));
  google.threats = { 'evil.example/': [{ type: 1 }] };
  google.instead = () => new Response('', { status: 503 });
  const client = await open({ autoUpdate: false });
  expect(client.check(EVIL)).toBe('unknown');
  google.instead = () => undefined;
  const verdicts: Promise<{ verdict: string }>[] = [];
  const set = storage.set.bind(storage);
  const verifyInEachMicrotask = async () => {
    for (let i = 0; i < 50; i++) {
      verdicts.push(client.verify(EVIL));
      await undefined;
    }
  };
  storage.set = (name, bytes) => {
    // The first list is in use: one of the calls is right before the second one comes.
    if (verdicts.length === 0) verifyInEachMicrotask();
    return set(name, bytes);
  };
  await client.update();
  expect(client.check(EVIL)).toBe('maybe');
  const all = (await Promise.all(verdicts)).map(({ verdict }) => verdict);
  expect(all).not.toContain('safe');
});

test('a listener hears of new lists, even if the storage never answers', async () => {
  const { google, clock, storage, open } = served();
  const client = await open({ autoUpdate: false });
  google.push('se-4b', prefixesOf(second));
  clock.ms += EVERY;
  const set = storage.set.bind(storage);
  storage.set = (name, bytes) => (name.endsWith('-due.json') ? hang() : set(name, bytes));
  let calls = 0;
  client.onUpdate(() => {
    calls++;
  });
  client.update().catch(() => {});
  await until(() => calls === 1);
  client.close();
});

test('a closed client gives its lists back, also in the middle of an update', async () => {
  const { google, clock, open } = served();
  const client = await open();
  clock.ms += EVERY;
  let release = (_: Response) => {};
  google.instead = () => new Promise((resolve) => (release = resolve));
  const updating = codeOf(client.update());
  await until(() => google.updates.length === 2);
  client.close();
  client.close();
  release(new Response(''));
  expect(await updating).toBe('ERR_TAMIS_DISPOSED');
  for (const act of [
    () => client.check(EVIL),
    () => client.status,
    () => client.onUpdate(() => {}),
  ]) {
    expect(act).toThrow(expect.objectContaining({ code: 'ERR_TAMIS_DISPOSED' }));
  }
  for (const act of [client.update(), client.verify(EVIL)]) {
    expect(await codeOf(act)).toBe('ERR_TAMIS_DISPOSED');
  }
});
