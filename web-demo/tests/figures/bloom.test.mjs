import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { BloomFilter, bloomRate } from 'tamis';
import { axeOf } from '../demo-page.mjs';
import { BITS, makeFilter, membersOf } from './bloom-filter.mjs';
import {
  figureOf,
  lineOf,
  linkTo,
  listed,
  numbersOf,
  openFigures,
  picksOf,
} from './figure-page.mjs';

/** The set bits of a filter of type 1: FORMAT.md, 5.1. */
function setBits(filter) {
  const array = filter.toBytes().subarray(64 + 16);
  const bits = Array.from({ length: filter.bits }, (_, i) => i);
  return bits.filter((i) => (array[i >> 3] >> (i & 7)) & 1);
}

const tonesOf = (marks, tone) =>
  marks.filter((mark) => mark.key.startsWith('cell') && mark.tone === tone).map(({ key }) => key);
const cells = (bits) => bits.map((bit) => `cell${bit}`);
const sorted = (values) => [...values].sort();

async function checkLookUp(figure, name, filter, members) {
  const expected = filter.has(name);
  const positions = [...new Set(filter.positions(name))];
  const bits = setBits(filter);
  const clear = positions.find((bit) => !bits.includes(bit));
  const steps = await figure.steps();
  const last = steps.at(-1);
  const inSet = members.includes(name);
  assert.equal(last.verdict, !expected ? 'absent' : inSet ? 'probable' : 'wrong');
  assert.match(lineOf(last, 'Answer: '), new RegExp(`^Answer: ${expected}\\. ${name} is `));
  for (const step of steps) {
    assert.ok(step.text.includes(`${bits.length} of its ${BITS} bits are set.`));
    assert.equal(step.marks.find(({ key }) => key === 'the key').text, name);
    // A set bit is drawn as 1, in any tone.
    const ones = step.marks.filter(({ kind, text }) => kind === 'cell' && text === '1');
    assert.deepEqual(
      ones.map(({ key }) => key),
      cells(bits),
    );
  }
  assert.deepEqual(numbersOf(steps[1].caption.replace(name, '')), positions);
  const chosen = ['looked', 'looked-on'].map((tone) => tonesOf(steps[1].marks, tone));
  assert.deepEqual(sorted(chosen.flat()), sorted(cells(positions)));
  assert.deepEqual(sorted(chosen[1]), sorted(cells(positions.filter((bit) => bits.includes(bit)))));
  // There is one step for each bit, up to the first clear bit.
  const looked = clear === undefined ? positions : positions.slice(0, positions.indexOf(clear) + 1);
  assert.equal(steps.length, 2 + looked.length + (clear === undefined ? 1 : 0));
  looked.forEach((bit, i) => {
    const { caption, text } = steps[2 + i];
    assert.ok(caption.startsWith(`Bit ${bit} is ${bits.includes(bit) ? 'set' : 'clear'}`), caption);
    assert.deepEqual(
      numbersOf(text.find((line) => line.startsWith('Looked at: '))),
      looked.slice(0, i + 1),
    );
  });
  assert.deepEqual(tonesOf(last.marks, 'miss'), clear === undefined ? [] : cells([clear]));
  return last;
}

test('a look-up says of each name what the package says, and shows the bits it finds', async (t) => {
  const figure = figureOf(await openFigures(t), 'bloom');
  const members = await membersOf(figure);
  assert.equal(members.length, 22);
  const filter = makeFilter(members);
  const picks = await picksOf(figure, 'name');
  assert.deepEqual(
    picks.map(([, label]) => label.replace(/^\S+ /, '')),
    ['(in the set)', '(not in the set)', '(a false positive)'],
  );
  for (const [name, label] of picks) {
    await figure.pick('name', name);
    assert.equal(filter.has(name), !label.includes('not in'), name);
    assert.equal(members.includes(name), label.includes('in the set') && filter.has(name), name);
    await checkLookUp(figure, name, filter, members);
  }
  for (const name of ['Grace', 'Nobody at all', '\u00c5sa']) {
    await figure.set('name', name);
    await checkLookUp(figure, name, filter, members);
  }
  filter.dispose();
});

