/** Lists of prefixes from Safe Browsing: made whole, and changed by removals and additions. */
import { describe, expect, test } from '@jest/globals';
import { hashExpression, riceDecode, riceEncode, UrlList, UrlListBuilder } from 'tamis/url';
import { expectCode, expectOption } from './support/errors.js';
import { fc } from './support/fast-check.js';
import { fromHex, toHex, vectorWords } from './support/url-vectors.js';

const widths = [4, 8, 16, 32] as const;
const indicesOf = (bytes: Uint8Array) =>
  Uint32Array.from({ length: bytes.length / 4 }, (_, i) =>
    new DataView(bytes.buffer, bytes.byteOffset).getUint32(4 * i),
  );

test('the vectors of updates give the lists that Chromium and Mozilla make', () => {
  const vectors = vectorWords('updates.txt') as [string, string, string, string, string][];
  expect(vectors.length).toBeGreaterThan(8);
  for (const [old, removals, additions, result, sum] of vectors) {
    const list = UrlList.fromPrefixes(fromHex(old), { prefixBytes: 4 });
    const changes = {
      removals: indicesOf(fromHex(removals)),
      additions: fromHex(additions),
      ...(sum !== '' && { sha256: fromHex(sum) }),
    };
    // A Uint32Array cannot hold half an index.
    if (removals.length % 8 !== 0) continue;
    if (result === 'corrupt') {
      expectCode(() => list.update(changes), 'CORRUPT');
    } else {
      expect(toHex(list.update(changes).prefixes())).toBe(result);
    }
    expect(toHex(list.prefixes())).toBe(old);
  }
});

/** Sorted prefixes, each once. */
const prefixesOf = (width: number) =>
  fc
    .uniqueArray(fc.uint8Array({ minLength: width, maxLength: width }).map(toHex), {
      maxLength: 60,
    })
    .map((all) => all.sort());
const join = (all: readonly string[]) => fromHex(all.join(''));

test.each(widths)(
  'of prefixes of %i bytes: what a list is made of, it gives, and so after changes',
  (width) => {
    fc.assert(
      fc.property(prefixesOf(width), prefixesOf(width), (before, after) => {
        const list = UrlList.fromPrefixes(join(before), { prefixBytes: width });
        expect(list.prefixBytes).toBe(width);
        expect(toHex(list.prefixes())).toBe(before.join(''));
        const removals = before.flatMap((one, i) => (after.includes(one) ? [] : [i]));
        const additions = after.filter((one) => !before.includes(one));
        const changes = { removals: Uint32Array.from(removals), additions: join(additions) };
        const whole = UrlList.fromPrefixes(join(after), { prefixBytes: width });
        const next = list.update({ ...changes, sha256: whole.sha256 });
        expect(toHex(next.prefixes())).toBe(after.join(''));
        // Also through the wire's coding.
        if (additions.length > 0) {
          const coded = riceEncode(join(additions), (8 * width) as 32);
          expect(riceDecode(coded)).toEqual(join(additions));
        }
        expect(UrlList.fromBytes(next.toBytes()).identity).toEqual(next.identity);
      }),
    );
  },
);

test('is the list that the builder makes, but for the shapes, of which nobody knows', () => {
  const built = new UrlListBuilder().addHosts(['evil.example', 'bad.example']).build();
  const list = UrlList.fromPrefixes(built.prefixes(), { prefixBytes: 4 });
  expect(list.sha256).toEqual(built.sha256);
  expect(list.check('https://a.evil.example/x')).toBe('maybe');
  const page = hashExpression('good.example/a?b').subarray(0, 4);
  const next = list.update({ additions: page });
  expect(next.check('https://good.example/a?b')).toBe('maybe');
  expect(next.check('https://good.example/a')).toBe('safe');
  expect(list.check('https://good.example/a?b')).toBe('safe');
  // Also for a list that records its shapes.
  expect(built.update({ additions: page }).check('https://good.example/a?b')).toBe('maybe');
  expect(built.update({}).identity).toEqual(built.identity);
});

