/** The rule 'parents': a listed host covers all hosts below it, at any depth. */
import { describe, expect, test } from '@jest/globals';
import {
  expressions,
  type HostRule,
  type UrlCheckerOptions,
  UrlDelta,
  UrlList,
  UrlListBuilder,
} from 'tamis/url';
import { budget, seed } from './support/budget.js';
import { fc } from './support/fast-check.js';
import { common, type ListHost, network, openChecker } from './support/url-guard.js';
import { TestStorage } from './support/url-publisher.js';

/** A host of so many labels. */
const hostOf = (labels: number): string =>
  Array.from({ length: labels }, (_, i) => 'abcdefghijk'[i % 11]).join('.');

const everyShape = ['', 'a/', 'a/b/', 'a/b/c/', 'p', 'p?q'].map((path) => `shapes.test/${path}`);

const builderOf = (entries: readonly string[], rule: HostRule = 'parents') =>
  new UrlListBuilder({ prefixBytes: 8, rule }).addExpressions(entries);

/** The list of these expressions, made in each way. */
function listsOf(entries: readonly string[]): Record<string, UrlList> {
  const builder = builderOf(entries);
  const list = builder.build();
  const nothing = builderOf([]).build();
  const delta = UrlDelta.fromBytes(list.diff(nothing).toBytes());
  const whole = UrlList.fromPrefixes(builder.fullHashes, { prefixBytes: 32 });
  return {
    list,
    read: UrlList.fromBytes(list.toBytes()),
    updated: nothing.apply(delta),
    'of all shapes': builderOf([...entries, ...everyShape]).build(),
    'of prefixes': whole,
    'without its first prefix': whole
      .update({ additions: new Uint8Array(32) })
      .update({ removals: Uint32Array.of(0) }),
  };
}

/** The answer of each look-up. */
function answerOf(list: UrlList, url: string): string {
  const answer = list.check(url);
  expect(list.checkMany(['http://good.test/', url])).toEqual(['safe', answer]);
  // The parser reads this one.
  expect(list.check(url.replace('http:', 'HTTP:'))).toBe(answer);
  expect(list.hits(url).length > 0).toBe(answer === 'maybe');
  return answer;
}

describe.each([2, 5, 6, 7, 8, 20, 126])('a host of %i labels', (labels) => {
  const host = hostOf(labels);
  const [, ...rest] = host.split('.');
  const beside = ['beside', ...rest].join('.');
  const lists = Object.entries(listsOf([`${host}/`]));

  test.each(lists)('covers hosts below it: %s', (_, list) => {
    for (const below of [host, `x.${host}`, ...(labels < 126 ? [`v.w.x.y.z.${host}`] : [])]) {
      expect(answerOf(list, `http://${below}/`)).toBe('maybe');
      expect(answerOf(list, `http://${below}/p?q`)).toBe('maybe');
      expect(list.checkHost(below)).toBe('maybe');
      expect(list.hits(`http://${below}/p`).map(({ expression }) => expression)).toEqual([
        `${host}/`,
      ]);
    }
    for (const other of [beside, `x.${beside}`, ...(labels > 2 ? [rest.join('.')] : [])]) {
      expect(answerOf(list, `http://${other}/`)).toBe('safe');
    }
  });

  test('of which a page is listed', () => {
    for (const list of Object.values(listsOf([`${host}/x/y?z`]))) {
      expect(answerOf(list, `http://x.${host}/x/y?z`)).toBe('maybe');
      expect(answerOf(list, `http://x.${host}/x/y`)).toBe('safe');
    }
  });

  test('is one entry, and some share a mark', () => {
    const builder = builderOf([`${host}/`, `${beside}/`]);
    expect(builder.count).toBe(2);
    expect(builder.fullHashes).toHaveLength(64);
    expect(builder.build().count).toBe(labels < 6 ? 2 : 3);
    expect(builderOf([`${host}/`], 'labels5').build().count).toBe(1);
    expect(builderOf([`${host}/`, ...everyShape]).build().count).toBe(7);
  });

  test('covers by labels5 what it covered', () => {
    const list = builderOf([`${host}/`], 'labels5').build();
    expect(answerOf(list, `http://${host}/`)).toBe('maybe');
    expect(answerOf(list, `http://x.${host}/`)).toBe(labels < 6 ? 'maybe' : 'safe');
  });
});

/** The host, and its parents of two labels or more. */
const parentsOf = (host: string): string[] => {
  const labels = host.split('.');
  const all = labels.map((_, i) => labels.slice(i).join('.'));
  return all.length < 2 ? all : all.slice(0, -1);
};

