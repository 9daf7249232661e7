/** Lists of URLs: their bytes, look-ups by their own rule, and deltas to the next list. */
import { createHash } from 'node:crypto';

import { describe, expect, test } from '@jest/globals';
import { BloomFilter, fromBytes, fromStream } from 'tamis';
import { hashExpression, UrlDelta, UrlList, UrlListBuilder } from 'tamis/url';

import { expectCode, expectOption, rejection } from './support/errors.js';
import { leftBehind } from './support/handles.js';
import { random } from './support/keys.js';
import { smallRule as rule } from './support/suffix-rules.js';
import { toHex } from './support/url-vectors.js';

const builder = (options = {}): UrlListBuilder => new UrlListBuilder(options);
const hostsOf = (count: number, tag: string): string[] =>
  Array.from({ length: count }, (_, i) => `${tag}${i}.example`);

describe('what a list says of itself', () => {
  test.each([4, 8, 16, 32] as const)('with %d bytes an entry', (prefixBytes) => {
    const hosts = hostsOf(2000, 'h');
    const list = builder({ prefixBytes }).addHosts(hosts).build();
    const expected = hosts
      .map((host) =>
        createHash('sha256')
          .update(`${host}/`)
          .digest('hex')
          .slice(0, 2 * prefixBytes),
      )
      .sort();
    expect(toHex(list.prefixes())).toBe(expected.join(''));
    expect(list.count).toBe(2000);
    expect(list.prefixBytes).toBe(prefixBytes);
    expect(list.rule).toBe('parents');
    expect(list.seed).toBe(0n);
    expect(list.sha256).toEqual(
      new Uint8Array(createHash('sha256').update(list.prefixes()).digest()),
    );
    expect(list.check(`http://${hosts[7]}/x`)).toBe('maybe');
    list.validate();
    expect(list.toJSON()).toEqual({
      type: 'url-list',
      count: 2000,
      prefixBytes,
      rule: 'parents',
      sizeBytes: list.sizeBytes,
      content: 'not in JSON: use toBytes()',
    });
  });

  test('an empty list is one', () => {
    const list = builder().build();
    expect(list.count).toBe(0);
    expect(list.prefixes()).toHaveLength(0);
    expect(list.check('http://a.example/')).toBe('safe');
    expect(UrlList.fromBytes(list.toBytes()).toBytes()).toEqual(list.toBytes());
  });

  test('hits are expressions, with their hashes', () => {
    const list = builder().addHosts(['evil.example', 'a.evil.example']).build();
    const hits = list.hits('http://a.evil.example/x');
    expect(hits.map(({ expression }) => expression).sort()).toEqual([
      'a.evil.example/',
      'evil.example/',
    ]);
    for (const { expression, hash } of hits) expect(hash).toEqual(hashExpression(expression));
  });
});

describe('on the way', () => {
  const list = builder().addHosts(hostsOf(500, 'evil')).build();
  const bytes = list.toBytes();

  test('is the same list again', async () => {
    const stream = new Response(bytes).body as ReadableStream<Uint8Array>;
    for (const loaded of [
      UrlList.fromBytes(bytes),
      await UrlList.fromStream(stream),
      list.clone(),
    ]) {
      expect(loaded.toBytes()).toEqual(bytes);
      expect(loaded.check('http://evil7.example/')).toBe('maybe');
    }
  });

  test('every cut and flipped bit is told', () => {
    for (let size = 0; size < bytes.length; size += 1 + (size >> 4)) {
      expect(() => UrlList.fromBytes(bytes.slice(0, size))).toThrow();
    }
    for (let bit = 0; bit < 8 * bytes.length; bit += 13) {
      const damaged = bytes.slice();
      damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(() => UrlList.fromBytes(damaged)).toThrow();
    }
  });

  test('types are told apart', async () => {
    const delta = list.diff(builder().build()).toBytes();
    expectCode(() => UrlList.fromBytes(delta), 'WRONG_TYPE');
    expectCode(() => UrlDelta.fromBytes(bytes), 'WRONG_TYPE');
    expectCode(() => UrlList.fromBytes(BloomFilter.from(['a']).toBytes()), 'WRONG_TYPE');
    expectCode(() => BloomFilter.fromBytes(bytes), 'WRONG_TYPE');
    for (const some of [bytes, delta]) {
      expect(expectCode(() => fromBytes(some), 'WRONG_TYPE').message).toMatch(/tamis\/url/);
      const stream = new Response(some as Uint8Array<ArrayBuffer>)
        .body as ReadableStream<Uint8Array>;
      expect((await rejection(fromStream(stream))).code).toBe('ERR_TAMIS_WRONG_TYPE');
    }
    expectCode(() => UrlList.fromBytes(bytes, { maxBytes: 100 }), 'TOO_LARGE');
    expectCode(
      () => UrlList.fromBytes(bytes, { secret: new Uint8Array(16) } as never),
      'WRONG_KEY',
    );
  });
});

