import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ExactFilter } from 'tamis';
import { figureOf, linkTo, openFigures } from './figure-page.mjs';

const zones = ['On the first sieve: ', 'On the second sieve: ', 'Below both sieves: '];

/** The names of a zone, as the text lists them. */
function namesIn(step, zone) {
  const line = step.text.find((line) => line.startsWith(zones[zone]));
  const list = line.slice(zones[zone].length).replace(/\.$/, '');
  return list === 'no name' ? [] : list.split(/, | and /);
}

function slotsIn(step, which) {
  const start = `Slots of the ${which} sieve: `;
  const line = step.text.find((line) => line.startsWith(start));
  return line.slice(start.length, -1).split(' ');
}

/** The slots of both levels from the bytes, by sections 5.12 and 5.14 of FORMAT.md. */
function levelsOf(filter) {
  const bytes = filter.toBytes();
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  let at = 64 + 24;
  return [0, 1].map(() => {
    const count = view.getUint32(at, true);
    const width = view.getUint8(at + 6);
    at += 8;
    const bit = (i) => (bytes[at + (i >> 3)] >> (i & 7)) & 1;
    const slots = Array.from({ length: count }, (_, slot) =>
      Array.from({ length: width }, (_, plane) => bit((width - 1 - plane) * count + slot)).join(''),
    );
    at += Math.ceil((count * width) / 8);
    return slots;
  });
}

/** The filter of the figure. Its lists are in the text, and its seed is the first one that gives its slots. */
function makeFilter(start) {
  const names = namesIn(start, 0);
  const tones = new Map(start.marks.map(({ key, tone }) => [key, tone]));
  const include = names.filter((name) => tones.get(`name ${name}`) === 'new');
  const exclude = names.filter((name) => !include.includes(name));
  const wanted = JSON.stringify([slotsIn(start, 'first'), slotsIn(start, 'second')]);
  for (let seed = 0n; seed < 1000n; seed++) {
    const filter = ExactFilter.from({ include, exclude }, { seed });
    if (JSON.stringify(levelsOf(filter)) === wanted) return { filter, include, exclude };
    filter.dispose();
  }
  return assert.fail('no seed gives the filter of the figure');
}

/** Opens the figure, and returns it with its filter. */
async function open(t, search = '') {
  const page = await openFigures(t, { search });
  const figure = figureOf(page, 'exact');
  const steps = await figure.steps();
  const made = makeFilter(steps[0]);
  t.after(() => made.filter.dispose());
  return { page, figure, steps, ...made };
}

test('the second sieve stops the false positives of the first', async (t) => {
  const { steps, filter, include, exclude } = await open(t);
  assert.deepEqual([include.length, exclude.length], [filter.count, filter.excluded]);
  const bytes = filter.toBytes();
  const caught = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(64 + 8, true));
  assert.ok(caught > 0);
  for (const step of steps) {
    const all = [0, 1, 2].flatMap((zone) => namesIn(step, zone));
    assert.deepEqual([...all].sort(), [...include, ...exclude].sort());
    assert.deepEqual([slotsIn(step, 'first'), slotsIn(step, 'second')], levelsOf(filter));
    for (const [name, slots] of [
      ['first', 0],
      ['second', 1],
    ]) {
      const drawn = step.marks.filter(({ key }) => key.startsWith(`${name} `));
      assert.deepEqual(
        drawn.map(({ text }) => text),
        levelsOf(filter)[slots],
      );
    }
    for (const name of all)
      assert.ok(
        step.marks.some(({ key }) => key === `name ${name}`),
        name,
      );
  }
  const last = steps.at(-1);
  assert.deepEqual(
    namesIn(last, 2),
    [...include, ...exclude].filter((name) => filter.has(name)),
  );
  assert.deepEqual(namesIn(last, 2), include);
  assert.equal(namesIn(last, 1).length, caught);
  const rate = `${(filter.fprOutside * 100).toPrecision(3)} %`;
  assert.ok(last.caption.includes(`a chance of ${rate}`), last.caption);
  const count = include.length + exclude.length;
  assert.equal(last.answer, `has is right for ${count} of ${count} names.`);
});

test('a name goes as far as the package lets it', async (t) => {
  const { figure, steps, filter, include, exclude } = await open(t);
  const stopped = namesIn(steps.at(-1), 0);
  await figure.pick('view', 'look-up');
  const picks = await figure
    .find('button[data-name="name"]')
    .evaluateAll((buttons) => buttons.map(({ value }) => value));
  assert.equal(picks.length, 4);
  const verdicts = new Set();
  for (const name of [...picks, 'Ulla', 'Otto', 'Nobody']) {
    await figure.set('name', name);
    const way = await figure.steps();
    const last = way.at(-1);
    const passes = filter.has(name);
    const really = include.includes(name);
    const verdict = passes ? (really ? 'probable' : 'wrong') : 'absent';
    assert.equal(last.verdict, verdict, name);
    assert.ok(last.answer.startsWith(`has('${name}') is ${passes}`), last.answer);
    assert.equal(way.filter(({ answer }) => answer !== '').length, 1);
    verdicts.add(verdict);
    // The name passes neither sieve, the first one, or both.
    if (passes) assert.equal(way.length, 5);
    else if (exclude.includes(name)) assert.equal(way.length, stopped.includes(name) ? 2 : 4);

    const levels = levelsOf(filter);
    for (const [step, level] of [[way[1], 0], ...(way.length > 3 ? [[way[3], 1]] : [])]) {
      const [, list] = step.caption.match(/slots ([\d, and]+)\. XOR/);
      const slots = list.split(/, | and /).map((slot) => levels[level][Number(slot)]);
      const width = levels[level][0].length;
      const sum = slots.reduce((all, slot) => all ^ Number.parseInt(slot, 2), 0);
      assert.ok(
        step.caption.includes(`XOR of these slots: ${sum.toString(2).padStart(width, '0')}.`),
        step.caption,
      );
    }
  }
  assert.deepEqual([...verdicts].sort(), ['absent', 'probable', 'wrong']);
});

test('a link leads to a name and a step', async (t) => {
  const search = linkTo('exact', { view: 'look-up', name: 'Ada', step: 1 });
  const figure = figureOf(await openFigures(t, { search }), 'exact');
  assert.equal(await figure.place(), '2 of 5');
  assert.match(await figure.caption(), /^The hash of Ada chooses slots/);
});