test('has the rule that it was given, as have the lists that are made of it', () => {
  const rule = { name: 'all', registrableDomain: () => null };
  const prefixes = hashExpression('a.b.c.d.e.f.example/').subarray(0, 8);
  const list = UrlList.fromPrefixes(prefixes, { prefixBytes: 8, rule });
  expect(list.rule).toBe('all');
  const next = list.update({ removals: Uint32Array.of(0) });
  expect([list, next].map((one) => one.check('https://a.b.c.d.e.f.example/'))).toEqual([
    'maybe',
    'safe',
  ]);
  expectCode(() => UrlList.fromBytes(next.toBytes()).check('https://a.example/'), 'INCOMPATIBLE');
});

test('a class of its own stays that class', () => {
  class Mine extends UrlList {}
  const list = Mine.fromPrefixes(new Uint8Array(), { prefixBytes: 4 });
  expect(list).toBeInstanceOf(Mine);
  expect(list.count).toBe(0);
  expect(list.update({ additions: Uint8Array.of(0, 0, 0, 0) })).toBeInstanceOf(Mine);
});

describe('refuses', () => {
  const two = Uint8Array.of(0, 0, 0, 1, 0, 0, 0, 2);

  test.each<[string, unknown, unknown, typeof TypeError | typeof RangeError]>([
    ['prefixes that fall', Uint8Array.of(0, 0, 0, 2, 0, 0, 0, 1), { prefixBytes: 4 }, RangeError],
    ['a prefix twice', Uint8Array.of(0, 0, 0, 2, 0, 0, 0, 2), { prefixBytes: 4 }, RangeError],
    ['half a prefix', two.subarray(1), { prefixBytes: 4 }, RangeError],
    ['a width of 5', new Uint8Array(10), { prefixBytes: 5 }, RangeError],
    ['a width of 64', new Uint8Array(64), { prefixBytes: 64 }, RangeError],
    ['no width', two, {}, TypeError],
    ['no options', two, undefined, TypeError],
    ['no bytes', [0, 0, 0, 1], { prefixBytes: 4 }, TypeError],
    ['an unknown option', two, { prefixBytes: 4, shapes: 1 }, TypeError],
    ['a rule that is none', two, { prefixBytes: 4, rule: 'labels4' }, TypeError],
  ])('%s', (_, prefixes, options, Class) => {
    expectOption(() => UrlList.fromPrefixes(prefixes as never, options as never), Class);
  });

  const list = UrlList.fromPrefixes(two, { prefixBytes: 4 });

  test.each([
    ['an index past the end', { removals: Uint32Array.of(2) }],
    ['an index twice', { removals: Uint32Array.of(0, 0) }],
    ['indices that fall', { removals: Uint32Array.of(1, 0) }],
    ['the largest index', { removals: Uint32Array.of(2 ** 32 - 1) }],
    ['an addition that is there', { additions: two.subarray(0, 4) }],
    ['one that is there and goes', { removals: Uint32Array.of(0), additions: two.subarray(0, 4) }],
    ['additions that fall', { additions: Uint8Array.of(0, 0, 0, 9, 0, 0, 0, 8) }],
    ['half an addition', { additions: Uint8Array.of(0, 0) }],
    ['another checksum', { additions: Uint8Array.of(0, 0, 0, 9), sha256: new Uint8Array(32) }],
    ['a short checksum', { sha256: list.sha256.subarray(0, 31) }],
  ])('%s', (_, changes) => {
    expectCode(() => list.update(changes), 'CORRUPT');
    expect(list.prefixes()).toEqual(two);
  });

  test('changes that are none', () => {
    for (const changes of [
      { removals: [0] },
      { additions: [0] },
      { sha256: 'x' },
      { other: 1 },
      7,
    ]) {
      expectOption(() => list.update(changes as never), TypeError);
    }
    const gone = list.clone();
    gone.dispose();
    expectCode(() => gone.update({}), 'DISPOSED');
    const foreign = UrlList.prototype.update as (this: unknown, changes: object) => unknown;
    expect(() => foreign.call({}, {})).toThrow(TypeError);
  });
});
