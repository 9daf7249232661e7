/** checkHost, and the cache of hosts that are not listed. */
import { describe, expect, test } from '@jest/globals';
import { type ListAnswer, UrlChecker, UrlList, UrlListBuilder } from 'tamis/url';
import { budget } from './support/budget.js';
import { fc } from './support/fast-check.js';
import { closeAll, openFor, Publisher } from './support/url-publisher.js';

const list = new UrlListBuilder()
  .addHosts(['evil.example', '192.0.2.1', '[2001:db8::1]', 'b\u00fccher.example', 'a_b.example'])
  .addHosts(['stra\u00dfe.example'])
  .addUrls(['https://good.example/~eve'])
  .build();

const label63 = 'a'.repeat(63);
/** 253 characters. */
const longest = `${label63}.${label63}.${label63}.${'b'.repeat(61)}`;

const rows: readonly (readonly [host: string, answer: ListAnswer])[] = [
  ['evil.example', 'maybe'],
  ['EVIL.example.', 'maybe'],
  ['_dmarc.evil.example', 'maybe'],
  ['a.b.evil.example', 'maybe'],
  ['a_b.example', 'maybe'],
  ['notevil.example', 'safe'],
  ['evil.example.org', 'safe'],
  ['example', 'safe'],
  ['localhost', 'safe'],
  // A page of it is listed, but not the host.
  ['good.example', 'safe'],
  ['192.0.2.1', 'maybe'],
  ['192.0.2.1.', 'maybe'],
  ['192.0.2.2', 'safe'],
  ['2001:db8::1', 'maybe'],
  ['[2001:DB8:0::1]', 'maybe'],
  ['2001:db8::2', 'safe'],
  ['::ffff:192.0.2.1', 'maybe'],
  ['xn--bcher-kva.example', 'maybe'],
  ['b\u00fccher.example', 'maybe'],
  ['b\u00fccher.example.', 'maybe'],
  // Browsers map the capital sharp s to the small one; some parsers map it to ss.
  ['STRA\u1e9eE.example', 'maybe'],
  [label63, 'safe'],
  [longest, 'safe'],
  [`${longest}.`, 'safe'],
  ['', 'invalid'],
  ['.', 'invalid'],
  ['evil.example..', 'invalid'],
  ['evil..example', 'invalid'],
  ['.evil.example', 'invalid'],
  ['evil.example:443', 'invalid'],
  ['192.0.2.1:80', 'invalid'],
  ['[2001:db8::1]:80', 'invalid'],
  ['[2001:db8::1', 'invalid'],
  ['fe80::1%eth0', 'invalid'],
  ['evil.example/', 'invalid'],
  ['https://evil.example', 'invalid'],
  ['eve@evil.example', 'invalid'],
  ['evil.example?x', 'invalid'],
  ['evil.example#x', 'invalid'],
  ['evil.example\\x', 'invalid'],
  ['evil%2eexample', 'invalid'],
  [' evil.example', 'invalid'],
  ['evil.example\n', 'invalid'],
  ['evil\0.example', 'invalid'],
  ['ev\ud800il.example', 'invalid'],
  ['1.2.3.256', 'invalid'],
  ['256.256.256.256', 'invalid'],
  [`${label63}a.example`, 'invalid'],
  [`${longest}b`, 'invalid'],
  ['a.'.repeat(2 ** 20), 'invalid'],
];

test.each(rows)('checkHost(%j) is %s', (host, answer) => {
  expect(list.checkHost(host)).toBe(answer);
  // The second check finds an unlisted host in the cache.
  expect(list.checkHost(host)).toBe(answer);
});

test('checkHosts is checkHost of each, and names the index of what is no string', () => {
  expect(list.checkHosts(rows.map(([host]) => host))).toEqual(rows.map(([, answer]) => answer));
  const twoAndNone = ['a.example', 'b.example', 7 as never];
  expect(() => list.checkHosts(twoAndNone)).toThrow(expect.objectContaining({ index: 2 }));
  expect(() => list.checkHost(undefined as never)).toThrow(TypeError);
  expect(() => list.checkHosts(5 as never)).toThrow(TypeError);
});

test('a host says what its first page says, in a list of hosts', () => {
  const hosts = new UrlListBuilder().addHosts(['evil.example', 'c.d.example', '127.0.0.1']).build();
  const label = fc.constantFrom('evil', 'example', 'c', 'd', 'A', 'a-b', '_x', '127', '0', '1');
  const names = fc.array(label, { minLength: 1, maxLength: 7 }).map((labels) => labels.join('.'));
  const property = fc.property(names, (name) => {
    const page = `http://${name}/`;
    // A name that ends in a number is no host. But browsers may open it, so a page of it may be listed.
    expect(hosts.checkHost(name)).toBe(URL.canParse(page) ? hosts.check(page) : 'invalid');
  });
  fc.assert(property, { numRuns: budget(50_000, 1000) });
});

