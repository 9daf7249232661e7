/** buildPages: a folder that a failure leaves as it was, and the options that are refused. */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { TamisError } from 'tamis';
import type { BuildPagesOptions, PagesProgress } from 'tamis/pages';
import { build, filesOf, keys, later, path } from './support/build-pages.js';
import { expectOption, rejection } from './support/errors.js';
import { checkFolder, pageOf, sumsOf } from './support/page-folders.js';
import { gate } from './support/waiting.js';

describe('a call that fails', () => {
  const steps = ['reading', 'counting', 'building', 'writing'] as const;
  const more = [...keys, ...Array.from({ length: 20_000 }, (_, i) => `more-${i}`)];

  test.each(steps)('by an abort while %s leaves the folder as it was', async (step) => {
    await build(keys);
    const before = filesOf('out');
    for (const where of ['out', 'new']) {
      for (const share of [0, 0.4, 0.8]) {
        const abort = new AbortController();
        const reason = new Error('enough');
        const onProgress = ({ step: now, done, total = more.length }: PagesProgress) => {
          if (now === step && done >= share * total) abort.abort(reason);
        };
        const pages = step === 'counting' ? {} : { pages: 40 };
        const options = { signal: abort.signal, onProgress, files: 'page', ...pages } as const;
        await expect(build(more, options, where)).rejects.toBe(reason);
        expect(where === 'new' ? readdirSync(path('new')) : filesOf('out')).toEqual(
          where === 'new' ? [] : before,
        );
      }
    }
  });

  test('by an abort while a source hangs, or before it began', async () => {
    const abort = new AbortController();
    const [ended, closed] = [gate(), gate()];
    async function* hanging(): AsyncGenerator<string> {
      try {
        yield* keys.slice(0, 5000);
        setTimeout(() => abort.abort('now'));
        await ended.opened;
        yield 'late';
      } finally {
        closed.open();
      }
    }
    await expect(build(hanging(), { signal: abort.signal })).rejects.toBe('now');
    expect(readdirSync(path('out'))).toEqual([]);
    await expect(build(keys, { signal: abort.signal }, 'never')).rejects.toBe('now');
    expect(existsSync(path('never'))).toBe(false);
    ended.open();
    await closed.opened;
  });

  test('when the manifest cannot be written takes its parts back, but none of those that stand', async () => {
    await build(keys);
    const before = filesOf('out');
    // A folder with the name of the lock keeps the lock from being made.
    mkdirSync(path('out', 'publish.lock'));
    for (const source of [keys, more]) {
      const failed = build(source, { files: 'page' });
      await expect(failed).rejects.toMatchObject({ path: path('out', 'publish.lock') });
    }
    rmSync(path('out', 'publish.lock'), { recursive: true });
    expect(filesOf('out')).toEqual(before);
  });

  test('by an error of the source, which is the one that is told', async () => {
    await build(keys);
    const before = filesOf('out');
    const error = new Error('no more');
    async function* failing(): AsyncGenerator<string> {
      yield* keys;
      throw error;
    }
    await expect(build(failing())).rejects.toBe(error);
    expect(error.message).toBe('no more');
    expect(filesOf('out')).toEqual(before);
  });

  test('leaves what it did to a call that resumes it, which reads nothing again', async () => {
    let reads = 0;
    async function* counted(): AsyncGenerator<string> {
      reads++;
      yield* more;
    }
    const stopAt = async (step: string, options: Partial<BuildPagesOptions>) => {
      const told: string[] = [];
      const onProgress = ({ step: now, done, total = 0, path: where }: PagesProgress) => {
        if (told.at(-1) !== now) told.push(now);
        if (now === 'resuming') expect(where).toBe(path('out', '.spill'));
        if (now === step && (now === 'building' || 2 * done > total)) throw new Error(step);
      };
      await build(counted(), { ...options, onProgress }).catch(({ message }) =>
        expect(message).toBe(step),
      );
      return told;
    };
    const monday = { resume: 'monday' };
    const all = ['reading', 'counting', 'building', 'writing'];
    expect(await stopAt('building', monday)).toEqual(all.slice(0, 3));
    expect(await stopAt('writing', monday)).toEqual(['resuming', ...all.slice(2)]);
    expect(reads).toBe(1);
    // A run never resumes the work of another version, or of other options.
    expect(await stopAt('writing', { resume: 'tuesday' })).toEqual(all);
    expect(await stopAt('writing', { resume: 'tuesday', fingerprintBits: 9 })).toEqual(all);
    expect(reads).toBe(3);
    expect(await stopAt('', { resume: 'tuesday', fingerprintBits: 9 })).toEqual([
      'resuming',
      'writing',
    ]);
    expect(reads).toBe(3);
    checkFolder('out');
    await build(more, { fingerprintBits: 9 }, 'whole');
    expect(sumsOf('out')).toEqual(sumsOf('whole'));
    expect(readdirSync(path('out')).filter((one) => one.startsWith('.'))).toEqual([]);
  });
});

