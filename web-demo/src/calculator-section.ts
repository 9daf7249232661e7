import { CalculatorView } from './calculator/calculator-view';

/** The arithmetic of filters. */
export function start(): void {
  new CalculatorView();
}
