/** The file of overrides: damaged byte by byte, and on storages that fail, hang, are full or lie. */
import { describe, expect, test } from '@jest/globals';
import { memoryStorage, type UrlGuard, type UrlStorage } from 'tamis/url';

import { isLong } from './support/budget.js';
import { common, ListHost, openGuard } from './support/url-guard.js';
import { Clock, DAY, TestStorage } from './support/url-publisher.js';
import { gate, hang, holdTimers, pass, turn, until } from './support/waiting.js';

holdTimers();

const FILE = 'tamis-overrides.json';
const HOUR = 3_600_000;

const host = new ListHost('l0');
await host.publish(['evil.example/', 'bad.example/'], { prefixBytes: 8, lifetimeMs: 3000 * DAY });
const fetch = async (url: string, init: RequestInit) => host.answer(new Request(url, init));
const open = (storage: UrlStorage, clock = new Clock()) =>
  openGuard({
    ...common(fetch, { storage, now: clock.now }),
    lists: { one: host.as('block') },
  });

const EVIL = 'https://evil.example/';
const BAD = 'https://bad.example/';
const GOOD = 'https://good.example/';
const allowEvil = { url: EVIL, scope: 'site', verdict: 'allow' } as const;
const blockGood = { url: GOOD, scope: 'host', verdict: 'block' } as const;
const answers = (guard: UrlGuard, ...urls: string[]) =>
  guard.checkMany(urls).map(({ answer }) => answer);

/** The bytes that a guard stored. */
async function someFile(clock: Clock): Promise<Uint8Array> {
  const storage = memoryStorage();
  const guard = await open(storage, clock);
  await guard.overrides.add({ ...allowEvil, forMs: HOUR });
  await guard.overrides.add(blockGood);
  await guard.overrides.add({ url: 'http://other.example/', scope: 'site', verdict: 'block' });
  await guard.overrides.add({ url: 'http://bad.example/x', scope: 'page', verdict: 'allow' });
  guard.close();
  return storage.get(FILE) as Uint8Array;
}

/** Opens a guard on such a file. Expects that no allow counts, and resolves to the number of blocks. */
async function openDamaged(bytes: Uint8Array, clock: Clock): Promise<number> {
  const storage = memoryStorage();
  storage.set(FILE, bytes);
  const guard = await open(storage, clock);
  expect(answers(guard, EVIL, BAD, `${BAD}x`)).toEqual(['maybe', 'maybe', 'maybe']);
  expect(guard.overrides.error?.code).toBe('ERR_TAMIS_CORRUPT');
  const held = guard.overrides.list();
  expect(held.every(({ verdict }) => verdict === 'block')).toBe(true);
  guard.close();
  return held.length;
}

