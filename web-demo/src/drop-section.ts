import { DropView } from './drop/drop-view';

/** A filter of the visitor's own file. */
export function start(): void {
  new DropView();
}