describe('the rule', () => {
  const list = builder({ rule }).addHosts(['example.co.uk', 'a.b.c.d.e.f.example']).build();
  const bytes = list.toBytes();

  test('is part of the list', () => {
    expect(list.rule).toBe('small-psl@1');
    const loaded = UrlList.fromBytes(bytes, { rule });
    for (const one of [list, loaded, loaded.clone()]) {
      expect(one.check('http://www.example.co.uk/x')).toBe('maybe');
      expect(one.check('http://other.co.uk/x')).toBe('safe');
      expect(one.checkMany(['http://www.example.co.uk/', 'http://co.uk', 'x:'])).toEqual([
        'maybe',
        'safe',
        'invalid',
      ]);
    }
  });

  test('a list refuses look-ups by another', () => {
    const unknown = UrlList.fromBytes(bytes);
    expect(unknown.toBytes()).toEqual(bytes);
    expectCode(() => unknown.check('http://www.example.co.uk/'), 'INCOMPATIBLE');
    expectCode(() => unknown.checkMany([]), 'INCOMPATIBLE');
    expectCode(() => unknown.hits('http://www.example.co.uk/'), 'INCOMPATIBLE');
    for (const other of ['parents', 'labels5', { ...rule, name: 'small-psl@2' }] as const) {
      expectCode(() => UrlList.fromBytes(bytes, { rule: other }), 'INCOMPATIBLE');
    }
    const plain = builder().build().toBytes();
    expectCode(() => UrlList.fromBytes(plain, { rule }), 'INCOMPATIBLE');
    expectCode(() => list.diff(UrlList.fromBytes(plain)), 'INCOMPATIBLE');
  });

  test('that fails is no answer', () => {
    const broken = { name: rule.name, registrableDomain: () => 'elsewhere' };
    const loaded = UrlList.fromBytes(bytes, { rule: broken });
    expectOption(() => loaded.check('http://www.example.co.uk/'), TypeError);
    expectOption(() => loaded.checkMany(['http://www.example.co.uk/']), TypeError);
  });
});

describe('deltas', () => {
  test('make each version of a history of the one before', () => {
    const next = random(9);
    let hosts = new Set(hostsOf(400, 'h'));
    let list = builder().addHosts(hosts).build();
    for (let step = 0; step < 60; step++) {
      hosts = new Set([...hosts].filter(() => next() % 40 !== 0));
      for (let i = next() % 30; i > 0; i--) hosts.add(`new${next() % 5000}.example`);
      const full = builder().addHosts(hosts).build();
      const delta = UrlDelta.fromBytes(full.diff(list).toBytes());
      const before = list.toBytes();
      const applied = list.apply(delta);
      expect(list.toBytes()).toEqual(before);
      expect(applied.toBytes()).toEqual(full.toBytes());
      expect(applied.count - list.count).toBe(delta.additions - delta.removals);
      expectCode(() => full.apply(delta), 'INCOMPATIBLE');
      list.dispose();
      list = applied;
      expect(list.check(`http://${[...hosts][0]}/`)).toBe('maybe');
    }
  });

  test('say what they are', () => {
    const older = builder().addHosts(hostsOf(10, 'a')).build();
    const newer = builder()
      .addHosts([...hostsOf(7, 'a'), ...hostsOf(2, 'b')])
      .build();
    const delta = newer.diff(older);
    expect(delta.toJSON()).toEqual({
      type: 'url-delta',
      removals: 3,
      additions: 2,
      prefixBytes: 4,
      sizeBytes: delta.sizeBytes,
      content: 'not in JSON: use toBytes()',
    });
    expect(delta.clone().toBytes()).toEqual(delta.toBytes());
    delta.validate();
  });

  test('are of lists alike', () => {
    const list = builder().build();
    expectCode(() => list.diff(builder({ prefixBytes: 8 }).build()), 'INCOMPATIBLE');
    expectOption(() => list.diff(list.toBytes() as never), TypeError);
    expectOption(() => list.apply(list as never), TypeError);
  });
});

describe('life', () => {
  test('nothing is left behind, whatever fails', async () => {
    const work = () => {
      const older = builder().addHosts(hostsOf(50, 'a')).build();
      const newer = builder().addHosts(hostsOf(60, 'a')).build({ previous: older, gate: {} });
      const delta = newer.diff(older);
      const made = [older, newer, delta, older.apply(delta), newer.clone(), delta.clone()];
      expectCode(() => newer.apply(delta), 'INCOMPATIBLE');
      expectCode(() => builder().build({ gate: { minEntries: 1 } }), 'REFUSED');
      expectCode(() => UrlList.fromBytes(newer.toBytes(), { rule }), 'INCOMPATIBLE');
      expectCode(() => UrlList.fromBytes(newer.toBytes().slice(0, -1)), 'TRUNCATED');
      for (const one of made) one.dispose();
    };
    work();
    expect(await leftBehind(work)).toBe(0);
  });

  test('after dispose nothing answers', () => {
    const list = builder().addHosts(['a.example']).build();
    const other = list.clone();
    const delta = list.diff(other);
    list.dispose();
    list.dispose();
    for (const act of [
      () => list.check('http://a.example/'),
      () => list.checkMany(['http://a.example/']),
      () => list.hits('http://a.example/'),
      () => list.count,
      () => list.sha256,
      () => list.prefixes(),
      () => list.toBytes(),
      () => list.clone(),
      () => list.validate(),
      () => list.apply(delta),
      () => list.diff(other),
      () => other.diff(list),
    ]) {
      expectCode(act, 'DISPOSED');
    }
    delta.dispose();
    expectCode(() => other.apply(delta), 'DISPOSED');
  });

  test('none is made by new', () => {
    expectOption(() => new UrlList(undefined as never), TypeError);
    expectOption(() => new UrlDelta({} as never), TypeError);
  });
});