describe('options', () => {
  test.each<[object, RegExp]>([
    [{ name: '../x' }, /buildPages: name must be 1 to 64/],
    [{ name: undefined }, /expected the option name/],
    [{ size: 1 }, /unknown option "size"/],
    [{ type: 'bloom' }, /type must be one of/],
    [{ type: 'exact' }, /the type 'exact' needs the option exclude/],
    [{ exclude: [] }, /the type 'exact' alone has the option exclude/],
    [{ type: 'bloomier' }, /valueBits/],
    [{ arity: 3 }, /arity/],
    [{ fingerprintBits: 33 }, /fingerprintBits must be/],
    [{ secret: new Uint8Array(15) }, /secret must have 16 bytes, got 15/],
    [{ pages: 0 }, /pages must be/],
    [{ memoryBytes: 999_999 }, /memoryBytes must be/],
    [{ signingKeys: {} }, /signingKeys must be/],
    [{ publicKeys: [] }, /publicKeys must have 1 to 16/],
    [{ lifetimeMs: 0 }, /lifetimeMs must be/],
    [{ files: 'both' }, /files must be/],
    [{ resume: 5 }, /resume must be a string/],
    [{ signal: {} }, /signal must be an AbortSignal/],
    [{ onProgress: 5 }, /onProgress must be a function/],
  ])('%j is refused before there is a folder', async (options, message) => {
    const error = await rejection(build(keys, options));
    expectOption(
      () => {
        throw error;
      },
      error instanceof TypeError ? TypeError : RangeError,
    );
    expect(error.message).toMatch(message);
    expect(existsSync(path('out'))).toBe(false);
  });

  test('pages: one for each key at most, and none too full', async () => {
    expect((await rejection(build(['a', 'b'], { pages: 3 }))).message).toMatch(
      /`pages` 3: expected at most 2, one per key/,
    );
    const crowd = Array.from({ length: 40_000 }, (_, i) => `key-${i}`);
    const page = crowd.filter((key) => pageOf(key, { pages: 8, seed: '0' }) === 3);
    const error = await rejection(build(page, { pages: 8 }));
    expect(error).toBeInstanceOf(TamisError);
    expect(error.code).toBe('ERR_TAMIS_TOO_LARGE');
    expect(error.message).toMatch(/page 3 is too full: .*: give a larger `pages`, such as 13$/);
    expect(readdirSync(path('out'))).toEqual([]);
  });

  test('expectedKeys and memoryBytes change no file', async () => {
    await build(keys);
    for (const [i, more] of [
      { expectedKeys: 1 },
      { expectedKeys: 1e12 },
      { memoryBytes: 1e6 },
    ].entries()) {
      await build(later(keys), more, `out${i}`);
      expect(sumsOf(`out${i}`)).toEqual(sumsOf('out'));
    }
  });
});
