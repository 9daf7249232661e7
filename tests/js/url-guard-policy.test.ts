/** The precedence of lists, overrides and `allow`: every state of four lists against a model. */
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { createConfirmHandler, hashExpression, UrlListBuilder } from 'tamis/url';

import { isLong } from './support/budget.js';
import { common, type ListHost, network, openGuard } from './support/url-guard.js';

const states = ['missing', 'clear', 'listed', 'cleared', 'unknown'] as const;
type State = (typeof states)[number];
const owns = ['none', 'allow', 'block'] as const;
type Own = (typeof owns)[number];
interface Role {
  readonly action: 'block' | 'warn' | 'note';
  readonly canOverride: boolean;
  readonly isOptional: boolean;
}
interface Case {
  readonly states: readonly State[];
  readonly own: Own;
  readonly isAllowed: boolean;
}

const count = 4;
const combinations: readonly (readonly State[])[] = Array.from(
  { length: states.length ** count },
  (_, code) =>
    Array.from({ length: count }, (_, i) => {
      return states[Math.floor(code / states.length ** i) % states.length] as State;
    }),
);

const hostOf = ({ states, own, isAllowed }: Case): string =>
  `${states.join('-')}.${isAllowed ? 'good' : 'bad'}.${own}.example`;

const cases: readonly Case[] = combinations.flatMap((states) =>
  owns.flatMap((own) => [true, false].map((isAllowed) => ({ states, own, isAllowed }))),
);

/** Roles of the four lists, chosen so that each rule of the table has a case. */
const role = (action: Role['action'], canOverride = true, isOptional = false): Role => ({
  action,
  canOverride,
  isOptional,
});
const roles: readonly (readonly Role[])[] = [
  [role('block'), role('warn'), role('note'), role('block')],
  [role('note', false), role('block', true, true), role('warn', false, true), role('warn')],
  [role('block', false), role('block'), role('note', true, true), role('note')],
  [
    role('warn', true, true),
    role('warn', false, true),
    role('block', true, true),
    role('note', false, true),
  ],
];

/** The expected verdict: a model in the words of the guide. */
function model({ states, own, isAllowed }: Case, roles: readonly Role[]) {
  const all = states.map((state, i) => ({ name: `l${i}`, state, ...(roles[i] as Role) }));
  const isHit = (state: State) => ['listed', 'cleared', 'unknown'].includes(state);
  const hits = all.filter(({ state }) => isHit(state));
  const isGone = ({ state }: { state: State }) => state === 'missing';
  const lacks = all.every(isGone) || all.some((one) => isGone(one) && !one.isOptional);
  const isOpen = hits.length > 0 && (own === 'allow' || isAllowed);
  const counted = isOpen ? hits.filter(({ canOverride }) => !canOverride) : hits;
  const answer = own === 'block' || counted.length > 0 ? 'maybe' : lacks ? 'unknown' : 'safe';

  const strict = ['block', 'warn', 'note'];
  const listed = counted
    .filter(({ state }) => state === 'listed')
    .sort(
      (a, b) =>
        strict.indexOf(a.action) - strict.indexOf(b.action) ||
        Number(a.canOverride) - Number(b.canOverride) ||
        a.name.localeCompare(b.name),
    );
  const isUnknown = counted.some(({ state }) => state === 'unknown');
  let verdict: string;
  let action = 'none';
  let lists: string[] | undefined;
  if (own === 'block') {
    verdict = 'unsafe';
    action = 'block';
  } else if (listed.length > 0) {
    verdict = 'unsafe';
    action = listed[0]?.action ?? '';
    // Timing decides which 'block' is certain first, so any of equal rank may be named.
    lists = listed.filter((one) => one.action === action).map(({ name }) => name);
  } else {
    verdict = isUnknown || lacks ? 'unknown' : 'safe';
  }
  const gone = all.filter(isGone).map(({ name }) => name);
  return {
    answer,
    hits: hits.map(({ name }) => name),
    gone,
    verdict,
    action,
    lists,
    listed,
    isOpen,
  };
}

/** The confirm server's answers, by each host's state. */
async function serve(host: ListHost, i: number): Promise<void> {
  const inState = (state: State) =>
    cases.filter((one) => one.states[i] === state).map((one) => `${hostOf(one)}/`);
  await host.publish([...inState('listed'), ...inState('cleared'), ...inState('unknown')]);
  const confirmed = new UrlListBuilder().addExpressions(inState('listed'));
  const handle = createConfirmHandler(confirmed.fullHashes, {
    cacheSeconds: 100,
    negativeSeconds: 100,
  });
  const prefix = (bytes: Uint8Array) => Buffer.from(bytes.subarray(0, 4)).toString('hex');
  const dead = new Set(inState('unknown').map((one) => prefix(hashExpression(one))));
  host.instead.confirm = async (request) => {
    const body = new Uint8Array(await request.clone().arrayBuffer());
    for (let at = 0; at < body.length; at += 4) {
      if (dead.has(prefix(body.subarray(at)))) return new Response(null, { status: 503 });
    }
    return handle(request);
  };
}

describe.each(roles.map((some, i) => [i, some] as const))('with roles %i', (turn, roles) => {
  test('all cases are as the table says', async () => {
    const { hosts, fetch } = network(count);
    await Promise.all(hosts.map(serve));
    // In npm test each set of roles has one half of them.
    for (let mask = isLong ? 0 : turn % 2; mask < 2 ** count; mask += isLong ? 1 : 2) {
      const isMissing = (i: number) => ((mask >> i) & 1) === 1;
      for (const [i, host] of hosts.entries()) {
        if (isMissing(i)) host.instead.manifest = () => new Response(null, { status: 503 });
        else delete host.instead.manifest;
      }
      const lists = Object.fromEntries(
        hosts.map((host, i) => {
          const { action, ...more } = roles[i] as Role;
          return [host.name, host.as(action, { ...more, confirm: host.confirmUrl })];
        }),
      );
      const allow = { has: (host: string) => host.includes('.good.') };
      const guard = await openGuard({ ...common(fetch, { allow }), lists });
      for (const verdict of ['allow', 'block'] as const) {
        await guard.overrides.add({ url: `${verdict}.example`, scope: 'site', verdict });
      }
      const own = cases.filter(({ states }) =>
        states.every((state, i) => (state === 'missing') === isMissing(i)),
      );
      for (const [at, one] of own.entries()) {
        const url = `https://${hostOf(one)}/x`;
        const expected = model(one, roles);
        const { answer, hits, gone } = expected;
        const told = guard.check(url);
        const right = { answer, lists: hits, missing: gone };
        if (!isDeepStrictEqual(told, right)) expect({ url, ...told }).toEqual({ url, ...right });
        // Checks are fast, but requests are slow.
        if (!isLong && at % 20 !== mask % 20) continue;
        const found = await guard.verify(url);
        const { verdict, action } = expected;
        expect({ url, verdict: found.verdict, action: found.action }).toEqual({
          url,
          verdict,
          action,
        });
        if (expected.lists === undefined) expect(found.name).toBeUndefined();
        else expect(expected.lists).toContain(found.name);
        if (action !== 'block' && expected.lists) {
          expect([found.name, ...found.also]).toEqual(expected.listed.map(({ name }) => name));
          expect(found.expression).toBe(`${hostOf(one)}/`);
        }
        if (one.own === 'block') expect(found.from).toBe('override');
        else if (verdict === 'safe' && expected.isOpen) {
          expect(found.from).toBe(one.own === 'allow' ? 'override' : 'allow');
        }
        for (const name of gone) expect(found.missing).toContain(name);
      }
      guard.close();
    }
  });
});
