import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ScalableBloomFilter } from 'tamis';
import { replay } from './calls.mjs';
import { assertChance } from './chance.mjs';
import { figureOf, openFigures } from './figure-page.mjs';

/** The layers: FORMAT.md, 5.4 and 5.7. */
function layersOf(filter) {
  const bytes = filter.toBytes();
  const view = new DataView(bytes.buffer, bytes.byteOffset + 64);
  const number = (at) => Number(view.getBigUint64(at, true));
  const count = view.getUint32(4, true);
  let data = 24 + 32 * count;
  return Array.from({ length: count }, (_, i) => {
    const at = 24 + 32 * i;
    const [bits, capacity, held] = [number(at), number(at + 8), number(at + 16)];
    const set = Array.from({ length: bits }, (_, bit) => bit).filter(
      (bit) => (view.getUint8(data + (bit >> 3)) >> (bit & 7)) & 1,
    );
    data += Math.ceil(bits / 64) * 8;
    return { bits, capacity, held, set };
  });
}

test('the layers are those in the bytes, each larger and stricter than the last', async (t) => {
  const figure = figureOf(await openFigures(t), 'scalable');
  const filter = new ScalableBloomFilter({ capacity: 4, fpr: 0.001 });
  const steps = await figure.steps();
  let layers = [];
  const verdicts = replay(steps, filter, (step, call) => {
    const before = layers.length;
    layers = layersOf(filter);
    assert.equal(layers.length, filter.layers);
    layers.forEach(({ bits, capacity, held, set }, i) => {
      const said = step.text.find((line) => line.startsWith(`Layer ${i + 1}: `));
      assert.ok(
        said.startsWith(`Layer ${i + 1}: ${held} of ${capacity} keys, ${bits} bits, `),
        said,
      );
      assertChance(said, 'rate of ', 0.001 * (1 - filter.tightening) * filter.tightening ** i);
      const line = step.text.find((line) => line.startsWith(`Layer ${i + 1} has these bits set: `));
      assert.deepEqual(
        (line.match(/set: ([\d ]+)/)?.[1] ?? '').split(' ').filter(Boolean).map(Number),
        set,
      );
    });
    assert.ok(!step.text.some((line) => line.startsWith(`Layer ${layers.length + 1}`)));
    if (call?.name === 'add') {
      assert.equal(step.caption.includes('was full'), layers.length > before);
    }
    if (call?.name === 'has') {
      assertChance(step.caption, 'chance of ', filter.estimatedFpr);
    }
  });
  assert.ok(layers.length >= 3);
  assert.ok(layers.every(({ bits }, i) => i === 0 || bits > layers[i - 1].bits));
  assert.deepEqual(
    verdicts.filter((verdict) => verdict !== 'none'),
    ['probable', 'absent'],
  );
  filter.dispose();
});
