/** Time limits of actions. */
import { expect, test } from '@jest/globals';

import { withTimeout } from '../../js/src/core/requests.js';
import { holdTimers, pass } from './support/waiting.js';

holdTimers();

test('an action that throws at once leaves no rejection that nobody handles', async () => {
  const act = (): never => {
    throw new Error('at once');
  };
  await expect(withTimeout(undefined, undefined, act)).rejects.toThrow('at once');
  // Node reports such a rejection before this resolves, and Jest fails the test.
  await new Promise(setImmediate);
});

test('a limit that is longer than a timer takes does not run out at once', async () => {
  let end = () => {};
  const acting = withTimeout(
    2 ** 40,
    undefined,
    () => new Promise<void>((resolve) => (end = resolve)),
  );
  pass(3_600_000);
  end();
  await acting;
});
