/** fast-check with the seed of budget.ts. An error of a property names its seed and its path. */
import fc from 'fast-check';
import { seed } from './budget.js';

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });

export { fc };
