/** JSON of each class: its type and figures, where the content is, and no secret. */

import { inspect } from 'node:util';

import { describe, expect, test } from '@jest/globals';
import { goCuckoo } from 'tamis/interop';
import * as read from 'tamis/read';
import { RedisFilter } from 'tamis/redis';
import { UrlListBuilder } from 'tamis/url';

import { KEY } from '../js/cases.js';
import { structureCases } from '../js/classes.js';
import { expectCode } from '../js/support/errors.js';
import { FakeRedis } from '../js/support/fake-redis.js';
import { hosted, open } from '../js/support/signed-pages.js';
import { openFor, Publisher } from '../js/support/url-publisher.js';

const jsonOf = (value: unknown): Record<string, unknown> => JSON.parse(JSON.stringify(value));

describe.each(structureCases.map((one) => [one.label, one] as const))('%s', (_label, one) => {
  const bytes = one.make(5).toBytes();

  test('says its type, and that the content is elsewhere', () => {
    const json = jsonOf(one.make(5));
    expect(json).toMatchObject({ type: one.type, content: 'not in JSON: use toBytes()' });
    expect(json.sizeBytes).toBeGreaterThan(0);
    if (!(one.className in read)) return;
    const { [one.className as 'BloomFilter']: Class } = read;
    if ('schemes' in one.load) return;
    expect(jsonOf(Class.fromBytes(bytes, one.load))).toMatchObject({
      type: one.type,
      content: json.content,
    });
  });

  test('whoever loads what JSON gave back reads the cure', () => {
    const backs = [one.make(5), bytes, Buffer.from(bytes)].map(jsonOf);
    const load = (value: unknown) => () => one.Class.fromBytes(value as Uint8Array, one.load);
    for (const back of backs) {
      expect(expectCode(load(back), 'INVALID_OPTION').message).toContain('toBytes() as base64');
    }
    const text = Buffer.from(bytes).toString('base64');
    expect(expectCode(load(text), 'INVALID_OPTION').message).toContain('base64');
  });
});

describe('what has no toBytes', () => {
  const secretTexts = ['base64', 'hex', 'latin1'].map((form) =>
    Buffer.from(KEY).toString(form as BufferEncoding),
  );
  const expectNoSecret = (value: unknown) => {
    const text = JSON.stringify(value);
    for (const secret of [...secretTexts, KEY.join(), JSON.stringify(KEY)]) {
      expect(text).not.toContain(secret);
    }
  };

  test('a filter in Redis says its type, name and figures', async () => {
    const filter = await RedisFilter.open(new FakeRedis(), 'seen', { capacity: 9, secret: KEY });
    expect(jsonOf(filter)).toMatchObject({ type: 'redis-filter', name: 'seen', hash: 'keyed' });
    expect(inspect(filter)).toBe(`RedisFilter ${inspect(filter.toJSON())}`);
    expect(inspect([filter])).toContain("name: 'seen'");
    expectNoSecret(filter);
  });

  test('pages on a host say their type, name and status', async () => {
    const { host } = hosted({ secret: KEY });
    using filter = await open(host, { secret: KEY });
    expect(jsonOf(filter)).toMatchObject({ type: 'remote-pages', name: 'list', cachedPages: 0 });
    expectNoSecret(filter);
  });

  test('a checker says its type, name and status', async () => {
    const checker = await openFor(await Publisher.with(['evil.example']));
    expect(jsonOf(checker)).toMatchObject({ type: 'url-checker', name: 'phish', count: 1 });
  });

  test('a builder of lists, and a filter of another library, say where the content is', () => {
    const builder = new UrlListBuilder().addHosts(['evil.example']);
    const content = 'not in JSON: use build().toBytes()';
    expect(jsonOf(builder)).toMatchObject({ type: 'url-list-builder', count: 1, content });
    const foreign = goCuckoo.decode(new Uint8Array(64));
    expect(jsonOf(foreign)).toMatchObject({
      type: 'foreign',
      content: 'not in JSON: use toBytes()',
    });
  });
});
