import { FeedsView } from './feeds-view';
import type { UrlsPage } from './urls-page';

/** Feeds of the visitor, which become a list. */
export function start(page: Pick<UrlsPage, 'ownList'>): void {
  new FeedsView((list) => {
    page.ownList = list;
  });
}
