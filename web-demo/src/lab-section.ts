import { BuildView } from './build-view';
import { byId, copyButton } from './dom';
import { HandView } from './hand-view';
import type { Page } from './page';
import { DEFAULTS, linkHash, readJob } from './state';

/** A filter that is overfilled, and one that is changed by hand: of the same type. */
export function start(page: Page): void {
  const hand = new HandView();
  const build = new BuildView((job) => hand.set(job));
  const apply = (): void => {
    build.set(readJob(location.hash, DEFAULTS));
    hand.set(build.job);
  };
  copyButton(byId('copy-link', HTMLButtonElement), () => {
    const link = new URL(location.href);
    link.search = '';
    link.hash = linkHash(page.text, build.job);
    return link.href;
  });
  addEventListener('hashchange', () => {
    // An anchor, as that of the link to the question, says nothing about the state.
    if (location.hash.includes('=')) apply();
  });
  apply();
}
