import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CuckooFilter } from 'tamis';
import { figureOf, openFigures, picksOf } from './figure-page.mjs';

const BUCKET_SIZE = 4;
const options = { capacity: 9, fingerprintBits: 6, bucketSize: BUCKET_SIZE };

/** The fingerprints of a filter, bucket by bucket: fields of 6 bits from byte 80 of its bytes on. */
function bucketsOf(filter) {
  const bytes = filter.toBytes();
  const bits = [...bytes.slice(80)].flatMap((byte) =>
    Array.from({ length: 8 }, (_, i) => (byte >> i) & 1),
  );
  const count = new DataView(bytes.buffer).getUint32(64, true) * BUCKET_SIZE;
  const slots = Array.from({ length: count }, (_, slot) =>
    bits.slice(slot * 6, slot * 6 + 6).reduce((sum, bit, i) => sum + bit * 2 ** i, 0),
  );
  return Array.from({ length: count / BUCKET_SIZE }, (_, i) =>
    slots.slice(i * BUCKET_SIZE, (i + 1) * BUCKET_SIZE),
  );
}

/** The slots in a step's text: [fingerprint, name], or [0] for a free slot. */
function saidBuckets(step) {
  const lines = step.text.filter((line) => /^Bucket \d+: /.test(line));
  return lines.map((line, i) => {
    assert.ok(line.startsWith(`Bucket ${i}: `));
    const items = line.replace(/^Bucket \d+: |\.$/g, '').split(', ');
    return items.map((item) => {
      if (item === 'free') return [0];
      const [, fingerprint, name] = item.match(/^(\d+) \((.+)\)$/);
      return [Number(fingerprint), name];
    });
  });
}

const namesIn = (step) =>
  saidBuckets(step)
    .flat()
    .flatMap(([, name]) => name ?? []);
const numbersIn = (step) => saidBuckets(step).map((slots) => slots.map(([number]) => number));

/** Checks that the fingerprints in the drawn slots, and the one above them, are those of the text. */
function checkDrawing(step) {
  const eggs = step.marks.filter(({ key }) => key.startsWith('egg '));
  const drawn = new Map(eggs.map(({ key, text }) => [key.slice('egg '.length), Number(text)]));
  for (const [fingerprint, name] of saidBuckets(step).flat()) {
    if (name !== undefined) assert.equal(drawn.get(name), fingerprint, name);
  }
  assert.ok(drawn.size - namesIn(step).length <= 1);
}

/** The first seed for which these names give these buckets. */
function findSeed(names, buckets) {
  for (let seed = 0n; seed < 1000n; seed++) {
    const filter = new CuckooFilter({ ...options, seed });
    for (const name of names) filter.add(name);
    const same = JSON.stringify(bucketsOf(filter)) === JSON.stringify(buckets);
    filter.dispose();
    if (same) return seed;
  }
  return assert.fail('no seed gives the filter of the figure');
}

test('names are added until the package refuses one, and each move is to the other bucket', async (t) => {
  const figure = figureOf(await openFigures(t), 'cuckoo');
  const steps = await figure.steps();
  const last = steps.at(-1);
  // The names in the order of the steps, and the first slot of each.
  const order = [];
  for (const step of steps) {
    for (const name of namesIn(step)) if (!order.includes(name)) order.push(name);
  }
  const alphabetical = (names) => [...names].sort();
  assert.deepEqual(alphabetical(order), alphabetical(namesIn(last)));

  // Several names come in one step. The figure's first names are added in alphabetical order.
  const filled = steps.findIndex((step) => /more names find/.test(step.caption));
  const inBulk = namesIn(steps[filled]);
  const names = [...alphabetical(inBulk), ...order.filter((name) => !inBulk.includes(name))];
  const seed = findSeed(alphabetical(inBulk), numbersIn(steps[filled]));
  const filter = new CuckooFilter({ ...options, seed });
  t.after(() => filter.dispose());
  const states = new Map([[0, bucketsOf(filter)]]);
  for (const name of names) {
    filter.add(name);
    states.set(filter.count, bucketsOf(filter));
  }

  let moves = 0;
  for (const [i, step] of steps.entries()) {
    checkDrawing(step);
    const arrows = step.marks.filter(({ key }) => key.startsWith('arrow '));
    if (arrows.length === 0) {
      // While a key waits for moves, and at each end, the slots are those of the package's filter.
      assert.deepEqual(numbersIn(step), states.get(namesIn(step).length), step.place);
      continue;
    }
    moves++;
    const [, from, to] = arrows[0].key.split(' ').map(Number);
    const before = saidBuckets(steps[i - 1]).flat();
    const after = saidBuckets(step).flat();
    assert.deepEqual(after[to], before[from]);
    assert.deepEqual([before[to], after[from]], [[0], [0]]);
    assert.match(
      step.caption,
      new RegExp(`${after[to][1]} moves to its other bucket, ${Math.floor(to / BUCKET_SIZE)}`),
    );
  }
  assert.ok(moves >= 3);

  const refused = steps.find(({ verdict }) => verdict === 'refused');
  const [, name] = refused.caption.match(/add\('(.+)'\) throws ERR_TAMIS_FULL/);
  assert.throws(() => filter.add(name), { code: 'ERR_TAMIS_FULL' });
  assert.equal(steps.indexOf(refused), steps.length - 2);
  assert.deepEqual(numbersIn(last), bucketsOf(filter));
  assert.deepEqual(
    names.filter((name) => !filter.has(name)),
    [],
  );
  assert.match(last.answer, new RegExp(`^${names.length} of ${names.length} names are found`));
});

