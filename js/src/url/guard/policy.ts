// Which of several lists counts: pure functions, from what each of them says to one answer.
//
//   1  an own block                          blocks, whatever else is said
//   2  a list with `canOverride: false`      counts, whatever else is allowed
//   3  an own allow, then the option `allow` opens what all other lists say
//   4  all other lists                       count
//
// Of those that count and have the URL the strictest action wins: 'block', 'warn', 'note'. Of these a list with
// `canOverride: false` comes first, and then the order in which the lists were given. Without any of them nothing is
// 'safe' while a list is missing that is not optional.

import type { Verification } from '../client/url-checker.js';

/** What a list wants of a URL that it has, the strictest first. */
export type ListAction = 'block' | 'warn' | 'note';
export const actions: readonly ListAction[] = ['block', 'warn', 'note'];

/** What is said of a list by who opened the guard. */
export interface ListRole {
  readonly name: string;
  readonly action: ListAction;
  readonly canOverride: boolean;
  readonly isOptional: boolean;
}

/** What a list says of one URL. */
export interface Finding {
  readonly role: ListRole;
  /**
   * 'missing': the list is not in hand. 'clear': it does not hit. 'hit': it does, and has not been asked further. Then
   * 'listed', 'cleared', or 'unknown' where no answer of use came.
   */
  readonly state: 'missing' | 'clear' | 'hit' | 'listed' | 'cleared' | 'unknown';
  /** Who said so. */
  readonly from?: Verification['from'];
  /** What is listed. */
  readonly expression?: string;
  /** Why, where a source says so. */
  readonly threats?: readonly string[];
}

/** What the user, or the program, says of the URL. */
export interface Own {
  readonly override: 'allow' | 'block' | undefined;
  /** Whether its host is one of the option `allow`. */
  readonly isAllowed: boolean;
}

/** The verdict of `verify`. */
export interface GuardVerdict {
  readonly verdict: Verification['verdict'];
  /** The strictest that is wanted: 'none' but for 'unsafe'. */
  readonly action: 'none' | ListAction;
  /** Of 'unsafe', the list that decides; absent where an override blocks. */
  readonly list?: string;
  /** Other lists that are known to have it; not all, since `verify` ends at the first sure 'block'. */
  readonly also: readonly string[];
  /** What `list` has: the page, a folder or a host. */
  readonly expression?: string;
  /** Why, where `list` is a source that says so. */
  readonly threats?: readonly string[];
  /** Who decided: an override, the option `allow`, or the list, what its confirm server said before, or says now. */
  readonly from: 'override' | 'allow' | Verification['from'];
  /** Lists that gave no answer: not in hand, or their confirm server gave none. */
  readonly missing: readonly string[];
}

export const namesOf = (findings: readonly Finding[]): string[] =>
  findings.map(({ role }) => role.name);

export const inState = (findings: readonly Finding[], state: Finding['state']): Finding[] =>
  findings.filter((one) => one.state === state);

/** Whether nothing is 'safe' for want of lists. */
export function isIncomplete(findings: readonly Finding[]): boolean {
  const missing = inState(findings, 'missing');
  return missing.length === findings.length || missing.some(({ role }) => !role.isOptional);
}

/** Who opens what most lists say, if somebody does. */
function openerOf({ override, isAllowed }: Own): 'override' | 'allow' | undefined {
  if (override === 'allow') return 'override';
  return isAllowed ? 'allow' : undefined;
}

/** What is said by lists that nobody opens. */
export function counting(findings: readonly Finding[], own: Own): readonly Finding[] {
  if (openerOf(own) === undefined) return findings;
  return findings.filter(({ role }) => !role.canOverride);
}

/** Whether a look at the lists alone leaves a question, or a block. */
export function isSuspect(findings: readonly Finding[], own: Own): boolean {
  if (own.override === 'block') return true;
  return inState(counting(findings, own), 'hit').length > 0;
}

/** Whether the finding ends all questions: no other list wants more. */
export const isFinal = ({ state, role }: Finding): boolean =>
  state === 'listed' && role.action === 'block';

const rankOf = ({ role }: Finding): number =>
  2 * actions.indexOf(role.action) + (role.canOverride ? 1 : 0);

/** The verdict. `isSure`: every browser surely opens the URL as a page of the web. */
export function judge(findings: readonly Finding[], own: Own, isSure: boolean): GuardVerdict {
  const counted = counting(findings, own);
  const silent = findings.filter(({ state }) => state === 'missing' || state === 'unknown');
  const rest = { action: 'none', also: [], missing: namesOf(silent) } as const;
  if (own.override === 'block') {
    return { ...rest, verdict: 'unsafe', action: 'block', from: 'override' };
  }
  const [first, ...others] = inState(counted, 'listed')
    // Lists of one rank stay in the order in which they were given.
    .sort((one, other) => rankOf(one) - rankOf(other));
  if (first !== undefined) {
    const { role, expression, threats, from = 'list' } = first;
    return {
      ...rest,
      verdict: 'unsafe',
      action: role.action,
      list: role.name,
      also: namesOf(others),
      ...(expression !== undefined && { expression }),
      ...(threats !== undefined && { threats }),
      from,
    };
  }
  const [unknown] = inState(counted, 'unknown');
  if (unknown !== undefined) return { ...rest, verdict: 'unknown', from: unknown.from ?? 'list' };
  const said = inState(counted, 'cleared').map(({ from }) => from);
  const source = said.includes('server') ? 'server' : said[0];
  const from = openerOf(own) ?? source ?? 'list';
  const known = isSure ? 'safe' : 'invalid';
  return { ...rest, verdict: isIncomplete(findings) ? 'unknown' : known, from };
}
