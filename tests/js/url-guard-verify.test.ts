/** UrlGuard.verify with servers that are slow, hang, fail or answer early; requests that are shared or aborted. */
import { describe, expect, test } from '@jest/globals';

import { common, type ListHost, network, openGuard } from './support/url-guard.js';
import { gate, turn, until } from './support/waiting.js';

const EVIL = 'https://evil.example/';
const BAD = 'https://bad.example/';

/** Lists with both hosts, by actions, each with a confirm server. */
async function guarded(actions: readonly ('block' | 'warn' | 'note')[], options = {}) {
  const { hosts, fetch } = network(actions.length);
  for (const host of hosts) await host.publish(['evil.example/', 'bad.example/']);
  const lists = Object.fromEntries(
    hosts.map((host, i) => [
      host.name,
      host.as(actions[i] ?? 'note', { confirm: host.confirmUrl }),
    ]),
  );
  const guard = await openGuard({ ...common(fetch, options), lists });
  return { hosts, guard, fetch, lists };
}

/** A server that only ends by an abort. */
function hang(host: ListHost) {
  const aborted: unknown[] = [];
  host.instead.confirm = ({ signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        aborted.push(signal.reason);
        reject(signal.reason);
      });
    });
  return aborted;
}

test('all servers are asked at once, and all that have it are named', async () => {
  const { hosts, guard } = await guarded(['note', 'warn', 'note']);
  expect(await guard.verify(EVIL)).toEqual({
    verdict: 'unsafe',
    action: 'warn',
    name: 'l1',
    also: ['l0', 'l2'],
    expression: 'evil.example/',
    from: 'server',
    missing: [],
  });
  expect(hosts.map(({ questions }) => questions.length)).toEqual([1, 1, 1]);
  expect(await guard.verify(EVIL)).toMatchObject({ from: 'cache' });
  expect(hosts.map(({ questions }) => questions.length)).toEqual([1, 1, 1]);
});

test('the strictest is named first; of equal ones, that which no override opens', async () => {
  const { hosts, fetch } = await guarded(['note', 'note', 'note']);
  const as = (i: number, action: 'block' | 'warn', canOverride: boolean) => {
    const host = hosts[i] as ListHost;
    return host.as(action, { canOverride, confirm: host.confirmUrl });
  };
  const locked = as(1, 'warn', false);
  const equal = await openGuard({
    ...common(fetch),
    lists: { l0: as(0, 'warn', true), l1: locked },
  });
  expect(await equal.verify(EVIL)).toMatchObject({ name: 'l1', also: ['l0'] });
  const apart = await openGuard({
    ...common(fetch),
    lists: { l1: locked, l2: as(2, 'block', true) },
  });
  expect(await apart.verify(EVIL)).toMatchObject({ name: 'l2', action: 'block' });
});

test("the first 'block' that is sure ends it, and the others are aborted", async () => {
  const { hosts, guard } = await guarded(['block', 'warn', 'block', 'note']);
  const aborted = [0, 1, 3].map((i) => hang(hosts[i] as ListHost));
  expect(await guard.verify(EVIL)).toMatchObject({
    verdict: 'unsafe',
    action: 'block',
    name: 'l2',
    missing: [],
  });
  await until(() => aborted.every(({ length }) => length === 1));
});

test('a list that wants less does not end it, and one ten times slower may', async () => {
  const { hosts, guard } = await guarded(['warn', 'block']);
  const slow = hosts[1] as ListHost;
  const answer = slow.answer.bind(slow);
  let isAsked = false;
  slow.answer = async (request) => {
    isAsked = true;
    await new Promise((resolve) => setTimeout(resolve, 100));
    return answer(request);
  };
  expect(await guard.verify(EVIL)).toMatchObject({ action: 'block', name: 'l1', also: ['l0'] });
  expect(isAsked).toBe(true);
});

test('a list without a server that wants a block asks nobody else', async () => {
  const { hosts, fetch, lists } = await guarded(['block', 'block', 'note']);
  const [host] = hosts as [ListHost];
  await host.publish(['evil.example/'], { prefixBytes: 8 });
  const local = { ...lists, l0: host.as('block') };
  const guard = await openGuard({ ...common(fetch), lists: local });
  expect(await guard.verify(EVIL)).toMatchObject({ name: 'l0', from: 'list', missing: [] });
  expect(hosts.map(({ questions }) => questions.length)).toEqual([0, 0, 0]);
});