describe('a damaged file', () => {
  const clock = new Clock();

  // npm test changes every second byte.
  test.each([
    [1, 0],
    [0x20, 2],
    [0x80, 4],
    [0xff, 6],
  ])('bytes changed by %i: no allow holds', async (flip, first) => {
    const whole = await someFile(clock);
    for (let at = isLong ? 0 : first; at < whole.length; at += isLong ? 1 : 8) {
      const bytes = whole.slice();
      bytes[at] = (bytes[at] as number) ^ flip;
      // Each byte belongs to one override, so the other block is readable.
      expect([at, (await openDamaged(bytes, clock)) >= 1]).toEqual([at, true]);
    }
  });

  test('cut anywhere, or with bytes behind it', async () => {
    const whole = await someFile(clock);
    const blocks: number[] = [];
    for (let size = 0; size < whole.length; size += isLong ? 1 : 6) {
      blocks.push(await openDamaged(whole.subarray(0, size), clock));
    }
    expect(blocks[0]).toBe(0);
    expect(blocks.at(-1)).toBe(2);
    expect(await openDamaged(Uint8Array.of(...whole, 10), clock)).toBe(2);
    expect(await openDamaged(Uint8Array.of(...whole, ...whole), clock)).toBe(2);
  });

  test.each(['', '{}', 'null', '[]', '<!doctype html>', '{"overrides":[]}', '\u0000'])(
    'of other content: %s',
    async (text) => {
      expect(await openDamaged(new TextEncoder().encode(text), clock)).toBe(0);
    },
  );

  test('is whole again with the next change, and keeps the blocks', async () => {
    const storage = memoryStorage();
    const bytes = await someFile(clock);
    bytes[20] = 0;
    storage.set(FILE, bytes);
    const guard = await open(storage, clock);
    await guard.overrides.add({ url: BAD, scope: 'host', verdict: 'allow' });
    expect(guard.overrides.error).toBeUndefined();
    const next = await open(storage, clock);
    expect(next.overrides.error).toBeUndefined();
    expect(answers(next, EVIL, BAD, GOOD)).toEqual(['maybe', 'safe', 'maybe']);
    expect(next.overrides.list().length).toBe(3);
  });

  test('an older file that a storage brings back opens nothing past its time', async () => {
    const own = new Clock();
    const old = await someFile(own);
    own.ms += HOUR;
    const storage = memoryStorage();
    storage.set(FILE, old);
    const guard = await open(storage, own);
    expect(answers(guard, EVIL, `${BAD}x`)).toEqual(['maybe', 'safe']);
  });
});

/** The storage calls of one `add`. */
const steps = 3;

describe.each(['fails', 'is full', 'hangs', 'lies'] as const)('a storage that %s', (how) => {
  test.each(Array.from({ length: steps }, (_, i) => i))('at step %i of a change', async (step) => {
    const storage = new TestStorage();
    const guard = await open(storage);
    await guard.overrides.add(blockGood);
    let at = 0;
    const isBroken = () => at++ === step;
    const { get, set } = storage;
    if (how === 'lies') {
      storage.get = async (key) => (isBroken() ? Uint8Array.of(1, 2, 3) : get.call(storage, key));
      storage.set = async (key, bytes) => {
        if (!isBroken()) await set.call(storage, key, bytes);
      };
    } else {
      storage.before = () => {
        if (!isBroken()) return undefined;
        if (how === 'hangs') return hang();
        throw how === 'fails' ? 'broken' : new DOMException('full', 'QuotaExceededError');
      };
    }
    const added = await guard.overrides.add({ ...allowEvil, forMs: HOUR }).then(
      () => true,
      ({ code }) => {
        expect(code).toBe('ERR_TAMIS_UNAVAILABLE');
        return false;
      },
    );
    expect(at).toBeGreaterThan(step);
    // A stored override applies; a refused one does not.
    expect(answers(guard, EVIL, BAD)).toEqual([added ? 'safe' : 'maybe', 'maybe']);
    // A read that fails behind the write is no failure of the write.
    expect(added).toBe(how === 'lies' || (step === 2 && how !== 'hangs'));
    storage.before = () => undefined;
    Object.assign(storage, { get, set });
    const next = await open(storage);
    expect(answers(next, BAD)).toEqual(['maybe']);
    // A refused override does not hold from the next start on either.
    expect(answers(next, EVIL)).toEqual([added ? 'safe' : 'maybe']);
    // An unreadable file counts as damaged: its blocks are gone, but no allow counts.
    if (how !== 'lies' || step > 0) expect(answers(next, GOOD)).toEqual(['maybe']);
  });

  test('when it is opened', async () => {
    const storage = new TestStorage();
    storage.files.set(FILE, await someFile(new Clock()));
    const { get } = storage;
    storage.get = async (key) => {
      if (key !== FILE) return get.call(storage, key);
      if (how === 'lies') return 'a text' as never;
      if (how === 'hangs') return hang();
      throw new Error('broken');
    };
    const guard = await open(storage);
    const code = how === 'lies' ? 'ERR_TAMIS_CORRUPT' : 'ERR_TAMIS_UNAVAILABLE';
    expect(guard.overrides.error?.code).toBe(code);
    expect(answers(guard, EVIL, BAD)).toEqual(['maybe', 'maybe']);
    expect(guard.overrides.list()).toEqual([]);
  });
});

