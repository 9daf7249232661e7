/**
 * Pages and manifests, changed byte by byte and at random. A listed key is found, or the look-up rejects.
 */

import { describe, expect, test } from '@jest/globals';
import { BinaryFuseFilter, BloomierMap, ExactFilter, RibbonFilter } from 'tamis/read';
import { RemoteFilter, type RemoteOptions } from 'tamis/remote';

import { budget, seed } from '../js/support/budget.js';
import { type CodedError, rejection } from '../js/support/errors.js';
import { random } from '../js/support/keys.js';
import {
  FakeHost,
  makePages,
  type PageSet,
  type SetOptions,
  signPages,
} from '../js/support/pages.js';
import { open as openSigned, signing } from '../js/support/signed-pages.js';

const KEYS = Array.from({ length: 240 }, (_, i) => `key ${i}`);
const SECRET = Uint8Array.from({ length: 16 }, (_, i) => 7 * i + 1);
const changes = budget(20_000, 400);
const open = (host: FakeHost, options: Partial<RemoteOptions> = {}) =>
  openSigned(host, {
    types: [RibbonFilter, BinaryFuseFilter, BloomierMap, ExactFilter],
    maxAgeMs: 0,
    ...options,
  });

const sets: [string, SetOptions][] = [
  ['ribbon', {}],
  ['one page', { pages: 1 }],
  ['keyed', { secret: SECRET }],
  ['binary-fuse', { type: 'binary-fuse' }],
  ['exact', { type: 'exact' }],
  ['bloomier', { type: 'bloomier' }],
];

/** A host with a set of three pages in one part, and a key of each page. */
function hosted(options: SetOptions) {
  const set = makePages(KEYS, { pages: 3, ...options });
  const host = new FakeHost().publish(set, signPages(set.fields, signing));
  const [[name, part]] = [...set.parts] as [[string, Uint8Array]];
  const keyOf = (page: number) => KEYS.find((key) => set.pageOf(key) === page) as string;
  return { set, host, name, part, keyOf, secret: options.secret && { secret: options.secret } };
}

/** The outcome of a look-up: an answer, or a documented error code. */
async function outcomeOf(asking: Promise<boolean>): Promise<boolean | string> {
  return asking.catch(async () => (await rejection(asking)).code);
}

/** A number below `most`. */
const below = (most: number, next: () => number) => next() % most;

/** Changes bytes in one of many ways, but not their number. */
function mutate(bytes: Uint8Array, next: () => number): void {
  const [from, size] = [below(bytes.length, next), 1 + below(64, next)];
  const piece = bytes.subarray(from, from + size);
  const to = below(bytes.length - piece.length + 1, next);
  const ways = [
    () => piece.fill(below(256, next)),
    () => piece.reverse(),
    () => bytes.copyWithin(to, from, from + piece.length),
    () =>
      bytes.set(
        Array.from(piece, () => below(256, next)),
        from,
      ),
    () =>
      bytes.set(
        Array.from(piece, (byte) => byte ^ (1 << below(8, next))),
        from,
      ),
  ];
  ways[below(ways.length, next)]?.();
}

describe.each(sets)('pages: %s', (_, options) => {
  test('each byte of each page is proved', async () => {
    const { set, host, name, part, keyOf, secret } = hosted(options);
    const filter = await open(host, secret);
    const { stride, pages } = set.fields;
    const next = random(seed);
    for (let page = 0; page < pages; page++) {
      const key = keyOf(page);
      for (let at = page * stride; at < (page + 1) * stride; at++) {
        const bytes = part.slice();
        bytes[at] = (bytes[at] as number) ^ (1 + below(255, next));
        host.files.set(name, bytes);
        expect([at, await outcomeOf(filter.has(key))]).toEqual([at, 'ERR_TAMIS_CORRUPT']);
      }
      host.files.set(name, part);
      expect(await filter.has(key)).toBe(true);
    }
    filter.close();
  });

  test('changed at random', async () => {
    const { set, host, name, part, keyOf, secret } = hosted(options);
    const { stride, pages } = set.fields;
    const next = random(seed + (options.pages ?? 0));
    let refused = 0;
    for (let i = 0; i < changes; i++) {
      const bytes = part.slice();
      for (let times = below(3, next); times >= 0; times--) mutate(bytes, next);
      host.files.set(name, bytes);
      const page = below(pages, next);
      const [from, to] = [page * stride, (page + 1) * stride];
      const isSame = Buffer.from(bytes.subarray(from, to)).equals(part.subarray(from, to));
      const filter = await open(host, secret);
      const outcome = await outcomeOf(filter.has(keyOf(page)));
      filter.close();
      expect([i, outcome]).toEqual([i, isSame ? true : 'ERR_TAMIS_CORRUPT']);
      if (!isSame) refused++;
    }
    expect(refused).toBeGreaterThan(changes / 4);
  });
});

describe('a manifest', () => {
  const texts = ['"', '}', ',', '0', '9', 'f', ' ', '\\', '\n', '-', 'e', '\u0000'];

  /** The text with one character changed, in several ways each. */
  function* changesOf(text: string): Generator<string> {
    for (let at = 0; at < text.length; at++) {
      for (const other of ['', ...texts]) {
        if (text[at] !== other) yield text.slice(0, at) + other + text.slice(at + 1);
      }
    }
  }

  test('that is signed is refused with any character changed', async () => {
    const { host, keyOf } = hosted({});
    const text = host.files.get('manifest.json') as string;
    let refused = 0;
    let others = 0;
    for (const changed of changesOf(text)) {
      host.files.set('manifest.json', changed);
      const opened = await open(host).catch((error: CodedError) => error);
      if (!(opened instanceof RemoteFilter)) {
        expect([changed, opened.code]).toEqual([
          changed,
          expect.stringMatching(/^ERR_TAMIS_(CORRUPT|BAD_SIGNATURE|TOO_LARGE)$/),
        ]);
        refused++;
        continue;
      }
      // The change has no effect.
      others++;
      expect([changed, await opened.has(keyOf(1))]).toEqual([changed, true]);
      opened.close();
    }
    expect(refused).toBeGreaterThan(10 * text.length);
    expect(others).toBeLessThan(refused / 100);
  });

  test('that nobody signed is refused, or leads to other pages only where it says so', async () => {
    const { set, host, keyOf } = hosted({});
    const unsigned = JSON.stringify(set.fields);
    const roads: (keyof PageSet['fields'])[] = ['seed', 'pages', 'hash'];
    const seen = new Set<string>();
    for (const changed of changesOf(unsigned)) {
      host.files.set('manifest.json', changed);
      const opening = open(host, { publicKeys: null });
      const opened = await opening.catch(async () => (await rejection(opening)).code);
      if (typeof opened === 'string') {
        seen.add(opened);
        continue;
      }
      const outcome = await outcomeOf(opened.has(keyOf(1)));
      seen.add(String(outcome));
      const { manifest } = opened.status;
      const isSame = roads.every((name) => manifest[name] === set.fields[name]);
      if (isSame) expect([changed, outcome]).not.toEqual([changed, false]);
      opened.close();
    }
    expect([...seen]).toEqual(
      expect.arrayContaining(['true', 'ERR_TAMIS_CORRUPT', 'ERR_TAMIS_UNAVAILABLE']),
    );
  });
});
