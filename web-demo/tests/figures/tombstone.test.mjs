import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TombstoneBloomFilter } from 'tamis';
import { replay } from './calls.mjs';
import { figureOf, openFigures } from './figure-page.mjs';

/** The set bits of both filters: FORMAT.md, 5.4 and 5.5. */
function pairOf(filter) {
  const bytes = filter.toBytes();
  const view = new DataView(bytes.buffer, bytes.byteOffset + 64);
  let data = 64;
  return [0, 32].map((record) => {
    const bits = Number(view.getBigUint64(record, true));
    const all = Array.from({ length: bits }, (_, i) => i);
    const at = data;
    data += Math.ceil(bits / 64) * 8;
    return all.filter((i) => (view.getUint8(at + (i >> 3)) >> (i & 7)) & 1);
  });
}

const bitsIn = (step, start) =>
  (
    step.text
      .find((line) => line.startsWith(start))
      .slice(start.length)
      .match(/\d+/g) ?? []
  ).map(Number);

test('both filters are those in the bytes; the end is a false negative of the package', async (t) => {
  const figure = figureOf(await openFigures(t), 'tombstone');
  const filter = new TombstoneBloomFilter({ capacity: 8, fpr: 0.0002, deletions: 1 });
  const steps = await figure.steps();
  const verdicts = replay(steps, filter, (step, call) => {
    const [added, deleted] = pairOf(filter);
    assert.deepEqual(bitsIn(step, 'Added, set bits: '), added);
    assert.deepEqual(bitsIn(step, 'Deleted: the tombstones, set bits: '), deleted);
    if (!call) return;
    const alone = filter.emptyCopy();
    alone.add(call.key);
    assert.deepEqual(bitsIn(step, `${call.key} has in filter 1 the bits `), pairOf(alone)[0]);
    alone.delete(call.key);
    assert.deepEqual(bitsIn(step, `${call.key} has in filter 2 the bits `), pairOf(alone)[1]);
    alone.dispose();
    if (call.name !== 'delete') return;
    const chance = Number(step.caption.match(/chance of ([\d.e-]+) %/)[1]) / 100;
    assert.ok(Math.abs(chance - filter.falseNegativeRate) <= 0.005 * filter.falseNegativeRate);
  });
  assert.deepEqual(
    verdicts.filter((verdict) => verdict !== 'none'),
    ['probable', 'absent', 'wrong'],
  );
  assert.match(steps.at(-1).answer, /not in the set, and that is wrong: a false negative/);
  filter.dispose();
});
