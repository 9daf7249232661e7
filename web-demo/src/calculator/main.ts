import { announceFromNowOn } from '../dom';
import { CalculatorView } from './calculator-view';

announceFromNowOn();
new CalculatorView();
