import { byId } from '../dom';
import { EntriesChart } from './entries-chart';
import type { UrlsPage } from './urls-page';

/** Starts the chart of the entries in this browser over time. */
export function start({ updates }: UrlsPage): void {
  updates.showIn(new EntriesChart(byId('chart', HTMLDivElement)));
}
