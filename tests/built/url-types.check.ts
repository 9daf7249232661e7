/** What TypeScript takes of the options of UrlChecker, and what it refuses. */
import { type CheckerAnswer, UrlChecker, type UrlCheckerOptions } from 'tamis/url';

declare const others: Omit<UrlCheckerOptions, 'list'>;

export async function check(url: string): Promise<CheckerAnswer> {
  // @ts-expect-error the same key may have signed other lists
  await UrlChecker.open(others);
  const checker = await UrlChecker.open({ ...others, list: 'phish' });
  return checker.check(url);
}