test('by a rule of public suffixes too', () => {
  const rule = {
    name: 'last two',
    registrableDomain: (host: string) => host.split('.').slice(-2).join('.'),
  };
  const some = new UrlListBuilder({ rule }).addHosts(['evil.example']).build();
  const loaded = UrlList.fromBytes(some.toBytes(), { rule });
  const hosts = ['a.b.evil.example', 'good.example', 'evil.example:1'];
  expect(loaded.checkHosts(hosts)).toEqual(['maybe', 'safe', 'invalid']);
  const nameless = UrlList.fromBytes(some.toBytes());
  expect(() => nameless.checkHost('good.example')).toThrow(
    expect.objectContaining({ code: 'ERR_TAMIS_INCOMPATIBLE' }),
  );
});

describe('hosts that are not listed', () => {
  const other = new UrlListBuilder().addHosts(['good.example']).build();

  test('are remembered of one list alone', () => {
    const hosts = new UrlListBuilder().addHosts(['evil.example']).build();
    for (let round = 0; round < 3; round++) {
      expect(hosts.check('http://good.example/')).toBe('safe');
      expect(other.check('http://good.example/')).toBe('maybe');
      expect(other.checkHost('evil.example')).toBe('safe');
      expect(hosts.checkHost('evil.example')).toBe('maybe');
    }
    hosts.dispose();
    expect(() => hosts.check('http://good.example/')).toThrow();
    // The next list may reuse the memory.
    const next = new UrlListBuilder().addHosts(['good.example']).build();
    expect(next.check('http://good.example/')).toBe('maybe');
  });

  test('stand in no way of a listed one, however many share a place', () => {
    const count = budget(1_000_000, 20_000);
    const listed = Array.from({ length: 100 }, (_, i) => `h${i * 499}.example`);
    const isListed = new Set(listed);
    const some = new UrlListBuilder({ prefixBytes: 32 }).addHosts(listed).build();
    const names = Array.from({ length: count }, (_, i) => `h${i}.example`);
    const expected = names.map((name) => (isListed.has(name) ? 'maybe' : 'safe'));
    const urls = names.map((name) => `https://${name}/`);
    expect(some.checkMany(urls)).toEqual(expected);
    expect(urls.map((url) => some.check(url))).toEqual(expected);
    expect(some.checkHosts(names)).toEqual(expected);
  });

  test('of more bytes than are remembered are looked up', () => {
    for (const length of [54, 55, 56, 200]) {
      const name = `${'a'.repeat(30)}.${'b'.repeat(length)}`
        .slice(0, length - 8)
        .concat('.example');
      const some = new UrlListBuilder().addHosts([name]).build();
      const good = name.replace('a', 'c');
      for (let round = 0; round < 2; round++) {
        expect(some.check(`http://${good}/`)).toBe('safe');
        expect(some.check(`http://${name}/`)).toBe('maybe');
      }
    }
  });
});

test('a UrlChecker has it, with its good hosts and without a list', async () => {
  const publisher = await Publisher.with(['evil.example', '2001:db8::1'.replace(/.*/, '[$&]')]);
  const allow = new Set(['mine.evil.example', '[2001:db8::1]']);
  const checker = await openFor(publisher, { allow });
  const hosts = ['a.evil.example', 'MINE.evil.example.', '2001:db8::1', 'good.example', 'a:1'];
  const answers = ['maybe', 'safe', 'safe', 'safe', 'invalid'];
  expect(hosts.map((host) => checker.checkHost(host))).toEqual(answers);
  expect(checker.checkHosts(hosts)).toEqual(answers);
  publisher.instead.set('manifest.json', () => new Response(null, { status: 503 }));
  const without = await openFor(publisher, { allow });
  expect(without.checkHosts(hosts)).toEqual([...Array(4).fill('unknown'), 'invalid']);
  const thrower = await openFor(publisher, { whenMissing: 'throw' });
  expect(() => thrower.checkHost('good.example')).toThrow(
    expect.objectContaining({ code: 'ERR_TAMIS_UNAVAILABLE' }),
  );
  expect(checker).toBeInstanceOf(UrlChecker);
  closeAll();
  expect(() => checker.checkHost('good.example')).toThrow(
    expect.objectContaining({ code: 'ERR_TAMIS_DISPOSED' }),
  );
});
