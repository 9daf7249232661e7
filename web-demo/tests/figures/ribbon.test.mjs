import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RibbonFilter } from 'tamis';
import { axeOf } from '../demo-page.mjs';
import { figureOf, linkTo, openFigures } from './figure-page.mjs';
import { firstStart, retrievalOf, rowOf } from './retrieval.mjs';

const hex = (value) => value.toString(16).padStart(2, '0');
const print = ({ check }) => check & 0xff;
const lineOf = (step, start) => step.text.find((line) => line.startsWith(start));
const numbersOf = (line) => (line.match(/\d+/g) ?? []).map(Number);
const makeRibbon = (keys) => RibbonFilter.from(keys, { fingerprintBits: 8 });

/** The keys as the first step of the build lists them. */
async function keysOf(figure) {
  await figure.home();
  const lines = (await figure.text()).filter((line) => line.includes(': starts at slot '));
  return lines.map((line) => line.split(':')[0]);
}

const heldLine = ({ slots }) => `The slots hold ${slots.map(hex).join(' ')}.`;

test("a build shows each key's row, and the slots that are in the filter's bytes", async (t) => {
  const figure = figureOf(await openFigures(t), 'ribbon');
  const keys = await keysOf(figure);
  assert.equal(new Set(keys).size, 216);
  const filter = makeRibbon(keys);
  const levels = retrievalOf(filter, 0);
  const [level] = levels;
  const rows = new Map(keys.map((key) => [key, rowOf(levels, key)]));
  const rowLine = (key) => {
    const row = rows.get(key);
    return (
      `${key}: starts at slot ${row.start} and marks ${row.marked.length} slots, the last of them ` +
      `${row.marked.at(-1)}. Fingerprint ${hex(print(row))}.`
    );
  };
  const steps = await figure.steps();
  for (const step of steps.slice(0, 3)) {
    const lines = step.text.slice(2);
    assert.deepEqual(lines.toSorted(), keys.map(rowLine).toSorted());
  }
  // The rows are sorted from the second step on.
  const starts = steps[1].text.slice(2).map((line) => rows.get(line.split(':')[0]).start);
  assert.deepEqual(
    starts,
    starts.toSorted((a, b) => a - b),
  );
  assert.notDeepEqual(
    steps[0].text.slice(2).map((line) => rows.get(line.split(':')[0]).start),
    starts,
  );
  // The slots fill from the last one on, with the values in the bytes.
  const solving = steps.filter((step) => lineOf(step, 'They are '));
  assert.equal(solving.length, 6);
  for (const step of solving) {
    const [from, to] = numbersOf(step.text[0]);
    assert.equal(to, level.size - 1);
    const held = level.slots.slice(from).map(hex).join(' ');
    assert.equal(step.text[1], `They are ${held}.`);
    const drawn = step.marks.filter(({ key }) => /^slot \d+$/.test(key));
    assert.equal(drawn.length, level.size - from);
  }
  assert.equal(numbersOf(solving.at(-1).text[0])[0], 0);
  // In the end all rows hold.
  const last = steps.at(-1);
  assert.equal(lineOf(last, 'The slots hold '), heldLine(level));
  for (const key of keys) {
    const row = rows.get(key);
    const sum = hex(row.sum);
    assert.equal(row.sum, print(row), key);
    assert.ok(filter.has(key), key);
    assert.equal(
      lineOf(last, `${key}: `),
      `${key}: the XOR of its slots is ${sum}, its fingerprint ${sum}.`,
    );
  }
  const bits = ((8 * filter.sizeBytes) / keys.length).toFixed(2);
  assert.equal(
    last.text[0],
    `${filter.sizeBytes} bytes for ${keys.length} keys: ${bits} bits a key.`,
  );
  filter.dispose();
});

test('the elimination gives each row a slot of its own', async (t) => {
  const figure = figureOf(await openFigures(t), 'ribbon');
  const keys = await keysOf(figure);
  const steps = (await figure.steps()).filter((step) => lineOf(step, 'Any order of the rows'));
  const counts = steps.map((step) => numbersOf(step.text[0]));
  assert.deepEqual(
    counts.map(([done]) => done),
    [36, 72, 108, 144, 180, 216],
  );
  assert.ok(counts.every(([, all]) => all === keys.length));
  for (const step of steps) {
    const rows = step.marks.filter(({ key }) => key.startsWith('row '));
    assert.equal(rows.length, keys.length);
  }
});

