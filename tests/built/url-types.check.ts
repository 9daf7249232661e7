/** What TypeScript takes of the options of UrlChecker and UrlGuard, and what it refuses. */
import {
  type CheckerAnswer,
  type GuardAnswer,
  type GuardList,
  UrlChecker,
  type UrlCheckerOptions,
  UrlGuard,
  type UrlGuardOptions,
} from 'tamis/url';

declare const others: Omit<UrlCheckerOptions, 'list'>;

export async function check(url: string): Promise<CheckerAnswer> {
  // @ts-expect-error the same key may have signed other lists
  await UrlChecker.open(others);
  const checker = await UrlChecker.open({ ...others, list: 'phish' });
  return checker.check(url);
}

declare const oneList: Omit<GuardList, 'list'>;
declare const common: Omit<UrlGuardOptions, 'lists'>;

export async function checkAll(url: string): Promise<GuardAnswer> {
  // @ts-expect-error the same key may have signed other lists
  await UrlGuard.open({ ...common, lists: { phish: oneList } });
  const guard = await UrlGuard.open({ ...common, lists: { phish: { ...oneList, list: 'phish' } } });
  // @ts-expect-error a verdict is no answer of `check`
  await guard.overrides.add({ url, scope: 'site', verdict: 'maybe' });
  return guard.check(url);
}