/** Opens the view of deleting, and returns it with its filter. */
async function openDeleting(t) {
  const figure = figureOf(await openFigures(t), 'cuckoo');
  await figure.pick('view', 'delete');
  await figure.home();
  const start = await figure.here();
  const names = namesIn(start);
  const seed = findSeed(names.sort(), numbersIn(start));
  const filter = new CuckooFilter({ ...options, seed });
  for (const name of names) filter.add(name);
  t.after(() => filter.dispose());
  const picks = await picksOf(figure, 'name');
  const pickOf = (kind) => picks.find(([, label]) => label.includes(kind))[0];
  return { figure, names, filter, pickOf };
}

test('deleting a false positive makes a real key disappear', async (t) => {
  const { figure, names, filter, pickOf } = await openDeleting(t);
  const name = pickOf('a false positive');
  assert.ok(!names.includes(name));
  await figure.set('name', '');
  await figure.set('name', name);
  const steps = await figure.steps();
  for (const step of steps) checkDrawing(step);
  const found = steps.find(({ answer }) => answer !== '');
  assert.equal(filter.has(name), true);
  assert.equal(found.verdict, 'wrong');
  assert.match(found.answer, new RegExp(`^${name} is probably in the set, and that is wrong`));
  assert.deepEqual(numbersIn(found), bucketsOf(filter));

  assert.equal(filter.delete(name), true);
  const lost = names.filter((other) => !filter.has(other));
  assert.equal(lost.length, 1);
  const last = steps.at(-1);
  assert.equal(last.verdict, 'wrong');
  assert.equal(last.answer, `has('${lost[0]}') is false, and that is wrong: a false negative.`);
  assert.deepEqual(numbersIn(last), bucketsOf(filter));
  assert.ok(!namesIn(last).includes(lost[0]));
});

test('deleting a key that was added loses no other', async (t) => {
  const { figure, names, filter, pickOf } = await openDeleting(t);
  const name = pickOf('(in the set)');
  await figure.pick('name', name);
  const steps = await figure.steps();
  const found = steps.find(({ answer }) => answer !== '');
  assert.equal(found.verdict, 'probable');
  assert.equal(filter.delete(name), true);
  assert.deepEqual(
    names.filter((other) => !filter.has(other)),
    [name],
  );
  assert.equal(steps.at(-1).verdict, 'probable');
  assert.deepEqual(numbersIn(steps.at(-1)), bucketsOf(filter));
});

test('an absent key is not deleted', async (t) => {
  const { figure, filter, pickOf } = await openDeleting(t);
  const name = pickOf('(not in the set)');
  await figure.pick('name', name);
  const last = (await figure.steps()).at(-1);
  assert.equal(filter.has(name), false);
  assert.equal(filter.delete(name), false);
  assert.equal(last.verdict, 'absent');
  assert.match(last.caption, /is false, and nothing changes/);
  assert.deepEqual(numbersIn(last), bucketsOf(filter));
});
