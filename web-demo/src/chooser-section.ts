import { ChooserView } from './chooser/chooser-view';

/** Starts the section that suggests a filter. */
export function start(): void {
  new ChooserView();
}
