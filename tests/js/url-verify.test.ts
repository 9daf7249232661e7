/** UrlChecker.verify: requests to a confirm server, cached answers, and servers that hang, fail or lie. */
import { describe, expect, test } from '@jest/globals';
import { createConfirmHandler, UrlListBuilder } from 'tamis/url';

import {
  Clock,
  CONFIRM,
  openFor,
  Publisher,
  someHosts,
  TestStorage,
} from './support/url-publisher.js';
import { hang, holdTimers } from './support/waiting.js';

holdTimers();

const filler = someHosts(300);
const EVIL = 'https://evil.example/login';
const GOOD = 'https://good.example/';

const unavailable = { code: 'ERR_TAMIS_UNAVAILABLE' };

describe('verify', () => {
  const times = { cacheSeconds: 100, negativeSeconds: 1000 };

  async function confirming(options = {}) {
    const listed = ['evil.example', ...filler];
    const publisher = await Publisher.with(listed);
    const bodies: Uint8Array[] = [];
    const builder = new UrlListBuilder();
    const handle = createConfirmHandler(builder.addHosts(listed).fullHashes, times);
    const requests: Request[] = [];
    publisher.instead.set(CONFIRM, async (request) => {
      requests.push(request);
      bodies.push(new Uint8Array(await request.clone().arrayBuffer()));
      return handle(request);
    });
    const clock = new Clock();
    const checker = await openFor(publisher, { now: clock.now, ...options });
    return { publisher, bodies, requests, clock, checker };
  }

  test('asks for the prefixes that hit, and for nothing else', async () => {
    const { checker, bodies, requests } = await confirming();
    expect(await checker.verify(GOOD)).toEqual({ verdict: 'safe', from: 'list' });
    expect(await checker.verify('')).toEqual({ verdict: 'invalid', from: 'list' });
    expect(bodies).toEqual([]);
    expect(await checker.verify(EVIL)).toEqual({ verdict: 'unsafe', from: 'server' });
    const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode('evil.example/'));
    expect(bodies).toEqual([new Uint8Array(hash).slice(0, 4)]);
    const [request] = requests as [Request];
    expect(request.method).toBe('POST');
    expect(request.credentials).toBe('omit');
    expect(request.referrerPolicy).toBe('no-referrer');
    // A redirect is no answer, and is not followed.
    expect(request.redirect).toBe('manual');
    expect(request.headers.get('Content-Type')).toBeNull();
  });

  test('makes nothing safe that no browser surely opens', async () => {
    const { checker, publisher } = await confirming();
    const others = new UrlListBuilder().addHosts(filler).fullHashes;
    publisher.instead.set(CONFIRM, createConfirmHandler(others, times));
    expect(await checker.verify(EVIL)).toEqual({ verdict: 'safe', from: 'server' });
    // Since Unicode 16, hosts drop U+180E. Earlier versions refuse it.
    const isOpened = URL.canParse('http://ev\u180eil.example');
    for (const [url, expected] of [
      ['http://xn--a.evil.example\\@good.example/', 'invalid'],
      ['ev\u180eil.example', isOpened ? 'safe' : 'invalid'],
      [`${EVIL}/${'x'.repeat(2 ** 21)}`, 'invalid'],
    ] as const) {
      expect(checker.check(url)).toBe('maybe');
      expect(checker.hits(url).map(({ expression }) => expression)).toEqual(['evil.example/']);
      expect((await checker.verify(url)).verdict).toBe(expected);
    }
    for (const url of ['javascript://evil.example/', 'hello world', 'http://1.2.3.256/']) {
      expect(await checker.verify(url)).toEqual({ verdict: 'invalid', from: 'list' });
    }
  });

  test('asks once what is asked twice at the same time', async () => {
    const { checker, bodies, publisher } = await confirming();
    const both = await Promise.all(
      [EVIL, 'http://evil.example/other'].map((url) => checker.verify(url)),
    );
    expect(both).toEqual(Array(2).fill({ verdict: 'unsafe', from: 'server' }));
    expect(bodies.length).toBe(1);
    // A caller that shared a failed request can ask again.
    publisher.instead.set(CONFIRM, () => new Response(null, { status: 500 }));
    const other = 'https://h1.listed.example/';
    const failed = await Promise.all([checker.verify(other), checker.verify(other)]);
    expect(failed.map(({ verdict }) => verdict)).toEqual(['unknown', 'unknown']);
    publisher.instead.set(CONFIRM, createConfirmHandler([], times));
    expect(await checker.verify(other)).toEqual({ verdict: 'safe', from: 'server' });
  });

  test('remembers what is listed, for as long as the server said', async () => {
    const { checker, bodies, clock } = await confirming();
    await checker.verify(EVIL);
    clock.ms += 100_000 - 1;
    expect(await checker.verify(EVIL)).toEqual({ verdict: 'unsafe', from: 'cache' });
    clock.ms++;
    expect(await checker.verify(EVIL)).toEqual({ verdict: 'unsafe', from: 'server' });
    expect(bodies.length).toBe(2);
  });

  test('remembers what is not, until the list changes', async () => {
    const { checker, clock, publisher } = await confirming();
    const handle = createConfirmHandler([], times);
    publisher.instead.set(CONFIRM, handle);
    expect(await checker.verify(EVIL)).toEqual({ verdict: 'safe', from: 'server' });
    clock.ms += 1_000_000 - 1;
    expect(await checker.verify(EVIL)).toEqual({ verdict: 'safe', from: 'cache' });
    clock.ms++;
    expect(await checker.verify(EVIL)).toEqual({ verdict: 'safe', from: 'server' });
    await publisher.publish(['evil.example', 'new.example', ...filler]);
    await checker.update();
    expect(await checker.verify(EVIL)).toEqual({ verdict: 'safe', from: 'server' });
  });

  test('of two pages that begin alike only the listed one is unsafe', async () => {
    const { checker, publisher } = await confirming();
    const twin = new UrlListBuilder().addHosts(['evil.example']).fullHashes;
    twin[31] = (twin[31] as number) ^ 1;
    publisher.instead.set(CONFIRM, createConfirmHandler(twin, times));
    expect(await checker.verify(EVIL)).toEqual({ verdict: 'safe', from: 'server' });
    expect(await checker.verify(EVIL)).toEqual({ verdict: 'safe', from: 'cache' });
  });

  test('of many prefixes only those that are not known are asked, and one is enough', async () => {
    const { publisher, clock } = await confirming();
    const pages = ['/', '/a/', '/a/b/', '/a/b/c'].map((path) => `multi.example${path}`);
    const builder = new UrlListBuilder().addExpressions(pages);
    const list = builder.build();
    const hash = (page: string) => new UrlListBuilder().addExpressions([page]).fullHashes;
    await publisher.publish(filler, {
      n: 4,
      sha256: Buffer.from(list.identity).toString('hex'),
      snapshot: publisher.put('snap', list.toBytes()),
      deltas: [],
    });
    const checker = await openFor(publisher, { now: clock.now });
    const asked: number[] = [];
    // A server that does not know the first three pages, then the last one.
    const knowing = (page: string | undefined) => async (request: Request) => {
      asked.push((await request.clone().arrayBuffer()).byteLength / 4);
      return createConfirmHandler(page === undefined ? [] : hash(page), times)(request);
    };
    publisher.instead.set(CONFIRM, knowing(undefined));
    expect(await checker.verify('http://multi.example/a/b/x')).toMatchObject({ verdict: 'safe' });
    publisher.instead.set(CONFIRM, knowing(pages[3]));
    expect(await checker.verify('http://multi.example/a/b/c')).toEqual({
      verdict: 'unsafe',
      from: 'server',
    });
    expect(asked).toEqual([3, 1]);
    expect(await checker.verify('http://multi.example/a/b/c')).toMatchObject({ from: 'cache' });
    expect(await checker.verify('http://multi.example/a/')).toEqual({
      verdict: 'safe',
      from: 'cache',
    });
  });

  test('more prefixes than a server takes are asked for in several requests', async () => {
    const { publisher, clock } = await confirming();
    // Each parent of a host of 80 labels is listed.
    const labels = Array.from({ length: 80 }, () => 'a').concat('deep', 'example');
    const hosts = labels.slice(0, -1).map((_, i) => labels.slice(i).join('.'));
    await publisher.publish([...hosts, ...filler]);
    const checker = await openFor(publisher, { now: clock.now });
    const asked: number[] = [];
    const knowing = (listed: readonly string[]) => async (request: Request) => {
      asked.push((await request.clone().arrayBuffer()).byteLength / 4);
      const { fullHashes } = new UrlListBuilder().addHosts(listed);
      return createConfirmHandler(fullHashes, { cacheSeconds: 0, negativeSeconds: 0 })(request);
    };
    const verdicts = [[], hosts.slice(0, 1), hosts.slice(-1)];
    for (const listed of verdicts) {
      publisher.instead.set(CONFIRM, knowing(listed));
      const { verdict } = await checker.verify(`http://x.${hosts[0]}/`);
      expect(verdict).toBe(listed.length === 0 ? 'safe' : 'unsafe');
    }
    expect(asked).toEqual([30, 30, 21, 30, 30, 21, 30]);
  });

  test('an answer about the list before is not remembered for the next', async () => {
    const { checker, publisher } = await confirming();
    let answer = (_: Response) => {};
    publisher.instead.set(CONFIRM, () => new Promise((resolve) => (answer = resolve)));
    const early = checker.verify(EVIL);
    await publisher.publish(['evil.example', 'new.example', ...filler]);
    await checker.update();
    const body = new UrlListBuilder().addHosts(['evil.example']).fullHashes;
    const nothing = createConfirmHandler([], times);
    answer(await nothing(new Request(CONFIRM, { method: 'POST', body: body.slice(0, 4) })));
    expect(await early).toEqual({ verdict: 'safe', from: 'server' });
    publisher.instead.set(CONFIRM, createConfirmHandler(body, times));
    expect(await checker.verify(EVIL)).toEqual({ verdict: 'unsafe', from: 'server' });
  });

  test('nothing is remembered for more than a day, whatever a server says', async () => {
    const { checker, clock, publisher } = await confirming();
    const nothing = new Uint8Array(1024).fill(0xff, 0, 8);
    publisher.instead.set(CONFIRM, () => new Response(nothing));
    await checker.verify(EVIL);
    clock.ms += 86_400_000 - 1;
    expect(await checker.verify(EVIL)).toEqual({ verdict: 'safe', from: 'cache' });
    clock.ms++;
    expect(await checker.verify(EVIL)).toEqual({ verdict: 'safe', from: 'server' });
  });

  test('a clock that is put back ends what was remembered', async () => {
    const { checker, clock, publisher } = await confirming();
    publisher.instead.set(CONFIRM, createConfirmHandler([], times));
    clock.ms += 1000;
    expect(await checker.verify(EVIL)).toEqual({ verdict: 'safe', from: 'server' });
    clock.ms--;
    expect(await checker.verify(EVIL)).toEqual({ verdict: 'safe', from: 'server' });
    clock.ms++;
    expect(await checker.verify(EVIL)).toEqual({ verdict: 'safe', from: 'cache' });
  });

  test('hides its question among decoys from the list', async () => {
    let turn = 0;
    const random = () => (turn++ % 100) / 100;
    const { checker, bodies } = await confirming({ decoys: 20, random });
    expect(await checker.verify(EVIL)).toEqual({ verdict: 'unsafe', from: 'server' });
    const asked = Array.from({ length: (bodies[0] as Uint8Array).length / 4 }, (_, i) =>
      Buffer.from(bodies[0] as Uint8Array).readUInt32BE(4 * i),
    );
    expect(asked.length).toBeGreaterThan(15);
    expect(asked).toEqual([...new Set(asked)].sort((a, b) => a - b));
  });

  const answers: [string, () => Response | Promise<Response>][] = [
    ['hangs', hang],
    ['cannot be reached', () => Promise.reject(new TypeError('fetch failed'))],
    ['fails', () => new Response(null, { status: 500 })],
    ['answers without content', () => new Response(null, { status: 204 })],
    ['answers nothing', () => new Response('')],
    ['sends elsewhere', () => Response.redirect('https://elsewhere.example/')],
    ['answers a page', () => new Response('<html>'.padEnd(1024))],
    ['says too little', () => new Response(new Uint8Array(1023))],
    ['says too much', () => new Response(new Uint8Array(1 << 20))],
    ['has padding that is not zero', () => new Response(new Uint8Array(1024).fill(1, 1000))],
    [
      'promises hashes that are not there',
      () => new Response(new Uint8Array(1024).fill(200, 8, 9)),
    ],
    ['names a hash that nobody asked for', () => new Response(new Uint8Array(1024).fill(1, 8, 9))],
    [
      'breaks off',
      () => new Response(new ReadableStream({ start: (to) => to.error(new Error('gone')) })),
    ],
    [
      'never ends',
      () =>
        new Response(
          new ReadableStream({ start: (to) => to.enqueue(new Uint8Array(9)), pull: hang }),
        ),
    ],
  ];
  test.each(answers)('a server that %s makes nothing safe', async (_, answer) => {
    const { checker, publisher } = await confirming();
    publisher.instead.set(CONFIRM, answer);
    expect(await checker.verify(EVIL)).toEqual({ verdict: 'unknown', from: 'server' });
    // It is not cached.
    expect(await checker.verify(EVIL)).toEqual({ verdict: 'unknown', from: 'server' });
    const storage = new TestStorage();
    const thrower = await openFor(publisher, { storage, whenUnconfirmed: 'throw' });
    await expect(thrower.verify(EVIL)).rejects.toMatchObject(unavailable);
  });

  test('without a confirm server a hit stays open', async () => {
    const { checker } = await confirming({ confirm: null });
    expect(await checker.verify(EVIL)).toEqual({ verdict: 'unknown', from: 'server' });
    expect(await checker.verify(GOOD)).toEqual({ verdict: 'safe', from: 'list' });
  });
});