test('no server is asked about what an override or allow decides', async () => {
  const allow = new Set(['bad.example', 'good.example']);
  const { hosts, guard } = await guarded(['block', 'warn'], { allow });
  await guard.overrides.add({ url: EVIL, scope: 'host', verdict: 'allow' });
  expect(await guard.verify(EVIL)).toMatchObject({ verdict: 'safe', from: 'override' });
  expect(await guard.verify(BAD)).toMatchObject({ verdict: 'safe', from: 'allow' });
  expect(await guard.verify('https://good.example/')).toMatchObject({ from: 'list' });
  await guard.overrides.add({ url: EVIL, scope: 'host', verdict: 'block' });
  expect(await guard.verify(EVIL)).toEqual({
    verdict: 'unsafe',
    action: 'block',
    also: [],
    from: 'override',
    missing: [],
  });
  expect(hosts.flatMap(({ questions }) => questions)).toEqual([]);
});

describe.each(['unknown', 'throw'] as const)('with whenUnconfirmed %s', (whenUnconfirmed) => {
  test('a server that fails is missing, and makes nothing safe', async () => {
    const { hosts, guard } = await guarded(['block', 'note'], { whenUnconfirmed });
    const [one, two] = hosts as [ListHost, ListHost];
    one.instead.confirm = () => new Response(null, { status: 500 });
    // A certain verdict stays certain, and the strictest list is reported as missing.
    expect(await guard.verify(EVIL)).toMatchObject({
      verdict: 'unsafe',
      action: 'note',
      name: 'l1',
      missing: ['l0'],
    });
    two.instead.confirm = () => new Response('<html>');
    const verdict = guard.verify(BAD);
    if (whenUnconfirmed === 'throw') {
      const error = { code: 'ERR_TAMIS_UNAVAILABLE', message: expect.stringContaining('500') };
      await expect(verdict).rejects.toMatchObject(error);
    } else {
      expect(await verdict).toEqual({
        verdict: 'unknown',
        action: 'none',
        also: [],
        from: 'server',
        missing: ['l0', 'l1'],
      });
    }
  });
});

describe('verify that is left', () => {
  test('by its signal rejects with the reason, and ends the questions', async () => {
    const { hosts, guard } = await guarded(['warn', 'note']);
    const aborted = hosts.map(hang);
    const controller = new AbortController();
    const verifying = guard.verify(EVIL, { signal: controller.signal });
    await turn();
    controller.abort(new Error('gone'));
    await expect(verifying).rejects.toThrow('gone');
    await until(() => aborted.every(({ length }) => length === 1));
    for (const url of [EVIL, 'https://good.example/']) {
      await expect(guard.verify(url, { signal: controller.signal })).rejects.toThrow('gone');
    }
    await expect(guard.verify(EVIL, { signal: 5 } as never)).rejects.toThrow(TypeError);
  });

  test('by closing rejects with DISPOSED', async () => {
    const { hosts, guard } = await guarded(['warn', 'note']);
    const aborted = hosts.map(hang);
    const verifying = guard.verify(EVIL);
    await turn();
    guard.close();
    await expect(verifying).rejects.toMatchObject({ code: 'ERR_TAMIS_DISPOSED' });
    await until(() => aborted.every(({ length }) => length === 1));
  });

  test('leaves the answer to those who wait for the same', async () => {
    const { hosts, guard } = await guarded(['warn']);
    const [host] = hosts as [ListHost];
    const confirm = host.answer.bind(host);
    const aborted = hang(host);
    const controller = new AbortController();
    const first = guard.verify(EVIL, { signal: controller.signal });
    const second = guard.verify(EVIL);
    await turn();
    expect(host.questions.length).toBe(1);
    host.instead = {};
    host.answer = confirm;
    controller.abort(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    expect(await second).toMatchObject({ verdict: 'unsafe', name: 'l0', missing: [] });
    expect(aborted.length).toBe(1);
  });
});

test('an update in the middle of verify makes nothing safe', async () => {
  const { hosts, guard } = await guarded(['warn']);
  const [host] = hosts as [ListHost];
  const { opened, open } = gate();
  const answer = host.answer.bind(host);
  host.answer = async (request) => {
    if (request.url.endsWith('confirm')) await opened;
    return answer(request);
  };
  const verifying = guard.verify(EVIL);
  await turn();
  await host.publish(['bad.example/']);
  await guard.update();
  open();
  // The server has the new list, but the question is about the old one. The server's answer counts.
  expect((await verifying).verdict).toBe('safe');
  expect(guard.check(EVIL).answer).toBe('safe');
  expect(await guard.verify(BAD)).toMatchObject({ verdict: 'unsafe' });
});
