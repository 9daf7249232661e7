import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CountingBloomFilter } from 'tamis';
import { replay } from './calls.mjs';
import { figureOf, openFigures } from './figure-page.mjs';

const views = {
  delete: { counterBits: 4, wrong: 0 },
  never: { counterBits: 4, wrong: 2 },
  stuck: { counterBits: 2, wrong: 1 },
};

for (const [view, { counterBits, wrong }] of Object.entries(views)) {
  test(`the counters are the package's at every step: ${view}`, async (t) => {
    const figure = figureOf(await openFigures(t), 'counting');
    await figure.pick('view', view);
    const steps = await figure.steps();
    const filter = new CountingBloomFilter({ capacity: 6, fpr: 0.1, counterBits });
    const verdicts = replay(steps, filter, (step, call) => {
      const counters = Array.from({ length: filter.counters }, (_, i) => filter.counterAt(i));
      const drawn = step.marks.filter(({ key }) => key.startsWith('cell'));
      assert.deepEqual(
        drawn.map(({ text }) => Number(text)),
        counters,
      );
      const line = step.text.find((line) => /^(All counters|Counters that)/.test(line));
      const said = [...line.matchAll(/(\d+) is (\d+)/g)].map(([, i, value]) => [+i, +value]);
      const used = counters.map((value, i) => [i, value]).filter(([, value]) => value > 0);
      assert.deepEqual(said, used);
      if (!call) return;
      // The counters of a key are those that adding it changes in an empty filter.
      const alone = filter.emptyCopy();
      alone.add(call.key);
      const own = counters.map((_, i) => i).filter((i) => alone.counterAt(i) > 0);
      alone.dispose();
      const lines = step.marks.filter(({ key }) => key.startsWith('line '));
      assert.deepEqual(
        lines.map(({ key }) => Number(key.slice('line '.length))),
        own,
      );
    });
    assert.ok(verdicts.some((verdict) => verdict !== 'none'));
    assert.equal(verdicts.filter((verdict) => verdict === 'wrong').length, wrong);
    filter.dispose();
  });
}

test('deleting what nobody added loses a name that was added', async (t) => {
  const figure = figureOf(await openFigures(t), 'counting');
  await figure.pick('view', 'never');
  await figure.end();
  assert.match(await figure.answer(), /not in the set, and that is wrong: a false negative/);
});

test('a stuck counter keeps a name that was deleted as often as added', async (t) => {
  const figure = figureOf(await openFigures(t), 'counting');
  await figure.pick('view', 'stuck');
  await figure.end();
  assert.match(await figure.answer(), /probably in the set, and that is wrong: a false positive/);
});
