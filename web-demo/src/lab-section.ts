import { BuildView } from './build-view';
import { copyButton } from './dom';
import { HandView } from './hand-view';
import type { Page } from './page';
import { DEFAULTS, linkHash, readJob } from './state';

/** Starts two filters of the same type: one is overfilled, the other is changed by hand. */
export function start(page: Page): void {
  const hand = new HandView();
  const build = new BuildView((job) => hand.set(job));
  const apply = (): void => {
    build.set(readJob(location.hash, DEFAULTS));
    hand.set(build.job);
  };
  copyButton('copy-link', () => {
    const link = new URL(location.href);
    link.search = '';
    link.hash = linkHash(page.text, build.job);
    return link.href;
  });
  addEventListener('hashchange', () => {
    // An anchor, such as that of the link to the question, contains no state.
    if (location.hash.includes('=')) apply();
  });
  apply();
}
