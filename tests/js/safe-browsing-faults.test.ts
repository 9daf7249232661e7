/** SafeBrowsing after faults in the field: refused versions, wrong clocks, tiny waits, wrong API keys, huge counts. */
import { describe, expect, test } from '@jest/globals';

import { type FakeGoogle, field, prefixesOf, type Request } from './support/safe-browsing.js';
import {
  codeOf,
  contentOf,
  EVERY,
  EVIL,
  OLD,
  second,
  served,
  told,
} from './support/safe-browsing-lists.js';
import { holdTimers, pass, until } from './support/waiting.js';

holdTimers();

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NEW = 'maybe,safe,maybe';
const textBytes = (text: string) => new TextEncoder().encode(text);

/** Makes the server refuse each request with a version. */
const refuseVersions = (google: FakeGoogle, status: number, headers = {}) => {
  google.instead = ({ query }) =>
    query.has('version') ? new Response('', { status, headers }) : undefined;
};

describe('a version that the server refuses', () => {
  test.each([400, 404, 409, 422])('by %d is dropped in the same update', async (status) => {
    const { google, clock, open } = served();
    const client = await open({ autoUpdate: true });
    google.push('se-4b', prefixesOf(second));
    refuseVersions(google, status);
    clock.ms += EVERY;
    expect(await client.update()).toMatchObject({ changed: true, by: 'snapshot' });
    expect(contentOf(client)).toBe(NEW);
    expect(told(google).slice(1)).toEqual([
      ['se-4b,mw-4b', 2],
      ['se-4b,mw-4b', 0],
    ]);
    google.instead = () => undefined;
    clock.ms += EVERY;
    await client.update();
    expect(told(google).at(-1)).toEqual(['se-4b,mw-4b', 2]);
  });

  test.each([401, 403, 429, 500])('is kept after %d, which is not about it', async (status) => {
    const { google, clock, open } = served();
    const client = await open();
    refuseVersions(google, status);
    for (let i = 0; i < 2; i++) {
      clock.ms += EVERY;
      expect(await codeOf(client.update())).toBe('ERR_TAMIS_UNAVAILABLE');
    }
    expect(told(google).slice(1)).toEqual(Array(2).fill(['se-4b,mw-4b', 2]));
  });

  test('is dropped by the next page too, where the server wants a pause', async () => {
    const { google, clock, open } = served();
    const client = await open({ autoUpdate: true });
    google.push('se-4b', prefixesOf(second));
    refuseVersions(google, 400, { 'Retry-After': '3600' });
    clock.ms += EVERY;
    expect(await codeOf(client.update())).toBe('ERR_TAMIS_UNAVAILABLE');
    client.close();
    clock.ms += 1.1 * HOUR;
    const next = await open({ autoUpdate: true });
    await until(() => next.status.source === 'network');
    await next.update();
    expect(contentOf(next)).toBe(NEW);
    expect(told(google).slice(1)).toEqual([
      ['se-4b,mw-4b', 2],
      ['se-4b,mw-4b', 0],
    ]);
  });

  test('and a request without one that is refused too end in one failure', async () => {
    const { google, clock, open } = served();
    const client = await open({ autoUpdate: true });
    google.instead = () => new Response('', { status: 400 });
    clock.ms += EVERY;
    for (const requests of [2, 1]) {
      const before = google.updates.length;
      expect(await codeOf(client.update())).toBe('ERR_TAMIS_UNAVAILABLE');
      expect(google.updates.length - before).toBe(requests);
    }
    expect(contentOf(client)).toBe('safe,maybe,maybe');
  });
});

