import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DLeftCountingFilter } from 'tamis';
import { replay } from './calls.mjs';
import { figureOf, openFigures } from './figure-page.mjs';

/** The used cells of each bucket, as the figure writes them: FORMAT.md, 5.9. */
function bucketsOf(filter) {
  const bytes = filter.toBytes();
  const view = new DataView(bytes.buffer, bytes.byteOffset + 64);
  const [buckets, r] = [Number(view.getBigUint64(0, true)), view.getUint32(8, true)];
  const bit = (i) => (view.getUint8(16 + (i >> 3)) >> (i & 7)) & 1;
  const field = (from, width) =>
    Array.from({ length: width }, (_, i) => bit(from + i) * 2 ** i).reduce(
      (sum, each) => sum + each,
    );
  return Array.from({ length: 4 * buckets }, (_, bucket) => {
    const cells = Array.from({ length: 8 }, (_, i) => (bucket * 8 + i) * (r + 2));
    const used = cells.map((at) => [field(at, r), field(at + r, 2)]).filter(([, copies]) => copies);
    const items = used.map(([q, copies]) => `${q.toString(16).padStart(2, '0')} (${copies})`);
    const name = `Sub-table ${Math.floor(bucket / buckets) + 1}, bucket ${(bucket % buckets) + 1}`;
    return `${name}: ${items.length === 0 ? 'empty' : items.join(' ')}.`;
  });
}

test("the cells are those in the bytes, and the counts are the package's", async (t) => {
  const figure = figureOf(await openFigures(t), 'd-left');
  const filter = new DLeftCountingFilter({ capacity: 48, fpr: 0.1 });
  const steps = await figure.steps();
  const counts = [];
  const verdicts = replay(steps, filter, (step, call) => {
    const lines = step.text.filter((line) => line.startsWith('Sub-table '));
    assert.deepEqual(lines, bucketsOf(filter));
    if (call?.name !== 'has') return;
    const count = filter.countOf(call.key);
    counts.push(count);
    assert.equal(step.caption.includes(`countOf('${call.key}') is ${count}.`), count > 0);
  });
  assert.deepEqual(counts, [2, 1, 0]);
  assert.deepEqual(
    verdicts.filter((verdict) => verdict !== 'none'),
    ['probable', 'probable', 'absent'],
  );
  filter.dispose();
});
