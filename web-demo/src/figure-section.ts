import { defineFigures } from './figures';
import { FILTER_URL } from './list';

/** Defines the figure element, so that the figures in the page start. */
export function start(): void {
  defineFigures({ listUrl: FILTER_URL });
}