describe('a clock that was wrong', () => {
  const jumps = [6 * DAY, 40 * DAY, 10 * HOUR, HOUR, -HOUR, -6 * DAY, -3000 * DAY];
  const orders = jumps.flatMap((jump) => [[jump], [jump, -jump], [-DAY / 2, jump]]);

  test.each(orders)(
    'by %d and then %d ms keeps no new entry away, in a new page',
    async (...offsets) => {
      const { google, clock, open } = served();
      const rightMs = clock.ms;
      for (const offset of offsets) {
        clock.ms = rightMs + offset;
        const client = await open({ autoUpdate: true, maxAgeMs: 60 * DAY });
        await client.update();
        client.close();
      }
      // Ahead of the last time by as much as the server wanted.
      clock.ms = rightMs + EVERY * 1.05;
      google.push('se-4b', prefixesOf(second));
      const client = await open({ autoUpdate: true, maxAgeMs: 60 * DAY });
      await until(() => client.status.nextUpdateMs !== undefined);
      await client.update();
      expect(contentOf(client)).toBe(NEW);
      expect(client.status.nextUpdateMs).toBe(clock.ms + EVERY * 1.05);
    },
  );

  test.each(orders)(
    'by %d and then %d ms keeps no new entry away, in an open page',
    async (...offsets) => {
      const { google, clock, open } = served();
      const rightMs = clock.ms;
      clock.ms += offsets[0] as number;
      const client = await open({ autoUpdate: true, maxAgeMs: 60 * DAY });
      for (const offset of offsets) {
        clock.ms = rightMs + offset;
        await client.update();
      }
      clock.ms = rightMs + EVERY * 1.05;
      google.push('se-4b', prefixesOf(second));
      const before = google.updates.length;
      const changed = new Promise((resolve) => client.onUpdate(resolve));
      pass(EVERY * 1.05);
      await changed;
      await client.update();
      expect(contentOf(client)).toBe(NEW);
      expect(google.updates.length - before).toBe(1);
      expect(client.status.nextUpdateMs).toBe(clock.ms + EVERY * 1.05);
    },
  );

  test('keeps no list in use for longer than maxAgeMs, also while the server fails', async () => {
    const { google, clock, open } = served();
    const rightMs = clock.ms;
    clock.ms += 6 * DAY;
    (await open()).close();
    clock.ms = rightMs;
    google.instead = () => new Response('', { status: 503 });
    for (let page = 0; page < 2; page++) {
      const client = await open();
      await codeOf(client.update());
      expect(client.check(EVIL)).toBe('safe');
      client.close();
    }
    clock.ms += 7 * DAY + 1;
    expect((await open()).check(EVIL)).toBe('unknown');
  });

  test('or is broken starts no update at once', async () => {
    const { google, clock, open } = served();
    clock.ms = Number.NaN;
    await open({ autoUpdate: true });
    expect(google.updates).toHaveLength(1);
    pass(MINUTE);
    expect(google.updates).toHaveLength(1);
  });
});

test('an update of many requests that fails waits a minute for each', async () => {
  const { google, clock, open } = served();
  const client = await open({ autoUpdate: true });
  clock.ms += EVERY;
  google.requests.length = 0;
  // Each version is refused, and each whole list is not the last one, until the server fails.
  let part = 0;
  google.change = (message) => {
    message.more = field(6, field(1, 0));
    message.version = Buffer.from(`part ${++part}`).toString('hex');
  };
  google.instead = ({ query }) => {
    if (part >= 28) return new Response('', { status: 500 });
    return query.has('version') ? new Response('', { status: 400 }) : undefined;
  };
  await codeOf(client.update());
  const waitMs = (client.status.nextUpdateMs as number) - clock.ms;
  expect(google.requests.length).toBeGreaterThan(25);
  expect(waitMs).toBeGreaterThanOrEqual(google.requests.length * MINUTE);
});

describe('a wait of next to nothing', () => {
  test.each([1, 1e6])('%d ns counts as a minute', async (nanos) => {
    const { google, clock, open } = served();
    google.change = (message) => {
      message.more = field(6, [...field(1, 0), ...field(2, nanos)]);
    };
    const client = await open({ autoUpdate: true });
    expect(client.status.nextUpdateMs).toBe(clock.ms + 1.05 * MINUTE);
    clock.ms += MINUTE - 1;
    await client.update();
    expect(google.updates).toHaveLength(1);
    google.change = () => {};
    google.push('se-4b', prefixesOf(second));
    clock.ms += 1;
    await client.update();
    expect(contentOf(client)).toBe(NEW);
    expect(client.status.nextUpdateMs).toBe(clock.ms + 1.05 * EVERY);
  });
});

