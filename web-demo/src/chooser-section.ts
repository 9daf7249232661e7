import { ChooserView } from './chooser/chooser-view';

/** Which filter fits. */
export function start(): void {
  new ChooserView();
}
