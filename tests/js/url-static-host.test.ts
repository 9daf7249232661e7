/**
 * UrlChecker without a confirm server: a list of long prefixes decides, and a list of 4-byte prefixes reports that it
 * cannot.
 */
import { describe, expect, test } from '@jest/globals';
import { publishList, UrlListBuilder } from 'tamis/url';

import { seams } from './support/seams.js';
import { CONFIRM, openFor, Publisher, START, someHosts } from './support/url-publisher.js';

type Width = 4 | 8 | 16 | 32;
const widths: readonly Width[] = [4, 8, 16, 32];
const EVIL = 'https://login.evil.example/x?y';

/** A static host. Its next version may have another prefix length. */
async function staticHost() {
  const publisher = await Publisher.with();
  const { keys, files } = publisher;
  const storage = {
    get: async (name: string) => files.get(name),
    set: async (name: string, bytes?: Uint8Array) => {
      if (bytes) files.set(name, bytes);
      else files.delete(name);
    },
  };
  return {
    asked: publisher.asked,
    async publish(prefixBytes: Width) {
      const builder = new UrlListBuilder({ prefixBytes });
      const list = builder.addHosts(['evil.example', ...someHosts(100)]).build();
      await publishList(list, {
        name: 'phish',
        storage,
        signingKeys: keys,
        ...seams({ now: () => START }),
      });
      list.dispose();
    },
    open: (options = {}) => openFor(publisher, { confirm: null, ...options }),
  };
}

describe.each(widths)('with prefixes of %i bytes', (prefixBytes) => {
  const isVerdict = prefixBytes >= 8;

  test.each(['unknown', 'throw'] as const)('and whenUnconfirmed: %s', async (whenUnconfirmed) => {
    const host = await staticHost();
    await host.publish(prefixBytes);
    const checker = await host.open({ whenUnconfirmed });
    const requests = host.asked.length;
    expect(await checker.verify('https://good.example/')).toEqual({
      verdict: 'safe',
      from: 'list',
    });
    expect(checker.check(EVIL)).toBe('maybe');
    const verification = checker.verify(EVIL);
    if (isVerdict) expect(await verification).toEqual({ verdict: 'unsafe', from: 'list' });
    else if (whenUnconfirmed === 'unknown') expect((await verification).verdict).toBe('unknown');
    else await expect(verification).rejects.toMatchObject({ code: 'ERR_TAMIS_UNAVAILABLE' });
    expect(host.asked.length).toBe(requests);
    const { error } = checker.status;
    if (isVerdict) return expect(error).toBeUndefined();
    expect(error?.code).toBe('ERR_TAMIS_INCOMPATIBLE');
    expect(error?.message).toContain('4-byte prefixes need a confirm server');
  });

  test('an allowed host is safe, and a URL that no browser surely opens is unsafe', async () => {
    const host = await staticHost();
    await host.publish(prefixBytes);
    const checker = await host.open({ allow: new Set(['mine.evil.example']) });
    const safe = { verdict: 'safe', from: 'list' };
    expect(await checker.verify('https://mine.evil.example/')).toEqual(safe);
    const unsure = await checker.verify('http://xn--a.evil.example\\@good.example/');
    expect(unsure.verdict).toBe(isVerdict ? 'unsafe' : 'unknown');
  });
});

test('the width of the list in hand counts, which may change', async () => {
  const host = await staticHost();
  await host.publish(4);
  const checker = await host.open();
  expect(checker.status.error?.code).toBe('ERR_TAMIS_INCOMPATIBLE');
  await host.publish(8);
  await checker.update();
  expect(checker.status.error).toBeUndefined();
  expect((await checker.verify(EVIL)).verdict).toBe('unsafe');
});

test('with a confirm server 4 bytes are no error', async () => {
  const host = await staticHost();
  await host.publish(4);
  const checker = await host.open({ confirm: CONFIRM });
  expect(checker.status.error).toBeUndefined();
});