describe('counts that cannot be right', () => {
  test('are refused before they are decoded', async () => {
    const { google, clock, open } = served();
    const client = await open({ maxEntries: 1024 });
    clock.ms += EVERY;
    const change = (more: number[]) => {
      google.change = (message) => {
        if (message.name === 'se-4b') message.more = [...field(7, Array(32).fill(1)), ...more];
      };
    };
    const coded = (count: number) => [...field(1, 1), ...field(2, 3), ...field(3, count)];
    for (const [more, reason] of [
      [field(4, coded(1024)), /gets 10\d\d; maxEntries is 1024/],
      [field(5, coded(40)), /loses 41 of (40|0) entries/],
    ] as const) {
      change(more);
      await expect(client.update()).rejects.toThrow(reason);
    }
    const other = await served().open();
    expect(other.status.error).toBeUndefined();
    google.change = () => {};
    await client.update();
    expect(client.status.error).toBeUndefined();
  });

  test.each([
    ['a version', 2],
    ['a checksum', 7],
    ['a name', 1],
  ])('of bytes too: %s', async (_, number) => {
    const { google, open } = served();
    google.change = (message) => {
      message.more = field(number, Array(16_385).fill(1));
    };
    const client = await open();
    expect(client.status.error?.message).toMatch(/a text has 16385 bytes/);
    expect(client.check(EVIL)).toBe('unknown');
  });

  test('have a limit without the option maxEntries too', async () => {
    const { google, open } = served();
    google.change = (message) => {
      message.more = field(4, [...field(2, 3), ...field(3, 2 ** 22)]);
    };
    const client = await open();
    expect(client.status.error?.message).toMatch(/maxEntries is 4194304/);
    expect(google.updates[0]?.query.has('sizeConstraints.maxDatabaseEntries')).toBe(false);
  });
});

describe('the referrer', () => {
  const policyOf = async (more: object) => {
    const { google, open } = served();
    const client = await open(more);
    await client.verify(OLD);
    const policies = google.requests.map(({ referrerPolicy }: Request) => referrerPolicy);
    expect(policies).toHaveLength(2);
    return [...new Set(policies)].join();
  };

  test('is the origin for Google alone', async () => {
    expect(await policyOf({})).toBe('strict-origin');
    expect(await policyOf({ endpoint: 'https://safebrowsing.googleapis.com' })).toBe(
      'strict-origin',
    );
    for (const endpoint of [
      'https://me.example/',
      'https://safebrowsing.googleapis.com.evil.example/',
    ]) {
      for (const apiKey of ['the-key', null]) {
        expect(await policyOf({ endpoint, apiKey })).toBe('no-referrer');
      }
    }
  });
});

test.each([undefined, 'https://safebrowsing.googleapis.com'])(
  'without an API key Google is not asked: %s',
  async (endpoint) => {
    const { google, open } = served();
    const opening = open({ apiKey: null, endpoint });
    await expect(opening).rejects.toThrow(/apiKey is null: pass endpoint/);
    await expect(opening).rejects.toMatchObject({ code: 'ERR_TAMIS_INVALID_OPTION' });
    expect(google.requests).toEqual([]);
  },
);

const why = 'API key not valid. Please pass a valid API key.';
const asJson = (message: unknown) => JSON.stringify({ error: { code: 400, message, status: 'X' } });

