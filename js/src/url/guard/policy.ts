// The policy of several lists: pure functions that turn the lists' findings into one answer.
//
//   1  the user's 'block'                       blocks, whatever rows 2 to 4 say
//   2  a list with `canOverride: false`         counts, whatever row 3 says
//   3  the user's 'allow', the option `allow`   cancel all other lists
//   4  all other lists                          count
//
// Among the lists that count and contain the URL, the strictest action wins: 'block', 'warn', 'note'. For the same
// action, a list with `canOverride: false` comes first, then the order of the options decides. If no list contains the
// URL, it is 'safe' only if no required list is missing.

import { copyOwn } from '../../core/options.js';
import type { Verification } from '../client/url-checker.js';

/** The action for a URL on a list. The strictest action comes first. */
export type ListAction = 'block' | 'warn' | 'note';
export const actions: readonly ListAction[] = ['block', 'warn', 'note'];

export interface ListRole {
  readonly name: string;
  readonly action: ListAction;
  readonly canOverride: boolean;
  readonly isOptional: boolean;
}

export interface Finding {
  readonly role: ListRole;
  /**
   * 'missing': there is no list. 'clear': no hit. 'hit': a hit that is not confirmed yet. A confirmed hit is 'listed'
   * or 'cleared', or 'unknown' if no valid answer came.
   */
  readonly state: 'missing' | 'clear' | 'hit' | 'listed' | 'cleared' | 'unknown';
  readonly from?: Verification['from'];
  readonly expression?: string;
  /** The threats, if a source names them. */
  readonly threats?: readonly string[];
}

/** The decisions of the user and the program about the URL. */
export interface Decisions {
  readonly override: 'allow' | 'block' | undefined;
  /** True if the option `allow` contains the URL's host. */
  readonly isAllowed: boolean;
}

/** The verdict of `verify`. */
export interface GuardVerdict {
  readonly verdict: Verification['verdict'];
  /** The strictest action of the lists; 'none' unless the verdict is 'unsafe'. */
  readonly action: 'none' | ListAction;
  /** The name (in the option `lists`) of the list that makes the URL 'unsafe'; absent if an override blocks the URL. */
  readonly name?: string;
  /** The names of other lists that contain the URL, as far as known: `verify` ends at the first certain 'block'. */
  readonly also: readonly string[];
  /** The page, folder or host that the deciding list contains. */
  readonly expression?: string;
  /** The threats, if the deciding list is a source that names them. */
  readonly threats?: readonly string[];
  /** The source of the decision: an override, `allow`, the list, or its confirm server ('server', cached: 'cache'). */
  readonly from: 'override' | 'allow' | Verification['from'];
  /** The names of lists without an answer: they are missing, or their confirm server failed. */
  readonly missing: readonly string[];
}

export const listNames = (findings: readonly Finding[]): string[] =>
  findings.map(({ role }) => role.name);

export const inState = (findings: readonly Finding[], state: Finding['state']): Finding[] =>
  findings.filter((one) => one.state === state);

/** True if no URL can be 'safe', because a required list is missing, or all lists are. */
export function isIncomplete(findings: readonly Finding[]): boolean {
  const missing = inState(findings, 'missing');
  return missing.length === findings.length || missing.some(({ role }) => !role.isOptional);
}

/** The decision that allows the URL; undefined if there is none. */
function allowedBy({ override, isAllowed }: Decisions): 'override' | 'allow' | undefined {
  if (override === 'allow') return 'override';
  return isAllowed ? 'allow' : undefined;
}

/** Returns the findings that count. An 'allow' cancels the findings of lists with `canOverride`. */
export function countedOf(findings: readonly Finding[], decisions: Decisions): readonly Finding[] {
  if (allowedBy(decisions) === undefined) return findings;
  return findings.filter(({ role }) => !role.canOverride);
}

/** True if the URL is blocked, or needs confirmation. */
export function isSuspect(findings: readonly Finding[], decisions: Decisions): boolean {
  if (decisions.override === 'block') return true;
  return inState(countedOf(findings, decisions), 'hit').length > 0;
}

/** True if no other finding can change the verdict. */
export const isFinal = ({ state, role }: Finding): boolean =>
  state === 'listed' && role.action === 'block';

/** The rank of a listed finding in the order of precedence; 0 comes first. */
const rankOf = ({ role }: Finding): number =>
  2 * actions.indexOf(role.action) + (role.canOverride ? 1 : 0);

/** Makes the verdict. `isSure`: every browser opens the URL as the same web page. */
export function judge(
  findings: readonly Finding[],
  decisions: Decisions,
  isSure: boolean,
): GuardVerdict {
  const counted = countedOf(findings, decisions);
  const unanswered = findings.filter(({ state }) => state === 'missing' || state === 'unknown');
  const defaults = { action: 'none', also: [], missing: listNames(unanswered) } as const;
  if (decisions.override === 'block') {
    return { ...defaults, verdict: 'unsafe', action: 'block', from: 'override' };
  }
  const [first, ...others] = inState(counted, 'listed')
    // Array.sort is stable: lists of equal rank keep their order.
    .sort((one, other) => rankOf(one) - rankOf(other));
  if (first !== undefined) {
    const { role, expression, threats, from = 'list' } = copyOwn(first);
    return {
      ...defaults,
      verdict: 'unsafe',
      action: role.action,
      name: role.name,
      also: listNames(others),
      ...(expression !== undefined && { expression }),
      ...(threats !== undefined && { threats }),
      from,
    };
  }
  const [unknown] = inState(counted, 'unknown');
  if (unknown !== undefined) {
    return { ...defaults, verdict: 'unknown', from: unknown.from ?? 'list' };
  }
  const sources = inState(counted, 'cleared').map(({ from }) => from);
  const source = sources.includes('server') ? 'server' : sources.at(0);
  const from = allowedBy(decisions) ?? source ?? 'list';
  const clear = isSure ? 'safe' : 'invalid';
  return { ...defaults, verdict: isIncomplete(findings) ? 'unknown' : clear, from };
}
