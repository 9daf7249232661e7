import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BloomFilter, DeletableBloomFilter } from 'tamis';
import { replay } from './calls.mjs';
import { figureOf, openFigures } from './figure-page.mjs';

const numbersIn = (step, start) =>
  (step.text.find((line) => line.startsWith(start)).match(/\d+/g) ?? []).map(Number);

test("the bits and the locks are the package's at every step; a key in locked regions stays", async (t) => {
  const figure = figureOf(await openFigures(t), 'deletable');
  const filter = new DeletableBloomFilter({ capacity: 8, fpr: 0.1, regions: 10 });
  const bloom = new BloomFilter({ bits: filter.bits, hashes: filter.hashes });
  const steps = await figure.steps();
  const verdicts = replay(steps, filter, (step, call) => {
    const array = filter.toBytes().subarray(64 + 24);
    const all = Array.from({ length: filter.bits }, (_, i) => i);
    const set = all.filter((i) => (array[i >> 3] >> (i & 7)) & 1);
    assert.deepEqual(numbersIn(step, 'Set bits: '), set);
    const ones = step.marks.filter(({ key, text }) => key.startsWith('cell') && text === '1');
    assert.deepEqual(
      ones.map(({ key }) => key),
      set.map((bit) => `cell${bit}`),
    );
    const regions = Array.from({ length: filter.regions }, (_, i) => i);
    const locked = regions.filter((region) => filter.isLocked(region));
    assert.deepEqual(numbersIn(step, 'Locked regions: '), locked);
    const frames = step.marks.filter(
      ({ key, tone }) => key.startsWith('frame') && tone === 'locked',
    );
    assert.deepEqual(
      frames.map(({ key }) => Number(key.split(' ')[1])),
      locked.map((region) => (region * filter.bits) / filter.regions),
    );
    if (!call) return;
    const lines = step.marks.filter(({ key }) => key.startsWith('line '));
    assert.deepEqual(
      lines.map(({ key }) => Number(key.split(' ')[1])),
      [...new Set(bloom.positions(call.key))].sort((a, b) => a - b),
    );
    if (call.code) assert.equal(filter.isDeletable(call.key), false);
  });
  assert.deepEqual(
    verdicts.filter((verdict) => verdict !== 'none'),
    ['absent', 'refused', 'probable'],
  );
  filter.dispose();
  bloom.dispose();
});
