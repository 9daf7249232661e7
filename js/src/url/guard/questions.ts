// Asks the confirm servers of several lists about one URL in parallel, until the verdict is certain.

import { copyOwn } from '../../core/options.js';
import { onAbort } from '../../core/requests.js';
import { hexOf } from '../../core/signed/bytes.js';
import type { ListKeeper } from '../client/list-keeper.js';
import type { SourceMember } from './guard-options.js';
import {
  actions,
  countedOf,
  type Decisions,
  type Finding,
  inState,
  isFinal,
  type ListRole,
} from './policy.js';

/** A list of a guard: a source keeps it up to date, or a keeper, which the guard opens and closes. */
export type Member =
  | SourceMember
  | { readonly role: ListRole; readonly keeper: ListKeeper; readonly source: undefined };

async function askSource(
  url: string,
  { role, source }: SourceMember,
  signal: AbortSignal,
): Promise<Finding> {
  // A source may only listen for an abort, and would miss an abort that has already happened.
  signal.throwIfAborted();
  const answer = copyOwn(await source.verify(url, { signal }));
  const { verdict, from, expression, threats } = answer;
  if (verdict === 'unsafe') {
    // An unknown action would outrank the actions of all lists.
    const action = actions.find((one) => one === answer.action) ?? role.action;
    const details = { ...(expression && { expression }), ...(threats && { threats }) };
    return { role: { ...role, action }, state: 'listed', from, ...details };
  }
  // Any other value is no verdict, and clears nothing.
  const isCleared = verdict === 'safe' || verdict === 'invalid';
  return { role, state: isCleared ? 'cleared' : 'unknown', from };
}

/** Gets the finding of a list. Rejects if its server gives no valid answer. */
async function ask(url: string, member: Member, signal: AbortSignal): Promise<Finding> {
  if (member.source !== undefined) return askSource(url, member, signal);
  const { role, keeper } = member;
  for (;;) {
    try {
      const { usable } = keeper;
      if (usable === undefined) return { role, state: 'missing' };
      const hits = usable.list.hits(url);
      // The URL did hit before, but the host rule or a new list answers differently now.
      if (hits.length === 0) return { role, state: 'unknown', from: 'list' };
      const { listed, from } = await keeper.settleHits(hits, usable, signal);
      const hit = hits.find(({ hash }) => hexOf(hash) === listed);
      return hit
        ? { role, state: 'listed', from, expression: hit.expression }
        : { role, state: 'cleared', from };
    } catch (cause) {
      // A shared request ends if its first caller leaves. This caller still waits, so it asks again.
      const isEndedByOther = Object(cause).name === 'AbortError' && !signal.aborted;
      if (!isEndedByOther) throw cause;
    }
  }
}

/**
 * Asks all lists with a hit that counts. `before` contains the finding of each of `members`. Lists without a server
 * come first, because they need no request. Resolves to the findings, and to the error of the first list that failed.
 * If a list was no longer needed, its finding stays 'hit'. Rejects with the reason of one of `signals` that aborted.
 */
export async function askLists(
  url: string,
  members: readonly Member[],
  before: readonly Finding[],
  decisions: Decisions,
  signals: readonly (AbortSignal | undefined)[],
): Promise<{ findings: readonly Finding[]; cause?: unknown }> {
  const findings = [...before];
  /** The indices of the lists to ask. */
  const asked = inState(countedOf(findings, decisions), 'hit').map((one) => findings.indexOf(one));
  const needsNoServer = (i: number) => members[i]?.keeper?.config.confirm === null;
  const controller = new AbortController();
  const { signal: ended } = controller;
  const endRequests = () => controller.abort();
  const ignoreAborts = signals.map((signal) => signal && onAbort(signal, endRequests));
  let cause: unknown;

  /** Asks a list, and puts its finding into `findings`. */
  const settle = async (i: number): Promise<Finding> => {
    const member = members[i] as Member;
    try {
      findings[i] = await ask(url, member, ended);
    } catch (error) {
      cause ??= error;
      findings[i] = { role: member.role, state: 'unknown', from: 'server' };
    }
    return findings[i];
  };
  /** Waits until one answer makes the verdict certain, all answers are there, or the caller aborts. */
  const settleUntilFinal = (some: readonly number[]) =>
    new Promise<unknown>((resolve) => {
      onAbort(ended, () => resolve(false));
      const settling = some.map(async (i) => isFinal(await settle(i)) && resolve(true));
      Promise.all(settling).then(resolve);
    });

  try {
    const local = await Promise.all(asked.filter(needsNoServer).map(settle));
    if (!local.some(isFinal)) await settleUntilFinal(asked.filter((i) => !needsNoServer(i)));
    for (const signal of signals) signal?.throwIfAborted();
    // A copy, because requests that end later still write into `findings`.
    return { findings: [...findings], cause };
  } finally {
    for (const ignoreAbort of ignoreAborts) ignoreAbort?.();
    endRequests();
  }
}
