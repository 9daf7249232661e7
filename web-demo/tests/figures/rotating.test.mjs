import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RotatingBloomFilter } from 'tamis';
import { callsIn, verdictOf } from './calls.mjs';
import { figureOf, openFigures } from './figure-page.mjs';

/** The set bits of each generation, and the current one: FORMAT.md, 5.4 and 5.8. */
function ringOf(filter) {
  const bytes = filter.toBytes();
  const view = new DataView(bytes.buffer, bytes.byteOffset + 64);
  const count = view.getUint32(0, true);
  let at = 32 + 32 * count;
  const generations = Array.from({ length: count }, (_, j) => {
    const bits = Number(view.getBigUint64(32 + 32 * j, true));
    const set = Array.from({ length: bits }, (_, i) => i).filter(
      (i) => (view.getUint8(at + (i >> 3)) >> (i & 7)) & 1,
    );
    at += Math.ceil(bits / 64) * 8;
    return set;
  });
  return { current: view.getUint32(4, true), generations };
}

test('each generation is the one in the bytes, and a key lives as long as the package says', async (t) => {
  const figure = figureOf(await openFigures(t), 'rotating');
  const steps = await figure.steps();
  const filter = new RotatingBloomFilter({ capacity: 4, fpr: 0.1, generations: 4 });
  // The names of each period, the newest first.
  let periods = [[]];
  const results = [];
  for (const step of steps) {
    const [call] = callsIn(step);
    if (step.caption.includes('rotate()')) {
      filter.rotate();
      periods = [[], ...periods].slice(0, 4);
    }
    if (call) {
      assert.equal(filter[call.name](call.key), call.result, `${call.name}('${call.key}')`);
      if (call.name === 'add') periods[0].push(call.key);
      else {
        const really = periods.flat().includes(call.key);
        assert.equal(step.verdict, verdictOf(call.result, really));
        results.push(call.result);
      }
    }
    const { current, generations } = ringOf(filter);
    generations.forEach((set, j) => {
      const line = step.text.find((line) => line.startsWith(`Generation ${j} (`));
      const age = (current - j + 4) % 4;
      const ago = age === 0 ? 'now' : `${age} period${age === 1 ? '' : 's'} ago`;
      assert.ok(line.startsWith(`Generation ${j} (${ago}`), line);
      const said =
        line
          .match(/set bits: ([\d ]+)/)?.[1]
          .split(' ')
          .map(Number) ?? [];
      assert.deepEqual(said, set);
      const names = line.match(/Added there: (.*)\.$/)?.[1].split(/, | and /) ?? [];
      assert.deepEqual(names, periods[age] ?? []);
    });
  }
  assert.deepEqual(results, [true, true, true, true, false]);
  filter.dispose();
});