test('a false positive leads to those who set its bits', async (t) => {
  const figure = figureOf(await openFigures(t), 'bloom');
  const members = await membersOf(figure);
  const filter = makeFilter(members);
  const candidates = Array.from({ length: 1000 }, (_, i) => `guest${i}`);
  const wrong = candidates.filter((name) => filter.has(name));
  assert.ok(wrong.length > 2);
  for (const name of wrong.slice(0, 3)) {
    await figure.set('name', name);
    const last = await checkLookUp(figure, name, filter, members);
    const lines = [];
    for (const bit of new Set(filter.positions(name))) {
      const setters = members.filter((member) => filter.positions(member).includes(bit));
      const said = lineOf(last, `Bit ${bit} was set by `);
      assert.deepEqual(listed(said.replace(/^.* by /, '')), setters);
      lines.push(...setters.map((setter) => `line ${setter} ${bit}`));
    }
    const drawn = last.marks.filter(({ key }) => key.startsWith('line ')).map(({ key }) => key);
    assert.deepEqual(sorted(drawn), sorted(lines));
    const culprits = members.filter((member) => lines.some((line) => line.includes(` ${member} `)));
    const chips = last.marks.filter(({ key, tone }) => key.startsWith('name ') && tone === 'wrong');
    assert.deepEqual(
      chips.map(({ text }) => text),
      culprits,
    );
  }
  filter.dispose();
});

test('the fill shows the filter after each name, and its first false positive', async (t) => {
  const figure = figureOf(await openFigures(t), 'bloom');
  await figure.pick('view', 'fill');
  await figure.set('name', 'Nobody');
  const steps = await figure.steps();
  const filter = makeFilter([]);
  let first = -1;
  steps.forEach((step, i) => {
    const newest = step.text.find((line) => line.includes(' came last, and has the bits '));
    assert.equal(newest === undefined, i === 0);
    if (newest) {
      const name = newest.split(' came last')[0];
      assert.notEqual(name, 'Nobody');
      filter.add(name);
      assert.deepEqual(numbersOf(newest), [...new Set(filter.positions(name))]);
    }
    const bits = setBits(filter);
    const ones = step.marks.filter(({ key, text }) => key.startsWith('cell') && text === '1');
    assert.deepEqual(
      ones.map(({ key }) => key),
      cells(bits),
    );
    assert.ok(step.caption.includes(`${i} name${i === 1 ? '' : 's'} in. ${bits.length} of 128 `));
    const chance = filter.estimatedFpr;
    const [, share, one] = step.caption.match(/chance of (?:([\d.]+) %|1 in ([\d,]+))\.$/);
    const said = share ? share / 100 : 1 / Number(one.replaceAll(',', ''));
    assert.ok(Math.abs(said - chance) <= 0.005 * chance, step.caption);
    const found = filter.has('Nobody');
    if (found && first < 0) first = i;
    assert.equal(step.verdict, found ? 'wrong' : 'absent');
    assert.ok(step.text.some((line) => line.startsWith(`has('Nobody') is ${found}.`)));
  });
  assert.ok(first > 0 && first < steps.length - 1, `the first false positive is at ${first}`);
  filter.dispose();
});

test("the curve shows the package's rates, and the best number of bits a name", async (t) => {
  const figure = figureOf(await openFigures(t), 'bloom');
  const members = await membersOf(figure);
  await figure.pick('view', 'hashes');
  const steps = await figure.steps();
  const rates = steps.map((_, i) => bloomRate({ bits: BITS, hashes: i + 1, count: 22 }));
  const best = rates.indexOf(Math.min(...rates));
  steps.forEach((step, i) => {
    const filter = makeFilter(members, i + 1);
    const set = setBits(filter);
    filter.dispose();
    const [share, rate] = step.caption.match(/[\d.]+(?= %)/g).map(Number);
    assert.ok(Math.abs(share / 100 - set.length / BITS) < 0.0005);
    assert.ok(Math.abs(rate / 100 - rates[i]) <= 0.005 * rates[i]);
    assert.equal(step.caption.includes('That is the best number'), i === best);
    const ones = step.marks.filter(({ key, text }) => key.startsWith('cell') && text === '1');
    assert.deepEqual(
      ones.map(({ key }) => key),
      cells(set),
    );
  });
});

test('the real list is the file that is served, doubled step by step to its end', async (t) => {
  const figure = figureOf(await openFigures(t), 'bloom');
  const folder = new URL('../../dist/', import.meta.url);
  const file = await readFile(new URL('phishing.tamis', folder));
  const { hosts } = JSON.parse(await readFile(new URL('phishing.json', folder), 'utf8'));
  const filter = BloomFilter.fromBytes(file);
  const set = setBits(filter);
  await figure.pick('view', 'list');
  const steps = await figure.steps();
  steps.forEach((step, i) => {
    const count = Math.min(BITS * 2 ** i, filter.bits);
    const share =
      lineOf(step, '').length > 0 && step.text.find((line) => line.includes('bits are set'));
    assert.deepEqual(numbersOf(share.replaceAll(',', '')), [
      set.filter((bit) => bit < count).length,
      count,
    ]);
  });
  assert.ok(BITS * 2 ** (steps.length - 2) < filter.bits);
  assert.ok(steps.at(-1).caption.includes(hosts.toLocaleString('en')));
  filter.dispose();
});

