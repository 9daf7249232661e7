import { OnceView } from './once-view';

/** Starts the section of filters for a fixed list. */
export function start(): void {
  new OnceView();
}
