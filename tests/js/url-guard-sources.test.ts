/** Lists of a UrlGuard that another object keeps: SafeBrowsing, a UrlChecker, a custom source. */
import { describe, expect, jest, test } from '@jest/globals';
import type { GuardSource, ListSource, SourceVerdict, UrlGuardOptions } from 'tamis/url';

import { FakeGoogle, openClient, prefixesOf } from './support/safe-browsing.js';
import { common, keys, network, openChecker, openGuard } from './support/url-guard.js';

const EVIL = 'https://login.evil.example/x';
const GOOD = 'https://good.example/';

/** A source with these answers, by host. */
function say(
  answers: Readonly<Record<string, [ReturnType<ListSource['check']>, SourceVerdict?]>>,
): ListSource & { asked: string[]; verify: ListSource['verify'] } {
  const asked: string[] = [];
  const of = (url: string) => answers[new URL(url).hostname] ?? ['safe'];
  return {
    asked,
    check: (url) => of(url)[0],
    verify: async (url) => {
      asked.push(url);
      return of(url)[1] ?? { verdict: 'safe', from: 'list' };
    },
    status: { version: 'own' } as ListSource['status'],
    update: async () => ({
      changed: false,
      receivedBytes: 0,
      from: 'own',
      to: 'own',
      by: 'none',
    }),
    onUpdate: () => () => {},
  };
}

const unsafe = (more: Partial<SourceVerdict> = {}): SourceVerdict => ({
  verdict: 'unsafe',
  from: 'server',
  ...more,
});

/** A guard with a list of evil.example, and with these sources. */
async function guarded(
  sources: Readonly<Record<string, GuardSource>>,
  more: Partial<UrlGuardOptions> = {},
) {
  const { hosts, fetch } = network(1);
  const [host] = hosts as [(typeof hosts)[0]];
  await host.publish(['evil.example/'], { prefixBytes: 8 });
  const lists = { own: host.as('warn'), ...sources };
  return openGuard({ ...common(fetch, more), lists });
}

