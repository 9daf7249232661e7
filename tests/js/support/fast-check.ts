/** fast-check with the seed of budget.ts. If a property fails, the error shows the seed and the path. */
import fc from 'fast-check';
import { seed } from './budget.js';

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });

export { fc };
