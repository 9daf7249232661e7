import type { Page } from './page';
import { PositionsView } from './positions-view';
import { StripView } from './strip-view';

/** Starts the section that shows the bits of the look-up, as a strip and as a list. */
export function start(page: Page): void {
  const strip = new StripView(page.filter);
  new PositionsView(page, (position) => strip.goTo(position));
  page.onAnswer((answer) => strip.show(answer));
}
