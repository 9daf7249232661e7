import { FeedsView } from './feeds-view';
import type { UrlsPage } from './urls-page';

/** Starts the section that makes a list from the visitor's feeds. */
export function start(page: Pick<UrlsPage, 'ownList'>): void {
  new FeedsView((list) => {
    page.ownList = list;
  });
}
