/** createConfirmHandler: the bytes of questions and answers, and refused requests. */

import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { createConfirmHandler } from 'tamis/url';

import { expectOption } from './support/errors.js';
import { CONFIRM, hex } from './support/url-publisher.js';

const hashOf = (text: string): Uint8Array =>
  new Uint8Array(createHash('sha256').update(text).digest());

const evil = hashOf('evil.example/');
const bad = hashOf('bad.example/');
/** Another hash with the first 4 bytes of `evil`. */
const twin = Uint8Array.from(evil, (byte, i) => (i === 31 ? byte ^ 1 : byte));
const times = { cacheSeconds: 300, negativeSeconds: 1800 };
const handle = createConfirmHandler([bad, evil, twin, evil], times);

const ask = (body: Uint8Array | string | undefined, method = 'POST') =>
  handle(new Request(CONFIRM, { method, ...(body === undefined ? {} : { body: body as never }) }));

const question = (...hashes: Uint8Array[]): Uint8Array =>
  Uint8Array.from(Buffer.concat(hashes.map((hash) => hash.subarray(0, 4)).sort(Buffer.compare)));

/** Decodes an answer by hand, as documented. */
async function answerOf(response: Response) {
  expect(response.status).toBe(200);
  const bytes = Buffer.from(await response.arrayBuffer());
  const count = bytes.readUInt32LE(8);
  const hashes = Array.from({ length: count }, (_, i) =>
    bytes.subarray(12 + 32 * i, 44 + 32 * i).toString('hex'),
  );
  expect(bytes.subarray(12 + 32 * count).every((byte) => byte === 0)).toBe(true);
  const [cacheSeconds, negativeSeconds] = [bytes.readUInt32LE(0), bytes.readUInt32LE(4)];
  return { size: bytes.length, hashes, cacheSeconds, negativeSeconds };
}

test('hashes that begin with the prefixes, once each, in order', async () => {
  const both = [hex(evil), hex(twin)].sort();
  expect(await answerOf(await ask(question(evil)))).toEqual({ size: 1024, hashes: both, ...times });
  const all = [...both, hex(bad)].sort();
  expect((await answerOf(await ask(question(bad, evil)))).hashes).toEqual(all);
});

test('an iterator of hashes may use its buffer again', async () => {
  function* reused(): Generator<Uint8Array> {
    const buffer = Buffer.alloc(32);
    for (const hash of [bad, evil]) {
      buffer.set(hash);
      yield buffer;
    }
  }
  const response = await createConfirmHandler(
    reused(),
    times,
  )(new Request(CONFIRM, { method: 'POST', body: question(bad, evil) as never }));
  expect((await answerOf(response)).hashes).toEqual([hex(evil), hex(bad)].sort());
});

test('an answer without a hash is as long as one with some', async () => {
  const none = await answerOf(await ask(question(hashOf('good.example/'))));
  expect(none).toEqual({ size: 1024, hashes: [], ...times });
});

test('more hashes than a bucket holds take another bucket', async () => {
  const many = Array.from({ length: 32 }, (_, i) => {
    const hash = evil.slice();
    hash[31] = i;
    return hash;
  });
  const response = await createConfirmHandler(
    many,
    times,
  )(new Request(CONFIRM, { method: 'POST', body: question(evil) as never }));
  const answer = await answerOf(response);
  expect(answer.size).toBe(2048);
  expect(answer.hashes).toEqual(many.map(hex).sort());
});

test('30 prefixes, and not 31', async () => {
  const hashes = Array.from({ length: 31 }, (_, i) => hashOf(`host-${i}`));
  expect((await ask(question(...hashes.slice(1)))).status).toBe(200);
  expect((await ask(question(...hashes))).status).toBe(413);
  expect((await ask(new Uint8Array(1 << 20))).status).toBe(413);
});

test('a body that is no question', async () => {
  const twice = Uint8Array.from([...question(evil), ...question(evil)]);
  const backwards = Uint8Array.from([9, 0, 0, 0, 1, 0, 0, 0]);
  for (const body of [undefined, '', 'abc', evil.subarray(0, 5), twice, backwards]) {
    expect((await ask(body)).status).toBe(400);
  }
  const broken = new Request(CONFIRM, {
    method: 'POST',
    duplex: 'half',
    body: new ReadableStream({ start: (controller) => controller.error(new Error('gone')) }),
  } as RequestInit);
  expect((await handle(broken)).status).toBe(400);
});

