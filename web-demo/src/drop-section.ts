import { DropView } from './drop/drop-view';

/** Starts the section that makes a filter of the visitor's own file. */
export function start(): void {
  new DropView();
}