describe('the reason of a refusal', () => {
  test.each<[string, BodyInit, string]>([
    ['JSON', asJson(why), `: ${why}`],
    ['protobuf', Uint8Array.from([...field(1, 3), ...field(2, textBytes(why))]), `: ${why}`],
    ['half of protobuf', Uint8Array.from([...field(2, textBytes(why)), 10, 99]), `: ${why}`],
    ['several lines and colours', asJson('a\r\n\tb\u001b[31mc\u202ed\u0000'), ': a b [31mc d'],
    [
      'the API key',
      asJson('the-key is not the-\u200bkey, the-key'),
      ': [API key] is not the- key, [API key]',
    ],
    ['too much', asJson(`${'\u{1f600}'.repeat(300)}`), `: ${'\u{1f600}'.repeat(200)}`],
    ['the API key at the cut', asJson(`${'x'.repeat(196)}the-key`), `: ${'x'.repeat(196)}[API`],
    ['more bytes than a reason has', asJson('x'.repeat(16_384)), ''],
    ['a number', asJson(7), ''],
    ['no error', '{}', ''],
    ['an array', '[]', ''],
    ['HTML', '<p>forbidden</p>', ''],
    ['text', 'Bad Request, because of everything that is in it', ''],
    ['nothing', '', ''],
  ])('%s is told in status.error, and by verify', async (_, body, reason) => {
    const { google, clock, open } = served();
    const client = await open({ whenSearchFails: 'throw' });
    google.instead = () => new Response(body, { status: 403 });
    clock.ms += EVERY;
    const failure = { code: 'ERR_TAMIS_UNAVAILABLE' };
    const end = `: the server answered 403${reason}`;
    await expect(client.update()).rejects.toMatchObject(failure);
    expect(client.status.error?.message.endsWith(`hashLists:batchGet${end}`)).toBe(true);
    const error = await client.verify(OLD).catch((one) => one);
    expect(error).toMatchObject(failure);
    expect(error.message.endsWith(`hashes:search${end}`)).toBe(true);
  });

  test('of which the body breaks off does not hide the status', async () => {
    const { google, open } = served();
    google.instead = () => {
      const body = new ReadableStream({ start: (pipe) => pipe.error(new TypeError('broken')) });
      return new Response(body, { status: 403 });
    };
    const client = await open();
    expect(client.status.error?.message).toMatch(/the server answered 403$/);
  });

  test('is in the status without lists too, until an answer comes', async () => {
    const { google, open } = served();
    const client = await open({ mode: 'no-storage' });
    google.instead = () => new Response(asJson(why), { status: 400 });
    for (let i = 0; i < 5; i++) await client.verify(EVIL);
    expect(client.status.error?.message).toContain(why);
    expect(client.status.error?.code).toBe('ERR_TAMIS_UNAVAILABLE');
    const other = await open({ mode: 'no-storage' });
    google.instead = () => new Response('', { status: 500 });
    await other.verify(EVIL);
    expect(other.status.error).toBeDefined();
    google.instead = () => undefined;
    await other.verify(EVIL);
    expect(other.status.error).toBeUndefined();
  });
});

describe("whenSearchFails: 'safe'", () => {
  const verdicts = async (status: number, mode: string) => {
    const { google, open } = served();
    const client = await open({ mode, whenSearchFails: 'safe' });
    google.instead = () => new Response(asJson(why), { status });
    const all: string[] = [];
    for (let i = 0; i < 5; i++) all.push((await client.verify(OLD)).verdict);
    // The last two calls fall into the pause after three failures.
    expect(google.searches.length).toBeLessThan(5);
    expect(client.status.error?.message).toContain(`answered ${status}: ${why}`);
    return [...new Set(all)].join();
  };

  test.each([400, 401, 403, 404])("never makes a refusal 'safe': %d", async (status) => {
    for (const mode of ['local-lists', 'no-storage']) {
      expect(await verdicts(status, mode)).toBe('unknown');
    }
  });

  test.each([302, 408, 429, 500, 503])(
    "makes a failure that may pass 'safe': %d",
    async (status) => {
      for (const mode of ['local-lists', 'no-storage']) {
        expect(await verdicts(status, mode)).toBe('safe');
      }
    },
  );
});

test('a search that lists one hash again and again is one listing of all its threats', async () => {
  const { google, open } = served();
  const client = await open({ mode: 'no-storage' });
  const hash = Buffer.from(prefixesOf(['evil.example/'], 32)[0] as string, 'hex');
  const entry = (type: number) => field(1, [...field(1, hash), ...field(2, field(1, type))]);
  const body = [...Array(3000).fill(entry(1)).flat(), ...entry(2), ...field(2, field(1, 300))];
  google.instead = () => new Response(Uint8Array.from(body));
  expect(await client.verify(EVIL)).toMatchObject({
    verdict: 'unsafe',
    threats: ['malware', 'social-engineering'],
  });
});
