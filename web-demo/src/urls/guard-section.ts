import { GuardView } from './guard-view';
import type { UrlsPage } from './urls-page';

/** Starts the section in which two lists are asked at once. */
export function start(page: UrlsPage): void {
  const guard = new GuardView(page.connect, async (url, { confirmation }) => {
    if (confirmation !== undefined) await page.showQuestion(url, confirmation);
  });
  page.listen({
    onUpdate: () => guard.update(),
    onOffline: (isOffline) => guard.setOffline(isOffline),
    onOwnList: (list) => guard.setList(list),
  });
}