describe('a change that is refused, but was written', () => {
  const refused = { code: 'ERR_TAMIS_UNAVAILABLE' };
  const inFile = ({ files }: TestStorage): string => new TextDecoder().decode(files.get(FILE));

  /** The next write is done, and then fails. */
  function failOnce(storage: TestStorage): void {
    const { set } = storage;
    storage.set = async (key, bytes) => {
      storage.set = set;
      await set.call(storage, key, bytes);
      throw new Error('broken');
    };
  }

  test('is undone, also the first of a file', async () => {
    const storage = new TestStorage();
    const guard = await open(storage);
    failOnce(storage);
    await expect(guard.overrides.add(allowEvil)).rejects.toMatchObject(refused);
    const next = await open(storage);
    expect(next.overrides.error).toBeUndefined();
    expect(next.overrides.list()).toEqual([]);
    await guard.overrides.add(blockGood);
    const before = inFile(storage);
    failOnce(storage);
    await expect(guard.overrides.add(allowEvil)).rejects.toMatchObject(refused);
    expect(inFile(storage)).toBe(before);
  });

  test('is undone once the write has ended, and later changes stay', async () => {
    const storage = new TestStorage();
    const guard = await open(storage);
    const late = gate();
    const { set } = storage;
    storage.set = async (key, bytes) => {
      storage.set = set;
      pass(60_000);
      await late.opened;
      await set.call(storage, key, bytes);
    };
    await expect(guard.overrides.add(allowEvil)).rejects.toMatchObject(refused);
    expect(storage.files.has(FILE)).toBe(false);
    // This one reads the file that the late write leaves.
    const { get } = storage;
    storage.get = async (key) => {
      storage.get = get;
      late.open();
      await until(() => storage.files.has(FILE));
      return get.call(storage, key);
    };
    await guard.overrides.add(blockGood);
    expect(inFile(storage)).toContain('good.example');
    while (inFile(storage).includes('evil.example')) await turn();
    expect(answers(await open(storage), EVIL, GOOD)).toEqual(['maybe', 'maybe']);
  });

  test('is undone when the guard was closed', async () => {
    const storage = new TestStorage();
    const guard = await open(storage);
    const { set } = storage;
    storage.set = async (key, bytes) => {
      storage.set = set;
      guard.close();
      await set.call(storage, key, bytes);
    };
    await expect(guard.overrides.add(allowEvil)).rejects.toMatchObject({
      code: 'ERR_TAMIS_DISPOSED',
    });
    while (!storage.files.has(FILE) || inFile(storage).includes('evil.example')) await turn();
    expect((await open(storage)).overrides.list()).toEqual([]);
  });

  test('leaves the same override of another guard', async () => {
    const storage = new TestStorage();
    const [one, two] = [await open(storage), await open(storage)];
    const { set } = storage;
    let add: Promise<unknown> | undefined;
    storage.set = async (key, bytes) => {
      storage.set = set;
      await set.call(storage, key, bytes);
      add = two.overrides.add(blockGood);
      throw new Error('broken');
    };
    await expect(one.overrides.add(blockGood)).rejects.toMatchObject(refused);
    await add;
    await one.overrides.remove({ target: 'x/', scope: 'host', verdict: 'block' });
    expect(answers(await open(storage), GOOD)).toEqual(['maybe']);
  });

  test('brings blocks and replaced overrides back, but no removed allow', async () => {
    const storage = new TestStorage();
    const guard = await open(storage);
    const block = await guard.overrides.add(blockGood);
    const allow = await guard.overrides.add(allowEvil);
    for (const one of [block, allow]) {
      failOnce(storage);
      await expect(guard.overrides.remove(one)).rejects.toMatchObject(refused);
    }
    failOnce(storage);
    const instead = { ...blockGood, verdict: 'allow' } as const;
    await expect(guard.overrides.add(instead)).rejects.toMatchObject(refused);
    expect((await open(storage)).overrides.list()).toEqual([block]);
  });
});

