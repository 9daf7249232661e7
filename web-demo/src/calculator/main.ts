import { announceFromNowOn } from '../dom';
import { CalculatorView } from './calculator-view';

for (const section of document.querySelectorAll('section')) announceFromNowOn(section);
new CalculatorView();
