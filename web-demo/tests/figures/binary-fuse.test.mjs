import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BinaryFuseFilter } from 'tamis';
import { axeOf } from '../demo-page.mjs';
import {
  figureOf,
  lineOf,
  linkTo,
  listed,
  numbersOf,
  openFigures,
  picksOf,
} from './figure-page.mjs';
import { seeded } from './hash.mjs';

const hex = (value) => value.toString(16);

/** The slots of 4 bits of a filter of type 10: FORMAT.md, 5.11. */
function tableOf(filter) {
  const payload = filter.toBytes().subarray(64);
  const [segments, log, arity, bits] = [payload[0], payload[4], payload[5], payload[6]];
  assert.deepEqual([arity, bits], [3, 4]);
  const size = (segments + arity - 1) * 2 ** log;
  const slots = Array.from(
    { length: size },
    (_, i) => (payload[8 + (i >> 1)] >> (4 * (i & 1))) & 15,
  );
  return { segments, log, slots, seed: filter.seed };
}

function placesOf({ segments, log, seed }, key) {
  const g = seeded(key, seed);
  const length = 2 ** log;
  const y = BigInt.asUintN(64, g * 0x9e3779b97f4a7c15n);
  const first = Number(((g >> 32n) * BigInt(segments * length)) >> 32n);
  const next = [1, 2].map(
    (i) => (first + i * length) ^ (Number(y >> BigInt(64 - 18 * i)) & (length - 1)),
  );
  return { slots: [first, ...next], print: Number((g ^ (g >> 32n)) & 15n) };
}

const sumOf = ({ slots }, places) => places.reduce((sum, slot) => sum ^ slots[slot], 0);

/** The names and their slots from the text of the first step, and a filter of the names. */
async function read(figure) {
  await figure.home();
  const text = await figure.text();
  const seed = BigInt(text.find((line) => line.startsWith('The seed is ')).match(/\d+/)[0]);
  const lines = text.filter((line) => line.includes(', fingerprint '));
  const names = lines.map((line) => line.split(':')[0]);
  // The order of the names is that of peeling, and a filter has no order.
  const filter = BinaryFuseFilter.from(names, { fingerprintBits: 4, arity: 3, seed });
  const table = tableOf(filter);
  const places = new Map(names.map((name) => [name, placesOf(table, name)]));
  lines.forEach((line, i) => {
    const { slots, print } = places.get(names[i]);
    const [a, b, c] = slots;
    assert.equal(line, `${names[i]}: slots ${a}, ${b} and ${c}, fingerprint ${hex(print)}.`);
  });
  return { names, filter, table, places };
}