test('the state is in the address after an interaction, and not before; it survives a reload', async (t) => {
  const page = await openFigures(t, { isHeld: true });
  const figure = figureOf(page, 'bloom');
  await figure.ready();
  await page.clock.runFor(1000);
  assert.equal(await page.evaluate(() => location.search), '');
  await figure.set('name', 'Grace');
  await figure.back();
  const shown = await figure.here();
  await page.clock.runFor(1000);
  await page.reload();
  const again = figureOf(page, 'bloom');
  assert.deepEqual(await again.here(), shown);
  assert.equal(await again.find('input[name=name]').inputValue(), 'Grace');
  await again.reset();
  assert.equal(await again.find('input[name=name]').inputValue(), 'Zoe');
  assert.match(await again.place(), /^1 of /);
});

test('an address with nonsense shows the beginning', async (t) => {
  const search = linkTo('bloom', { view: 'nonsense', name: 'Ada', step: 'x' });
  const figure = figureOf(await openFigures(t, { search }), 'bloom');
  assert.match(await figure.place(), /^1 of /);
  const pressed = figure.find('button[data-name=view][aria-pressed=true]');
  assert.equal(await pressed.getAttribute('value'), 'look-up');
});

test('nothing is read aloud before an interaction, and each step after one', async (t) => {
  const figure = figureOf(await openFigures(t), 'bloom');
  await figure.ready();
  assert.equal(await figure.find('[role=status], [aria-live]').count(), 0);
  await figure.next();
  const status = figure.find('[role=status]');
  assert.equal(await status.count(), 1);
  assert.ok((await status.textContent()).includes(await figure.caption()));
});

test('Play goes on to the end and stops there', async (t) => {
  const page = await openFigures(t, { reducedMotion: 'no-preference', isHeld: true });
  const figure = figureOf(page, 'bloom');
  await figure.home();
  const count = Number((await figure.place()).split(' of ')[1]);
  await figure.play();
  assert.equal(await figure.find('.play').textContent(), 'Pause');
  const isHushed = async () =>
    (await figure.find('[role=status]').getAttribute('aria-live')) === 'off';
  for (let step = 2; step <= count; step++) {
    // Only the last caption is read aloud.
    assert.ok(await isHushed());
    // The time for looking at the drawing, and for reading each word.
    const words = `${await figure.answer()} ${await figure.caption()}`.match(/\S+/g).length;
    await page.clock.runFor(600 + 250 * words - 1);
    assert.equal(await figure.place(), `${step - 1} of ${count}`);
    await page.clock.runFor(1);
    assert.equal(await figure.place(), `${step} of ${count}`);
  }
  assert.ok(!(await isHushed()));
  assert.equal(await figure.find('.play').textContent(), 'Play');
  await page.clock.runFor(60_000);
  assert.equal(await figure.place(), `${count} of ${count}`);
});

test('a changed name plays, but shows its end at once where motion is reduced', async (t) => {
  const options = { search: linkTo('bloom', { view: 'look-up', name: 'Zoe' }) };
  const moving = figureOf(
    await openFigures(t, { ...options, reducedMotion: 'no-preference', isHeld: true }),
    'bloom',
  );
  await moving.pick('name', 'Ada');
  assert.equal(await moving.find('.play').textContent(), 'Pause');
  const still = figureOf(await openFigures(t, options), 'bloom');
  await still.pick('name', 'Ada');
  assert.equal(await still.find('.play').textContent(), 'Play');
  const [at, count] = (await still.place()).split(' of ');
  assert.equal(at, count);
  const tweens = await still
    .find('svg > g')
    .first()
    .evaluate((group) => getComputedStyle(group).transitionDuration);
  assert.equal(tweens, '0s');
});

for (const colorScheme of ['light', 'dark']) {
  test(`axe finds nothing wrong with the figures, ${colorScheme}`, async (t) => {
    const page = await openFigures(t, { colorScheme });
    for (const type of ['bloom', 'cuckoo', 'blocked', 'binary-fuse', 'url'])
      await figureOf(page, type).end();
    assert.deepEqual(await axeOf(page), []);
  });
}
