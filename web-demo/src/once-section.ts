import { OnceView } from './once-view';

/** Filters of a fixed list. */
export function start(): void {
  new OnceView();
}