describe('a source', () => {
  test('is asked beside the lists, and its verdict counts as theirs', async () => {
    const source = say({
      'login.evil.example': [
        'maybe',
        unsafe({ expression: 'evil.example/', threats: ['malware'] }),
      ],
      'bad.example': ['maybe', unsafe({ from: 'cache' })],
      'half.example': ['maybe', { verdict: 'safe', from: 'cache' }],
    });
    const guard = await guarded({ theirs: { source, action: 'block' } });
    expect(guard.check(EVIL)).toEqual({ answer: 'maybe', lists: ['own', 'theirs'], missing: [] });
    expect(guard.check('https://bad.example/')).toMatchObject({ lists: ['theirs'] });
    expect(guard.check(GOOD)).toEqual({ answer: 'safe', lists: [], missing: [] });
    expect(await guard.verify(EVIL)).toEqual({
      verdict: 'unsafe',
      action: 'block',
      name: 'theirs',
      also: ['own'],
      expression: 'evil.example/',
      threats: ['malware'],
      from: 'server',
      missing: [],
    });
    expect(await guard.verify('https://bad.example/')).toEqual({
      verdict: 'unsafe',
      action: 'block',
      name: 'theirs',
      also: [],
      from: 'cache',
      missing: [],
    });
    const half = await guard.verify('https://half.example/');
    expect(half).toMatchObject({ verdict: 'safe', from: 'cache' });
    expect(await guard.verify(GOOD)).toMatchObject({ verdict: 'safe', from: 'list' });
    expect(source.asked).toEqual([EVIL, 'https://bad.example/', 'https://half.example/']);
  });

  test('that is not the only one to clear a URL names a server, if any was asked', async () => {
    const answer = (from: 'cache' | 'server'): GuardSource => ({
      source: say({ 'half.example': ['maybe', { verdict: 'safe', from }] }),
      action: 'warn',
    });
    const guard = await guarded({ cached: answer('cache'), asked: answer('server') });
    const verdict = await guard.verify('https://half.example/');
    expect(verdict).toMatchObject({ verdict: 'safe', from: 'server' });
  });

  test('may want another action for a URL', async () => {
    const source = say({ 'bad.example': ['maybe', unsafe({ action: 'note' })] });
    const guard = await guarded({ theirs: { source, action: 'block' } });
    expect(await guard.verify('https://bad.example/')).toMatchObject({ action: 'note' });
  });

  test.each(['none', '', 'BLOCK', 'toString', null, 5])(
    'has its own action instead of %j',
    async (action) => {
      const verdict = unsafe({ action: action as never });
      const note = say({
        'bad.example': ['maybe', verdict],
        'login.evil.example': ['maybe', verdict],
      });
      const guard = await guarded({ theirs: { source: note, action: 'note' } });
      const { action: own } = await guard.verify('https://bad.example/');
      expect(own).toBe('note');
      expect(await guard.verify(EVIL)).toMatchObject({
        action: 'warn',
        name: 'own',
        also: ['theirs'],
      });
    },
  );

  test('that is missing makes nothing safe, unless it is optional', async () => {
    const source = say({ 'good.example': ['unknown'], 'other.example': ['maybe', unsafe()] });
    for (const isOptional of [false, true]) {
      const guard = await guarded({ theirs: { source, action: 'block', isOptional } });
      const answer = isOptional ? 'safe' : 'unknown';
      expect(guard.check(GOOD)).toEqual({ answer, lists: [], missing: ['theirs'] });
      expect(await guard.verify(GOOD)).toMatchObject({ verdict: answer, missing: ['theirs'] });
      expect(guard.check(EVIL)).toMatchObject({ answer: 'maybe', lists: ['own'] });
      expect(await guard.verify(EVIL)).toMatchObject({ verdict: 'unsafe', name: 'own' });
    }
    expect(source.asked).toEqual([]);
  });

  test.each<[string, ListSource['verify']]>([
    ['fails', () => Promise.reject(new Error('no'))],
    ['knows nothing', async () => ({ verdict: 'unknown', from: 'server' })],
    ['gives no verdict', async () => ({ from: 'server' }) as SourceVerdict],
    ['gives nothing', async () => undefined as unknown as SourceVerdict],
  ])('that %s leaves the URL unknown', async (_, verify) => {
    const source = { ...say({ 'bad.example': ['maybe'] }), verify };
    const guard = await guarded({ theirs: { source, action: 'block' } });
    expect(await guard.verify('https://bad.example/')).toMatchObject({
      verdict: 'unknown',
      missing: ['theirs'],
    });
    const strict = await guarded(
      { theirs: { source, action: 'block' } },
      { whenUnconfirmed: 'throw' },
    );
    await expect(strict.verify('https://bad.example/')).rejects.toMatchObject({
      code: 'ERR_TAMIS_UNAVAILABLE',
    });
  });

  test.each([undefined, 'yes', true, Promise.resolve('safe')])(
    'whose answer is %s counts as missing',
    async (answer) => {
      const source = { ...say({}), check: () => answer as never };
      const guard = await guarded({ theirs: { source, action: 'block' } });
      expect(guard.check(GOOD)).toMatchObject({ answer: 'unknown', missing: ['theirs'] });
      expect(await guard.verify(GOOD)).toMatchObject({ verdict: 'unknown' });
    },
  );

  test('can be opened by an override and by `allow`, unless that is forbidden', async () => {
    const source = say({ 'bad.example': ['maybe', unsafe()] });
    for (const canOverride of [true, false]) {
      const guard = await guarded(
        { theirs: { source, action: 'block', canOverride } },
        { allow: new Set(['bad.example']) },
      );
      expect(guard.check('https://bad.example/').answer).toBe(canOverride ? 'safe' : 'maybe');
      await guard.overrides.add({ url: EVIL, scope: 'site', verdict: 'allow' });
      expect(guard.check(EVIL).answer).toBe('safe');
    }
  });

  test('is left when another list is sure, and with the signal', async () => {
    const aborted: unknown[] = [];
    const verify: ListSource['verify'] = (_, { signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          aborted.push(signal.reason);
          reject(signal.reason);
        });
      });
    const source = { ...say({ 'bad.example': ['maybe'] }), verify };
    const sure = say({ 'bad.example': ['maybe', unsafe()] });
    const guard = await guarded({
      slow: { source, action: 'block' },
      sure: { source: sure, action: 'block' },
    });
    expect(await guard.verify('https://bad.example/')).toMatchObject({ name: 'sure' });
    expect(aborted).toHaveLength(1);
    const alone = await guarded({ slow: { source, action: 'block' } });
    const controller = new AbortController();
    const left = alone.verify('https://bad.example/', { signal: controller.signal });
    controller.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    // So is one that does not hear the signal.
    const gone = new AbortController();
    const deaf = () => {
      gone.abort(new Error('gone'));
      return new Promise<SourceVerdict>(() => {});
    };
    const unheard = await guarded({
      deaf: { source: { ...source, verify: deaf }, action: 'block' },
    });
    const waiting = unheard.verify('https://bad.example/', { signal: gone.signal });
    await expect(waiting).rejects.toThrow('gone');
    const closed = alone.verify('https://bad.example/');
    alone.close();
    await expect(closed).rejects.toMatchObject({ code: 'ERR_TAMIS_DISPOSED' });
  });

  test('has its status and updates told, and stays open', async () => {
    const listeners: ((result: never) => void)[] = [];
    const source = {
      ...say({}),
      close: jest.fn(),
      onUpdate: (listener: (result: never) => void) => {
        listeners.push(listener);
        return () => listeners.splice(0);
      },
    };
    const guard = await guarded({ theirs: { source, action: 'note' } });
    expect(guard.status.theirs?.version).toBe('own');
    expect((await guard.update()).theirs).toMatchObject({ by: 'none' });
    const heard: unknown[] = [];
    const end = guard.onUpdate((...given) => heard.push(given));
    listeners[0]?.('x' as never);
    expect(heard).toEqual([['theirs', 'x']]);
    end();
    expect(listeners).toEqual([]);
    guard.close();
    expect(source.close).not.toHaveBeenCalled();
    expect(() => guard.check(GOOD)).toThrow(
      expect.objectContaining({ code: 'ERR_TAMIS_DISPOSED' }),
    );
    expect(() => guard.status).toThrow(expect.objectContaining({ code: 'ERR_TAMIS_DISPOSED' }));
  });

  test('that fails to update does not stop the others', async () => {
    const fail = () => {
      throw new Error('no');
    };
    const source = { ...say({}), update: fail as ListSource['update'] };
    const guard = await guarded({ theirs: { source, action: 'block' } });
    const { own, theirs } = await guard.update();
    expect(own).toMatchObject({ changed: false });
    expect(theirs).toEqual(new Error('no'));
  });

  test('may be alone, and a URL that is no page is invalid then too', async () => {
    const source = say({ '': ['invalid'], 'bad.example': ['maybe', unsafe()] });
    const { fetch } = network(0);
    const guard = await openGuard({
      ...common(fetch),
      lists: { theirs: { source, action: 'block' } },
    });
    expect(guard.check(GOOD).answer).toBe('safe');
    expect(guard.check('mailto:x').answer).toBe('invalid');
    expect((await guard.verify('mailto:x')).verdict).toBe('invalid');
    expect((await guard.verify('https://bad.example/')).verdict).toBe('unsafe');
  });
});