test('each name that is taken out alone has its slot, and gets what the bytes have', async (t) => {
  const figure = figureOf(await openFigures(t), 'binary-fuse');
  const { names, filter, table, places } = await read(figure);
  assert.equal(new Set(names).size, 12);
  const steps = await figure.steps();
  const count = names.length;
  assert.equal(steps.length, 2 * count + 3);
  const left = new Set(names);
  const owns = [];
  for (const step of steps.slice(1, count + 1)) {
    const [, slot, name] = step.text[0].match(/^Slot (\d+) has a single name: (\w+)\.$/);
    const having = [...left].filter((one) => places.get(one).slots.includes(Number(slot)));
    assert.deepEqual(having, [name]);
    const hit = step.marks.filter(({ tone }) => tone === 'hit').map(({ key }) => key);
    assert.deepEqual(hit.toSorted(), [`count ${slot}`, `${name} ${slot}`].toSorted());
    for (const mark of step.marks.filter(({ key }) => key.startsWith('count '))) {
      const have = [...left].filter((one) =>
        places.get(one).slots.includes(numbersOf(mark.key)[0]),
      );
      assert.equal(mark.text, have.length === 0 ? '' : String(have.length));
    }
    left.delete(name);
    owns.push([name, Number(slot)]);
    const out = listed(lineOf(step, 'Taken out, in this order: ').split(': ')[1]);
    assert.deepEqual(
      out,
      owns.map(([one]) => one),
    );
  }
  assert.equal(left.size, 0);
  const known = new Map();
  steps.slice(count + 2, -1).forEach((step, i) => {
    const [name, own] = owns[count - 1 - i];
    assert.ok(step.text[0].startsWith(`${name}: `));
    assert.equal(step.text[1], `Slot ${own} gets ${hex(table.slots[own])}.`);
    known.set(own, table.slots[own]);
    const said = [...step.text[2].matchAll(/(\d+) holds (\w)/g)].map(([, slot, value]) => [
      +slot,
      value,
    ]);
    const expected = [...known].toSorted(([a], [b]) => a - b);
    assert.deepEqual(
      said,
      expected.map(([slot, value]) => [slot, hex(value)]),
    );
  });
  // Slots that no key has alone are 0 in the bytes.
  table.slots.forEach((value, slot) => {
    if (!known.has(slot)) assert.equal(value, 0);
  });
  const last = steps.at(-1);
  assert.equal(last.text[0], `The slots hold ${table.slots.map(hex).join(' ')}.`);
  for (const name of names) {
    const { slots, print } = places.get(name);
    assert.ok(filter.has(name));
    assert.equal(sumOf(table, slots), print);
    const values = slots.map((slot) => hex(table.slots[slot])).join(' ^ ');
    assert.equal(
      lineOf(last, `${name}: `),
      `${name}: ${values} = ${hex(print)}, fingerprint ${hex(print)}.`,
    );
  }
  filter.dispose();
});

test('a look-up answers as the package does, by three slots', async (t) => {
  const figure = figureOf(await openFigures(t), 'binary-fuse');
  const { names, filter, table } = await read(figure);
  await figure.pick('view', 'look-up');
  const picks = await picksOf(figure, 'name');
  assert.deepEqual(
    picks.map(([, label]) => label.replace(/^\S+ /, '')),
    ['(in the set)', '(not in the set)', '(a false positive)'],
  );
  const check = async (name) => {
    const { slots, print } = placesOf(table, name);
    const found = filter.has(name);
    assert.equal(found, sumOf(table, slots) === print, name);
    const steps = await figure.steps();
    assert.equal(steps.length, 6);
    assert.equal(steps[0].text[1], `The slots hold ${table.slots.map(hex).join(' ')}.`);
    const [a, b, c] = slots;
    const chosen = `chooses the slots ${a}, ${b} and ${c}, and the fingerprint ${hex(print)}.`;
    assert.equal(steps[1].text[0], `The hash of ${name} ${chosen}`);
    slots.forEach((slot, i) => {
      const { text, marks } = steps[2 + i];
      assert.equal(text[0], `Slot ${slot} holds ${hex(table.slots[slot])}.`);
      assert.equal(text[1], `The XOR so far is ${hex(sumOf(table, slots.slice(0, i + 1)))}.`);
      const hit = marks.filter(({ key, tone }) => key.startsWith('slot') && tone === 'hit');
      const read = slots.slice(0, i + 1).toSorted((x, y) => x - y);
      assert.deepEqual(
        hit.map(({ key }) => key),
        read.map((one) => `slot${one}`),
      );
    });
    const last = steps.at(-1);
    assert.equal(last.verdict, !found ? 'absent' : names.includes(name) ? 'probable' : 'wrong');
    assert.ok(lineOf(last, `Answer: ${found}. `));
  };
  for (const [name, label] of picks) {
    await figure.pick('name', name);
    assert.equal(filter.has(name), !label.includes('not in'), name);
    assert.equal(names.includes(name), label.endsWith('(in the set)'), name);
    await check(name);
  }
  for (const name of ['Grace', 'Nobody at all', '\u00c5sa', 'guest 7']) {
    await figure.set('name', name);
    await check(name);
  }
  filter.dispose();
});

test('axe finds nothing in the look-up', async (t) => {
  const page = await openFigures(t, { search: linkTo('binary-fuse', { view: 'look-up' }) });
  await figureOf(page, 'binary-fuse').ready();
  assert.deepEqual(await axeOf(page), []);
});