test('a URL is listed exactly if its host, or a parent of it, is', () => {
  const name = fc
    .array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 14 })
    .map((labels) => `${labels.join('.')}.test`);
  const path = fc.constantFrom('', 'x/', 'x/y/', 'x/y?z');
  const entry = fc.tuple(name, path).map((parts) => parts.join('/'));
  fc.assert(
    fc.property(
      fc.array(entry, { minLength: 1, maxLength: 8 }),
      fc.array(name, { minLength: 3, maxLength: 3 }),
      (entries, others) => {
        const below = entries.map((one) => `b.a.${one.slice(0, one.indexOf('/'))}`);
        const folders = ['', 'x/', 'x/y', 'x/y?z'];
        for (const list of Object.values(listsOf(entries))) {
          for (const host of [...below, ...others]) {
            const found = parentsOf(host).some((parent) =>
              folders.some((folder) => entries.includes(`${parent}/${folder}`)),
            );
            expect([host, answerOf(list, `http://${host}/x/y?z`)]).toEqual([
              host,
              found ? 'maybe' : 'safe',
            ]);
          }
          list.dispose();
        }
      },
    ),
    { numRuns: budget(2000, 40), seed },
  );
});

describe('expressions', () => {
  test('are those of the host and each parent', () => {
    const hosts = (url: string) => expressions(url).map((one) => one.slice(0, -1));
    expect(hosts('http://localhost/')).toEqual(['localhost']);
    expect(hosts('http://1.2.3.4/')).toEqual(['1.2.3.4']);
    expect(hosts('http://[1::2]/')).toEqual(['[1::2]']);
    for (const labels of [2, 3, 5, 6, 7, 10, 11, 12, 127]) {
      const host = hostOf(labels);
      expect(hosts(`http://${host}/`)[0]).toBe(host);
      expect(hosts(`http://${host}/`).sort()).toEqual(parentsOf(host).sort());
    }
    const six = hostOf(7);
    expect(expressions(`http://${six}/1/2/3/4/5/6?q`)).toHaveLength(6 * 6);
  });

  test('have a bound where DNS has one', () => {
    // Each label beyond the fifth makes the host two characters longer.
    const long = `${'a.'.repeat(100_000)}b.example`;
    const parents = expressions(`http://${long}/`);
    expect(parents[0]).toBe(`${long}/`);
    expect(Math.max(...parents.slice(1).map((one) => one.length - 1))).toBe(253);
    expect(parents).toHaveLength(1 + (253 - 'example'.length) / 2);
    const listed = `${'a.'.repeat(122)}b.example`;
    const longer = `a.${listed}`;
    expect([listed.length, longer.length]).toEqual([253, 255]);
    for (const list of Object.values(listsOf([`${listed}/`]))) {
      expect(answerOf(list, `http://${long}/`)).toBe('maybe');
    }
    for (const list of Object.values(listsOf([`${longer}/`]))) {
      expect(answerOf(list, `http://${longer}/`)).toBe('maybe');
      expect(answerOf(list, `http://${long}/`)).toBe('safe');
    }
    // By the fifth label all is as by labels5.
    const wide = `${'w'.repeat(300)}.example`;
    expect(expressions(`http://a.${wide}/`)).toEqual([`a.${wide}/`, `${wide}/`]);
  });
});

test.each(['parents', 'labels5'] as const)(
  'a client takes the rule of a manifest by %s, unless its option has another',
  async (rule) => {
    const { hosts, fetch } = network(1);
    const [publisher] = hosts;
    const host = hostOf(6);
    await publisher?.publishBuilt(builderOf([`${host}/`], rule).build());
    const storage = new TestStorage();
    const { action: _, manifest, ...list } = (publisher as ListHost).as('note');
    const open = (more: Partial<UrlCheckerOptions>) =>
      openChecker(manifest, { ...common(fetch), ...list, storage, ...more });
    for (const source of ['network', 'storage']) {
      for (const more of source === 'network' ? [{}] : [{}, { rule }]) {
        const checker = await open(more);
        expect(checker.status).toMatchObject({ source, error: undefined });
        const answer = rule === 'parents' ? 'maybe' : 'safe';
        expect(checker.checkMany([`http://${host}/`, `http://x.${host}/`])).toEqual([
          'maybe',
          answer,
        ]);
      }
    }
    const other = rule === 'parents' ? 'labels5' : 'parents';
    const refused = await open({ rule: other });
    expect(refused.status).toMatchObject({
      source: 'none',
      error: {
        code: 'ERR_TAMIS_INCOMPATIBLE',
        message: `the manifest is for the rule '${rule}', not for '${other}'`,
      },
    });
  },
);