test('SafeBrowsing and a UrlChecker are sources', async () => {
  const google = new FakeGoogle();
  for (const name of ['se-4b', 'mw-4b', 'uws-4b']) google.serve(name, prefixesOf(['bad.example/']));
  google.threats = { 'bad.example/': [{ type: 3 }, { type: 1 }] };
  const client = await openClient(google, { action: { 'unwanted-software': 'note' } });
  const { hosts, fetch } = network(1);
  const [host] = hosts as [(typeof hosts)[0]];
  await host.publish(['other.example/'], { prefixBytes: 8 });
  const { manifest, confirm } = host.as('note');
  const checker = await openChecker(manifest, {
    ...common(fetch),
    name: host.name,
    publicKeys: [keys.publicKey],
    confirm,
  });
  const guard = await guarded({
    google: { source: client, action: 'warn' },
    other: { source: checker, action: 'block' },
  });
  expect(await guard.verify('https://bad.example/')).toMatchObject({
    verdict: 'unsafe',
    action: 'warn',
    name: 'google',
    expression: 'bad.example/',
    threats: ['unwanted-software', 'malware'],
  });
  expect(await guard.verify('https://other.example/')).toMatchObject({
    name: 'other',
    action: 'block',
  });
  google.threats = { 'bad.example/': [{ type: 3 }] };
  google.instead = () => undefined;
  expect(guard.status).toMatchObject({ google: { count: 3 }, other: { count: 1 } });
  // A closed source throws, and so does the guard.
  client.close();
  expect(() => guard.check(GOOD)).toThrow(expect.objectContaining({ code: 'ERR_TAMIS_DISPOSED' }));
});

