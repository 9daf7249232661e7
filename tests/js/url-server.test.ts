/** UrlChecker against servers that answer slowly, without end, or not at all: over a real network, and step by step. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';

import { leftBehind } from './support/handles.js';
import {
  closeAll,
  filler,
  first,
  openFor,
  Publisher,
  second,
  versionOf,
} from './support/url-publisher.js';
import { holdTimers, pass, turn, until } from './support/waiting.js';

holdTimers();

test.each([503, 200])('an answer of %d without end is not read to its end', async (status) => {
  let isClosed = false;
  const server = createServer((_, outgoing) => {
    outgoing.writeHead(status);
    const more = () => outgoing.write('x'.repeat(65_536));
    outgoing.on('drain', more);
    outgoing.on('close', () => {
      isClosed = true;
    });
    more();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const manifestUrl = `http://127.0.0.1:${port}/manifest.json`;
  const checker = await openFor(await Publisher.with(first), { fetch }, manifestUrl);
  const code = status === 200 ? 'TOO_LARGE' : 'UNAVAILABLE';
  expect(checker.status.error).toMatchObject({ code: `ERR_TAMIS_${code}` });
  await until(() => isClosed);
  server.close().closeAllConnections();
});

test('deltas that each come late together take no longer than the snapshot may', async () => {
  const publisher = await Publisher.with(first);
  const checker = await openFor(publisher, { downloadTimeoutMs: 1000 });
  for (const host of ['a.example', 'b.example', 'c.example']) {
    await publisher.publish([...filler, host]);
  }
  await publisher.publish(second);
  publisher.instead.set('delta', async ({ url }) => {
    pass(600);
    return new Response(publisher.files.get(url.split('/').at(-1) as string) as never);
  });
  publisher.drain();
  expect(await checker.update()).toMatchObject({ by: 'snapshot', to: 'v5' });
  expect(publisher.drain()).toEqual(['manifest.json', 'delta', 'delta', 'snap']);
  expect(versionOf(checker)).toBe('second');
});

test('a fetch that heeds no signal leaves nothing behind', async () => {
  const late: (() => void)[] = [];
  const act = async () => {
    const publisher = await Publisher.with(first);
    const heedless = (url: string, { signal: _, ...init }: RequestInit) =>
      publisher.fetch(url, init);
    const checker = await openFor(publisher, { fetch: heedless, downloadTimeoutMs: 1000 });
    await publisher.publish([...filler, 'between.example']);
    await publisher.publish(second);
    let deltas = 0;
    publisher.instead.set('delta', async ({ url }) => {
      // The second comes when no client waits for it.
      if (++deltas === 2) {
        pass(1000);
        await new Promise<void>((resolve) => late.push(resolve));
      }
      return new Response(publisher.files.get(url.split('/').at(-1) as string) as never);
    });
    expect(await checker.update()).toMatchObject({ by: 'snapshot' });
    expect(late.length).toBe(1);
    late.shift()?.();
    for (let i = 0; i < 50; i++) await turn();
    closeAll();
    for (const { list } of publisher.versions) list.dispose();
  };
  expect(await leftBehind(act)).toBe(0);
});
