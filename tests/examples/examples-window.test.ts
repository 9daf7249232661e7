/** The crawler with its sliding window, run as its reader would run it. */
import { expect, test } from '@jest/globals';
import { binomialInterval } from '../../js/examples/binomial.mjs';
import { runExample } from '../js/support/example-output.js';

test('crawler: visits what the window does not hold, in memory that stays', async () => {
  const { figure } = await runExample('crawler.mjs');
  const absentKeys = figure('not in the window');
  const first = figure('visited for the first time');
  const again = figure('visited again, the window has passed');
  const skipped = figure('skipped, false positive');
  expect(figure('links met')).toBe(figure('repeats within the window') + absentKeys);
  expect(absentKeys).toBe(first + again + skipped);
  expect(again).toBeGreaterThan(0);

  // No period is over capacity, so the designed rate is a bound at every moment.
  const capacity = figure('URLs per period that it was made for');
  expect(figure('most URLs linked in one period')).toBeLessThanOrEqual(capacity);
  expect(figure('designed rate')).toBeLessThanOrEqual(1);
  expect(figure('rate of the present content')).toBeLessThanOrEqual(1.1);
  expect(skipped).toBeLessThanOrEqual(binomialInterval(absentKeys, 0.01, 1e-9).high);
  const observed = ((100 * skipped) / absentKeys).toFixed(3);
  expect(figure('skipped, false positive', 1)).toBe(Number(observed));

  // Ten days of four periods. The last period has not ended.
  expect(figure('periods passed')).toBe(39);
  // Four generations, each for a quarter of the rate: no filter does with less.
  const bytes = figure('bytes of the filter, always');
  expect(bytes).toBeGreaterThan((4 * capacity * Math.log2(4 / 0.01)) / 8);
  expect(bytes).toBeLessThan(figure('bytes of all URLs ever linked') / 5);
});