test.each<[string, object, RegExp]>([
  ['that is none', { source: {}, action: 'block' }, /must be a ListSource/],
  ['that is null', { source: null, action: 'block' }, /must be a ListSource/],
  ['without an action', { source: say({}) }, /expected the option action/],
  [
    'with a manifest',
    { source: say({}), action: 'block', manifest: 'https://x.example/' },
    /unknown option/,
  ],
  ['with another action', { source: say({}), action: 'shout' }, /must be one of/],
])('a source %s is refused', async (_, one, message) => {
  await expect(guarded({ theirs: one as GuardSource })).rejects.toThrow(message);
});

test('one source is one list', async () => {
  const source = say({});
  const twice = { one: { source, action: 'note' }, two: { source, action: 'warn' } } as const;
  await expect(guarded(twice)).rejects.toThrow(/lists.two must have another source than lists.one/);
});

describe('members of Object.prototype', () => {
  const pollute = (members: object) => {
    for (const [name, value] of Object.entries(members)) {
      Object.defineProperty(Object.prototype, name, { value, configurable: true, writable: true });
    }
    return () => {
      for (const name of Object.keys(members)) Reflect.deleteProperty(Object.prototype, name);
    };
  };

  test('are no answers, findings or members of a guard', async () => {
    const { hosts, fetch } = network(1);
    const [host] = hosts as [(typeof hosts)[0]];
    await host.publish(['evil.example/'], { prefixBytes: 8 });
    const source = say({ 'good.example': ['unknown'], 'other.example': ['maybe', unsafe()] });
    const clean = pollute({
      ...{ unknown: 1, other: 'clear', source: 5, keeper: 5, rule: 5, untilMs: 1, seenMs: 9e15 },
      ...{
        expression: 'dirt',
        threats: ['dirt'],
        nextMs: 9e15,
        failures: 5,
        etag: '""',
      },
    });
    try {
      const lists = { own: host.as('warn'), theirs: { source, action: 'block' } as const };
      const guard = await openGuard({ ...common(fetch), lists });
      expect(guard.check(GOOD).answer).toBe('unknown');
      expect(guard.check(EVIL)).toMatchObject({ lists: ['own'] });
      expect(await guard.verify('https://other.example/')).toEqual({
        ...{
          verdict: 'unsafe',
          action: 'block',
          name: 'theirs',
          also: [],
          from: 'server',
          missing: [],
        },
      });
      const blocked = { url: 'https://blocked.example/', scope: 'site', verdict: 'block' } as const;
      await guard.overrides.add(blocked);
      expect(guard.check(blocked.url).answer).toBe('maybe');
      expect((await guard.verify(blocked.url)).from).toBe('override');
      expect(guard.overrides.list()).toHaveLength(1);
    } finally {
      clean();
    }
  });
});