test('a look-up answers as the package does, by the XOR of the marked slots', async (t) => {
  const figure = figureOf(await openFigures(t), 'ribbon');
  const keys = await keysOf(figure);
  const filter = makeRibbon(keys);
  const levels = retrievalOf(filter, 0);
  const [{ slots }] = levels;
  await figure.pick('view', 'look-up');
  const picks = await figure
    .find('button[data-name=key]')
    .evaluateAll((buttons) => buttons.map(({ value, textContent }) => [value, textContent]));
  assert.deepEqual(
    picks.map(([, label]) => label.replace(/^\S+ /, '')),
    ['(in the set)', '(not in the set)', '(a false positive)'],
  );
  const check = async (key) => {
    const row = rowOf(levels, key);
    const found = filter.has(key);
    assert.equal(found, row.sum === print(row), key);
    const steps = await figure.steps();
    const last = steps.at(-1);
    assert.equal(last.verdict, !found ? 'absent' : keys.includes(key) ? 'probable' : 'wrong');
    assert.ok(lineOf(last, `Answer: ${found}. `), key);
    assert.equal(lineOf(steps[0], 'The slots hold '), heldLine(levels[0]));
    assert.equal(
      lineOf(steps[2], 'The marked slots are '),
      `The marked slots are ${row.marked.join(', ')}.`,
    );
    steps.slice(3, 7).forEach((step, i) => {
      const part = row.marked.filter((slot) => slot < row.start + 16 * (i + 1));
      const sum = hex(part.reduce((so, slot) => so ^ slots[slot], 0));
      const { length } = row.marked;
      assert.equal(
        step.text[0],
        `The XOR of ${part.length} of the ${length} marked slots is ${sum}.`,
      );
      const tones = step.marks.filter(({ key }) => key.startsWith('place'));
      assert.equal(tones.filter(({ tone }) => tone === 'hit').length, part.length);
      assert.equal(tones.filter(({ tone }) => tone === 'looked').length, length - part.length);
    });
    assert.equal(steps.length, 8);
    const both = `The XOR is ${hex(row.sum)}. The fingerprint of ${key} is ${hex(print(row))}.`;
    assert.equal(last.text[0], both);
  };
  for (const [key, label] of picks) {
    await figure.pick('key', key);
    assert.equal(filter.has(key), !label.includes('not in'), key);
    assert.equal(keys.includes(key), label.endsWith('(in the set)'), key);
    await check(key);
  }
  for (const key of ['grace@example.org', 'nobody at all', '\u00e5sa@example.com']) {
    await figure.set('key', key);
    await check(key);
  }
  filter.dispose();
});

test('the second level has the keys that the thresholds in the bytes send there', async (t) => {
  const page = await openFigures(t, { search: linkTo('ribbon', { view: 'levels' }) });
  const figure = figureOf(page, 'ribbon');
  const steps = await figure.steps();
  const [, each, ...names] = lineOf(steps[0], 'Each name has ').match(
    /^Each name has (\d+) keys.*: (.*)\.$/,
  );
  const keys = names[0]
    .split(', ')
    .flatMap((name) =>
      Array.from({ length: Number(each) }, (_, i) => `${name}${i + 1}@example.com`),
    );
  const filter = makeRibbon(keys);
  const levels = retrievalOf(filter, 0);
  const [first, second] = levels;
  assert.equal(levels.length, 2);
  const rows = keys.map((key) => ({ ...rowOf(levels, key), first: firstStart(levels, key) }));
  for (const row of rows) assert.equal(row.sum & 0xff, print(row));
  const expected = first.bumped.map((below, bucket) => {
    const here = rows.filter((row) => Math.floor(row.first / 128) === bucket);
    const gone = here.filter(({ level }) => level === 1).length;
    const rule = below === 0 ? 'no start goes on' : `the first ${below} starts go on`;
    return `Bucket ${bucket}: ${rule}. ${here.length - gone} keys stay, ${gone} go on.`;
  });
  assert.ok(new Set(first.bumped).size > 1, 'some buckets bump and others do not');
  assert.deepEqual(
    steps[3].text.filter((line) => line.startsWith('Bucket ')),
    expected,
  );
  const gone = rows.filter(({ level }) => level === 1).length;
  assert.deepEqual(numbersOf(steps[4].text[0]), [gone, second.size]);
  const drawn = steps[4].marks.filter(({ key }) => key.startsWith('row '));
  assert.equal(drawn.length, gone);
  const size = filter.sizeBytes;
  const bits = ((8 * size) / keys.length).toFixed(2);
  assert.ok(steps[5].text[0].includes(`${size.toLocaleString('en')} bytes, ${bits} bits a key`));
  filter.dispose();
});

test('axe finds nothing in the three views', async (t) => {
  for (const view of ['band', 'look-up', 'levels']) {
    const page = await openFigures(t, { search: linkTo('ribbon', { view }) });
    await figureOf(page, 'ribbon').ready();
    assert.deepEqual(await axeOf(page), []);
  }
});