describe('bodies of every kind', () => {
  const post = (body: ReadableStream) =>
    new Request(CONFIRM, { method: 'POST', duplex: 'half', body } as RequestInit);
  const soon = createConfirmHandler([evil], { ...times, timeoutMs: 100 });
  const turn = () => new Promise((resolve) => setTimeout(resolve));

  test('a Request without a body of its own, as in Firefox', async () => {
    const requestOf = (bytes: Uint8Array) => {
      const request = new Request(CONFIRM, { method: 'POST', body: bytes as never });
      Object.defineProperty(request, 'body', { value: undefined });
      return request;
    };
    expect((await answerOf(await handle(requestOf(question(bad))))).hashes).toEqual([hex(bad)]);
    expect((await handle(requestOf(new Uint8Array(124)))).status).toBe(413);
    expect((await handle(requestOf(new Uint8Array(0)))).status).toBe(400);
    const hanging = { method: 'POST', body: undefined, arrayBuffer: () => new Promise(() => {}) };
    expect((await soon(hanging as never)).status).toBe(408);
  });

  test('a question in many pieces, some of them empty', async () => {
    const pieces = [...question(evil)].flatMap((byte) => [new Uint8Array(0), Uint8Array.of(byte)]);
    const body = new ReadableStream({
      pull: (to) => (pieces.length > 0 ? to.enqueue(pieces.shift()) : to.close()),
    });
    const response = await handle(post(body));
    expect((await answerOf(response)).hashes).toEqual([hex(evil), hex(twin)].sort());
  });

  const endless: [string, number, (to: ReadableStreamDefaultController) => void | Promise<void>][] =
    [
      ['hangs', 408, () => new Promise(() => {})],
      ['trickles', 413, (to) => turn().then(() => to.enqueue(Uint8Array.of(1)))],
      ['trickles nothing', 408, (to) => turn().then(() => to.enqueue(new Uint8Array(0)))],
      ['gives nothing as fast as it can', 408, (to) => to.enqueue(new Uint8Array(0))],
      ['is endless', 413, (to) => to.enqueue(new Uint8Array(65_536))],
      ['is text', 400, (to) => to.enqueue('text')],
    ];
  test.each(endless)('one that %s is let go of', async (_, status, pull) => {
    let cancelled: (reason: unknown) => void = () => {};
    const end = new Promise((resolve) => {
      cancelled = resolve;
    });
    const body = new ReadableStream({ pull, cancel: (reason) => cancelled(reason) });
    const patient = createConfirmHandler([evil], { ...times, timeoutMs: 3_600_000 });
    expect((await (status === 408 ? soon : patient)(post(body))).status).toBe(status);
    expect(await end).toMatchObject({ code: expect.stringMatching(/^ERR_TAMIS_/) });
  });

  test('one that hangs and cannot be let go of', async () => {
    const body = { getReader: () => ({ read: () => new Promise(() => {}), cancel: turn }) };
    expect((await soon({ method: 'POST', body } as never)).status).toBe(408);
  });
});

test('any page may ask, and no cookie is set', async () => {
  const preflight = await ask(undefined, 'OPTIONS');
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('Access-Control-Allow-Methods')).toBe('POST');
  const get = await ask(undefined, 'GET');
  expect(get.status).toBe(405);
  expect(get.headers.get('Allow')).toContain('POST');
  for (const response of [preflight, get, await ask(question(evil)), await ask('abc')]) {
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(response.headers.get('Access-Control-Allow-Credentials')).toBeNull();
    expect(response.headers.get('Cache-Control')).toBe('no-store');
    expect(response.headers.get('Set-Cookie')).toBeNull();
  }
});

test('an origin of its own', async () => {
  const own = createConfirmHandler([], { ...times, allowOrigin: 'https://mail.example' });
  const response = await own(new Request(CONFIRM, { method: 'OPTIONS' }));
  expect(response.headers.get('Access-Control-Allow-Origin')).toBe('https://mail.example');
});

test('the hashes may come in one array, and are copied', async () => {
  for (const joined of [Uint8Array.from([...bad, ...evil]), Buffer.from([...bad, ...evil])]) {
    const own = createConfirmHandler(joined, times);
    joined.fill(0);
    const body = question(evil) as never;
    const answer = await answerOf(await own(new Request(CONFIRM, { method: 'POST', body })));
    expect(answer.hashes).toEqual([hex(evil)]);
  }
});

describe('arguments that are wrong', () => {
  test.each([[null], [7], [[evil.subarray(1)]], [['x']], [new Uint8Array(33)]])('%#', (hashes) => {
    expect(() => createConfirmHandler(hashes as never, times)).toThrow(
      expect.objectContaining({ code: 'ERR_TAMIS_INVALID_OPTION' }),
    );
  });

  test.each([[undefined], [null], ['POST'], [{}]])('a request: %p', async (request) => {
    await expect(handle(request as never)).rejects.toMatchObject({
      code: 'ERR_TAMIS_INVALID_OPTION',
      message: expect.stringMatching(/^createConfirmHandler: request must be a Request, got /),
    });
  });

  test('times', () => {
    const make = (options: unknown) => () => createConfirmHandler([], options as never);
    expectOption(make(undefined), TypeError);
    expectOption(make({ cacheSeconds: 1 }), TypeError);
    expectOption(make({ ...times, cacheSeconds: -1 }), RangeError);
    expectOption(make({ ...times, negativeSeconds: 86_401 }), RangeError);
    expectOption(make({ ...times, negativeSeconds: '1' }), TypeError);
    expectOption(make({ ...times, more: 1 }), TypeError);
    expectOption(make({ ...times, allowOrigin: 'a\nb' }), RangeError);
    expectOption(make({ ...times, timeoutMs: 0 }), RangeError);
    expectOption(make({ ...times, timeoutMs: '1' }), TypeError);
  });
});
