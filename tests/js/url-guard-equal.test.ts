/** A UrlGuard returns the same answers as several UrlCheckers, for any URL and any lists. */
import { expect, test } from '@jest/globals';
import { type CheckerAnswer, UrlListBuilder } from 'tamis/url';
import { budget } from './support/budget.js';
import { wholeRule } from './support/suffix-rules.js';
import { common, network, openChecker, openGuard } from './support/url-guard.js';

/** Each shape of an expression, several, none; each width; hosts that only the parser reads. */
const entries: readonly (readonly string[])[] = [
  ['b.example/', 'a.b.c.d.e.example/', 'b.c.d.e.a.example/'],
  ['a.example/x/'],
  ['a.example/x/y/', 'a.example/x', 'b.c.d.e.g.example/y'],
  ['a.example/x/y/z/'],
  ['a.example/x/y/z/w', 'b.example/x'],
  ['a.example/x?y', 'a.example/x/y/z?a/b/'],
  [],
  ['127.0.0.1/', 'xn--bcher-kva.example/', 'a.example/', 'd.c.b.a.d.e.b.example/'],
];
const widths = [4, 8, 16, 32] as const;

const pieces = [
  ...['http://', 'https://', 'HTTP:', 'ftp://', 'mailto:', 'a.example', 'b.example', 'A.example'],
  ...['c.', 'd.', 'e.', '.', '/', '/x', '/y', '/z', '/w', '/a/b/', '?y', '?a/b/', '?', '#', '@'],
  ...['\\', '%2f', '%', ' ', '127.1', 'b\u00fccher.example', 'xn--', '\ud800', '..', ':80'],
];

/** Reproducible random numbers below `below`. */
function dice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Half of them are plain, like most URLs. */
function someUrl(roll: (below: number) => number): string {
  const pick = <T>(all: readonly T[]): T => all[roll(all.length)] as T;
  if (roll(2) === 0) return Array.from({ length: roll(8) }, () => pick(pieces)).join('');
  const host = `${pick(['', 'c.', 'd.', 'a.b.c.d.e.', 'd.c.b.a.d.e.'])}${pick(['a', 'b', 'g', `h${roll(999)}`])}.example`;
  const path = Array.from({ length: roll(5) }, () => pick(['/x', '/y', '/z', '/w'])).join('');
  return `${pick(['http', 'https'])}://${host}${path}${pick(['', '/', '?y', '?a/b/'])}`;
}

/** The guard's expected answer, from the answers of the single lists. */
function together(answers: readonly CheckerAnswer[]): CheckerAnswer {
  for (const answer of ['maybe', 'unknown', 'invalid'] as const) {
    if (answers.includes(answer)) return answer;
  }
  return 'safe';
}

test.each([
  ['of one rule', undefined, undefined],
  ['of two rules', wholeRule, undefined],
  ['of two rules that share a look-up', 'labels5', undefined],
  ['of which one is missing', undefined, 3],
] as const)('%s', async (_, other, missing) => {
  const count = budget(100_000, 400);
  const { hosts, fetch } = network(entries.length);
  for (const [i, host] of hosts.entries()) {
    const prefixBytes = widths[i % 4] ?? 4;
    // More entries, so that 4-byte prefixes have neighbours.
    const some = [
      ...(entries[i] ?? []),
      ...Array.from({ length: 50 }, (_, k) => `f${i}-${k}.test/`),
    ];
    if (i % 3 === 0) {
      const ofRule = other && { rule: other };
      const list = new UrlListBuilder({ prefixBytes, ...ofRule }).addExpressions(some).build();
      await host.publishBuilt(list);
    } else await host.publish(entries[i] ?? [], { prefixBytes });
    if (i === missing) host.instead.manifest = () => new Response(null, { status: 404 });
  }
  const lists = Object.fromEntries(
    hosts.map((host, i) => [
      host.name,
      host.as('note', i % 3 === 0 && other ? { rule: other } : {}),
    ]),
  );
  const guard = await openGuard({ ...common(fetch), lists });
  const checkers = await Promise.all(
    Object.values(lists).map(({ action: _, manifest, ...list }) =>
      openChecker(manifest, { ...common(fetch), ...list }),
    ),
  );
  const roll = dice(count + (missing ?? 0));
  const urls = Array.from({ length: count }, () => someUrl(roll));
  const each = checkers.map((checker) => checker.checkMany(urls));
  const seen = { safe: 0, maybe: 0, invalid: 0, unknown: 0 };
  const wrong = guard.checkMany(urls).flatMap(({ answer, lists: named }, at) => {
    const answers = each.map((all) => all[at] as CheckerAnswer);
    const hits = hosts.filter((_, i) => answers[i] === 'maybe').map(({ name }) => name);
    seen[answer]++;
    const isRight = answer === together(answers) && named.join() === hits.join();
    return isRight ? [] : [{ url: urls[at], answer, named, answers }];
  });
  expect(wrong).toEqual([]);
  // None of the answers is rare.
  expect(
    Math.min(seen.maybe, seen.invalid, missing === undefined ? seen.safe : seen.unknown),
  ).toBeGreaterThan(count / 100);
});
