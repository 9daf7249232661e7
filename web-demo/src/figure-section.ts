import { defineFigures } from './figures';
import { FILTER_URL } from './list';

/** The figures in the page become what they are. */
export function start(): void {
  defineFigures({ listUrl: FILTER_URL });
}