describe('a storage of several processes', () => {
  class SharedStorage extends TestStorage {
    readonly listeners = new Set<() => void>();
    /** Each write waits for this one. */
    late: Promise<unknown> | undefined;
    readonly writes: ('begun' | 'done')[] = [];
    override async set(): Promise<void> {
      throw new Error('a write without modify');
    }
    async modify(key: string, change: (bytes?: Uint8Array) => Promise<Uint8Array>): Promise<void> {
      const bytes = await change(this.files.get(key));
      this.writes.push('begun');
      await this.late;
      this.files.set(key, bytes);
      this.writes.push('done');
    }
    watch(key: string, listener: () => void): () => void {
      expect(key).toBe(FILE);
      this.listeners.add(listener);
      return () => this.listeners.delete(listener);
    }
  }

  test('gets each change by modify, and tells of those of others', async () => {
    const storage = new SharedStorage();
    const guard = await open(storage);
    let changes = 0;
    guard.overrides.onChange(() => changes++);
    const allow = await guard.overrides.add(allowEvil);
    await turn();
    expect([answers(guard, EVIL), changes]).toEqual([['safe'], 1]);
    const own = storage.files.get(FILE) as Uint8Array;
    storage.files.delete(FILE);
    for (const listener of storage.listeners) listener();
    await until(() => changes === 2);
    expect(answers(guard, EVIL)).toEqual(['maybe']);
    // Nothing has changed.
    for (const listener of storage.listeners) listener();
    await turn();
    storage.files.set(FILE, own);
    for (const listener of storage.listeners) listener();
    await until(() => changes === 3);
    expect(guard.overrides.list()).toEqual([allow]);
    guard.close();
    expect(storage.listeners.size).toBe(0);
  });

  test.each([
    ['gives nothing', () => undefined],
    ['is async', async () => () => {}],
  ])('whose watch %s is refused', async (_, watch) => {
    const storage = Object.assign(new SharedStorage(), { watch });
    await expect(open(storage)).rejects.toMatchObject({ code: 'ERR_TAMIS_INVALID_OPTION' });
  });

  test('whose watch cannot end does not end the process, and a modify without a change is none', async () => {
    const watch = () => () => {
      throw new Error('broken');
    };
    const guard = await open(Object.assign(new SharedStorage(), { watch, modify: async () => {} }));
    await expect(guard.overrides.add(allowEvil)).rejects.toMatchObject({
      code: 'ERR_TAMIS_UNAVAILABLE',
    });
    guard.close();
  });

  test('undoes a write that comes after the time limit', async () => {
    const storage = new SharedStorage();
    const guard = await open(storage);
    await guard.overrides.add(blockGood);
    const late = gate();
    storage.late = late.opened;
    const adding = guard.overrides.add(allowEvil);
    await until(() => storage.writes.length === 3);
    pass(60_000);
    await expect(adding).rejects.toMatchObject({ code: 'ERR_TAMIS_UNAVAILABLE' });
    const stored = () => new TextDecoder().decode(storage.files.get(FILE));
    const before = stored();
    late.open();
    await until(() => storage.writes.length === 6);
    expect(stored()).toBe(before);
    expect(answers(await open(storage), EVIL, GOOD)).toEqual(['maybe', 'maybe']);
  });
});

