import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlockedBloomFilter, BloomFilter } from 'tamis';
import { figureOf, openFigures } from './figure-page.mjs';

const KEYS = Array.from({ length: 1000 }, (_, i) => `key ${i + 1}`);
const SIZE = { capacity: 1000, fpr: 0.01 };
const LINE_BITS = 512;

const isSet = (bytes, at, i) => (bytes[at + (i >> 3)] >> (i & 7)) & 1;

/** The bits of a blocked filter: FORMAT.md, 5.2. */
function setBitsOf(filter) {
  const bytes = filter.toBytes();
  const count = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(64, true)) * 256;
  return Array.from({ length: count }, (_, i) => i).filter((i) => isSet(bytes, 72, i));
}

/** The bits that a step's text reports as read: [number, whether it is set]. */
function lookedAt(step, title) {
  const line = step.text.find((line) => line.startsWith(`${title}: `) && !line.includes(' lines.'));
  return [...line.matchAll(/bit (\d+) \((set|clear)\)/g)].map(([, bit, is]) => [
    +bit,
    is === 'set',
  ]);
}

test('both filters look at the bits and the lines that the package says', async (t) => {
  const bloom = BloomFilter.from(KEYS, SIZE);
  const blocked = BlockedBloomFilter.from(KEYS, SIZE);
  const array = bloom.toBytes();
  const blockedBits = new Set(setBitsOf(blocked));
  const figure = figureOf(await openFigures(t), 'blocked');
  await figure.ready();
  const first = await figure.find('input[name=key]').inputValue();
  assert.ok(KEYS.includes(first));
  for (const key of [first, 'Zoe', 'key 1000', 'key 1001']) {
    if (key !== first) await figure.set('key', key);
    const steps = await figure.steps();
    const last = steps.at(-1);
    const all = [...new Set(bloom.positions(key))].map((bit) => [bit, isSet(array, 80, bit) === 1]);
    const clear = all.findIndex(([, set]) => !set);
    const looked = clear < 0 ? all : all.slice(0, clear + 1);
    assert.equal(steps.length, looked.length + 2);
    steps.slice(0, -1).forEach((step, i) => {
      assert.deepEqual(lookedAt(step, 'Bloom filter'), looked.slice(0, i));
    });
    const alone = blocked.emptyCopy();
    alone.add(key);
    const own = setBitsOf(alone).map((bit) => [bit, blockedBits.has(bit)]);
    alone.dispose();
    assert.deepEqual(lookedAt(last, 'Blocked Bloom filter'), own);
    assert.equal(new Set(own.map(([bit]) => Math.floor(bit / 256))).size, 1);
    const lines = new Set(looked.map(([bit]) => Math.floor(bit / LINE_BITS))).size;
    if (key === first) assert.equal(lines, 7);
    assert.ok(last.caption.endsWith(`It fetched 1 line. The Bloom filter fetched ${lines}.`));
    assert.ok(last.text.includes(`The Bloom filter's has('${key}') is ${bloom.has(key)}.`));
    assert.ok(last.text.includes(`The blocked filter's has('${key}') is ${blocked.has(key)}.`));
    const verdict = blocked.has(key) ? (KEYS.includes(key) ? 'probable' : 'wrong') : 'absent';
    assert.equal(last.verdict, verdict);
    const fetched = last.marks.filter(
      ({ key, tone }) => / line \d+$/.test(key) && tone === 'second',
    );
    assert.equal(fetched.length, lines + 1);
  }
  bloom.dispose();
  blocked.dispose();
});
