/** Time limits of actions. */
import { expect, test } from '@jest/globals';

import { withTimeout } from '../../js/src/core/requests.js';

test('an action that throws at once leaves no rejection that nobody handles', async () => {
  const act = (): never => {
    throw new Error('at once');
  };
  await expect(withTimeout(undefined, undefined, act)).rejects.toThrow('at once');
  // Node reports such a rejection before this resolves, and Jest fails the test.
  await new Promise(setImmediate);
});
