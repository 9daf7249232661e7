/** Types that tsc checks: options that UrlChecker, UrlGuard and SafeBrowsing accept or refuse. */
import { SafeBrowsing, type SafeBrowsingOptions, type Threat } from 'tamis/safe-browsing';
import {
  type CheckerAnswer,
  type GuardAnswer,
  type GuardList,
  type ListSource,
  UrlChecker,
  type UrlCheckerOptions,
  UrlGuard,
  type UrlGuardOptions,
} from 'tamis/url';

declare const manifestUrl: string | URL;
declare const others: Omit<UrlCheckerOptions, 'name'>;

export async function check(url: string): Promise<CheckerAnswer> {
  // @ts-expect-error the same key may have signed other lists
  await UrlChecker.open(manifestUrl, others);
  // @ts-expect-error the time is for tests of the package
  await UrlChecker.open(manifestUrl, { ...others, name: 'phish', now: () => 0 });
  const checker = await UrlChecker.open(manifestUrl, { ...others, name: 'phish' });
  return checker.check(url);
}

declare const oneList: Omit<GuardList, 'name'>;
declare const common: Omit<UrlGuardOptions, 'lists'>;

export async function checkAll(url: string): Promise<GuardAnswer> {
  // @ts-expect-error the same key may have signed other lists
  await UrlGuard.open({ ...common, lists: { phish: oneList } });
  // @ts-expect-error the time is for tests of the package
  await UrlGuard.open({ ...common, lists: {}, now: () => 0 });
  const guard = await UrlGuard.open({ ...common, lists: { phish: { ...oneList, name: 'phish' } } });
  // @ts-expect-error a verdict is no answer of `check`
  await guard.overrides.add({ url, scope: 'site', verdict: 'maybe' });
  return guard.check(url);
}

declare const given: Omit<SafeBrowsingOptions, 'whenSearchFails'>;
declare const checker: UrlChecker;

export async function checkByGoogle(url: string): Promise<readonly Threat[]> {
  // @ts-expect-error the reaction to a missing answer has no default
  await SafeBrowsing.open(given);
  // @ts-expect-error there is no such threat
  await SafeBrowsing.open({ ...given, whenSearchFails: 'unknown', action: { phishing: 'warn' } });
  // @ts-expect-error the time is for tests of the package
  await SafeBrowsing.open({ ...given, whenSearchFails: 'unknown', now: () => 0 });
  const google = await SafeBrowsing.open({ ...given, whenSearchFails: 'unknown' });
  const sources: readonly ListSource[] = [google, checker];
  const [source] = sources;
  if (source === undefined) return [];
  // @ts-expect-error a source has an action
  await UrlGuard.open({ ...common, lists: { google: { source } } });
  await UrlGuard.open({
    ...common,
    lists: { google: { source, action: 'block', isOptional: true } },
  });
  return (await google.verify(url, { isFrame: true })).threats;
}