test('a polluted prototype allows nothing, and gives a storage no members', async () => {
  const storage = memoryStorage();
  const dirt = { 0: 'allow', modify: async () => {}, watch: () => true };
  const pollute = (value: (name: string) => PropertyDescriptor | undefined) => {
    for (const name of Object.keys(dirt)) {
      const descriptor = value(name);
      if (descriptor) Object.defineProperty(Object.prototype, name, descriptor);
      else Reflect.deleteProperty(Object.prototype, name);
    }
  };
  pollute((name) => ({ value: Reflect.get(dirt, name), configurable: true, writable: true }));
  try {
    const guard = await open(storage);
    await guard.overrides.add({ url: GOOD, scope: 'page', verdict: 'block' });
    expect(answers(guard, EVIL, GOOD)).toEqual(['maybe', 'maybe']);
    expect((await guard.verify(EVIL)).verdict).toBe('unsafe');
    guard.close();
  } finally {
    pollute(() => undefined);
  }
  expect((await open(storage)).overrides.list().length).toBe(1);
});

test('a storage whose bytes are Buffers keeps overrides', async () => {
  const storage = new TestStorage();
  const { get } = storage;
  storage.get = async (key) => {
    const bytes = await get.call(storage, key);
    return bytes && Buffer.from(bytes);
  };
  const guard = await open(storage);
  await guard.overrides.add(allowEvil);
  expect(answers(await open(storage), EVIL)).toEqual(['safe']);
});

test('a large file that is damaged keeps its other blocks, and is whole after the next change', async () => {
  const storage = memoryStorage();
  const first = await open(storage);
  await first.overrides.add(blockGood);
  const text = new TextDecoder().decode(storage.get(FILE));
  const line = text.split('\n')[1] as string;
  const lines = Array.from({ length: 10_000 }, (_, i) =>
    line.replace('good.example/', `${'x'.repeat(i === 9 ? 1 : 1000)}.h${i}.example/`),
  );
  lines[5_000] = lines[5_000]?.replace('"', '') as string;
  storage.set(
    FILE,
    new TextEncoder().encode(`{"sha256":"","overrides":[\n${lines.join(',\n')}\n]}\n`),
  );
  const guard = await open(storage);
  expect(guard.overrides.error?.code).toBe('ERR_TAMIS_CORRUPT');
  expect(guard.overrides.list().length).toBe(9_999);
  expect(answers(guard, 'http://x.h9.example/')).toEqual(['maybe']);
  await guard.overrides.clear();
  expect((await open(storage)).overrides.error).toBeUndefined();
});

test('a storage that keeps nothing is no place for overrides', async () => {
  const guard = await open({ get: () => undefined, set: () => {} });
  await expect(guard.overrides.add(allowEvil)).rejects.toMatchObject({
    code: 'ERR_TAMIS_UNAVAILABLE',
  });
  expect(answers(guard, EVIL)).toEqual(['maybe']);
});

test('a tab that cannot read what another changed holds no allow', async () => {
  const storage = new TestStorage();
  const [one, two] = [await open(storage), await open(storage)];
  await one.overrides.add(allowEvil);
  await one.overrides.add(blockGood);
  await until(() => answers(two, EVIL, GOOD).join() === 'safe,maybe');
  await turn();
  const { get } = storage;
  let isBroken = false;
  storage.get = async (key) => {
    if (isBroken) throw new Error('broken');
    return get.call(storage, key);
  };
  const removing = one.overrides.remove({
    target: 'evil.example/',
    scope: 'site',
    verdict: 'allow',
  });
  await removing;
  isBroken = true;
  await until(() => two.overrides.error !== undefined);
  expect(answers(two, EVIL, GOOD)).toEqual(['maybe', 'maybe']);
});

test('closing in the middle of a change rejects it with DISPOSED', async () => {
  const storage = new TestStorage();
  const guard = await open(storage);
  storage.before = () => new Promise(() => {});
  const adding = guard.overrides.add(allowEvil);
  await turn();
  guard.close();
  await expect(adding).rejects.toMatchObject({ code: 'ERR_TAMIS_DISPOSED' });
});
