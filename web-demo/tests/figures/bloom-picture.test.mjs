import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashKey } from 'tamis';
import { handled, press } from '../../../tests/e2e/browser.mjs';
import { axeOf } from '../demo-page.mjs';
import { BITS, HASHES, makeFilter, membersOf, SEED } from './bloom-filter.mjs';
import { figureOf, linkTo, openFigures } from './figure-page.mjs';
import { seeded, u64 } from './hash.mjs';

const open = async (t, options = {}) => {
  const page = await openFigures(t, options);
  const figure = figureOf(page, 'bloom');
  const members = await membersOf(figure);
  const filter = makeFilter(members);
  t.after(() => filter.dispose());
  const settersOf = (bit) => members.filter((name) => filter.positions(name).includes(bit));
  return { page, figure, members, filter, settersOf };
};

test('Ruth has four bits, each set by another name, and Zoe is told apart by one clear bit', async (t) => {
  const { filter, members, settersOf } = await open(t);
  for (const name of [...members, 'Ruth', 'Zoe']) {
    assert.equal(new Set(filter.positions(name)).size, HASHES, name);
  }
  assert.ok(filter.has('Ruth') && !members.includes('Ruth'));
  const owners = filter.positions('Ruth').map(settersOf);
  assert.ok(owners.every((names) => names.length === 1));
  assert.equal(new Set(owners.flat()).size, HASHES);
  assert.ok(!filter.has('Zoe'));
});

test('chosen bits carry their numbers from the second step on', async (t) => {
  const { figure, filter } = await open(t);
  for (const name of ['Ruth', 'Zoe', 'Ada', 'guest7']) {
    await figure.set('name', name);
    const positions = [...new Set(filter.positions(name))];
    const steps = await figure.steps();
    steps.forEach(({ marks }, i) => {
      const numbers = marks.filter(({ key }) => key.startsWith('number '));
      assert.deepEqual(
        numbers.map(({ key, text }) => [key, text]),
        i === 0 ? [] : positions.map((bit) => [`number ${bit}`, String(bit)]),
      );
    });
  }
});

test('the second step derives the bits from the hash, number by number', async (t) => {
  const { figure, filter } = await open(t);
  const hex = (value) => value.toString(16).padStart(16, '0');
  for (const name of ['Ruth', 'Ada', 'Nobody at all', '\u00c5sa']) {
    await figure.set('name', name);
    await figure.home();
    await figure.next();
    const { marks, text } = await figure.here();
    const cells = marks.filter(({ key }) => key.startsWith('derive ')).map(({ text }) => text);
    const expected = [hex(hashKey(name))];
    assert.ok(text.some((line) => line.includes(`XXH3-64 of ${name} is ${expected[0]},`)));
    let x = seeded(name, SEED);
    for (const position of filter.positions(name)) {
      const digits = position.toString(2).padStart(7, '0');
      assert.equal(x.toString(2).padStart(64, '0').slice(0, 7), digits);
      expected.push(hex(x), digits, `= bit ${position}`);
      assert.ok(
        text.some(
          (line) => line.includes(`${hex(x)}. `) && line.includes(`${digits}: bit ${position}.`),
        ),
      );
      x = u64(x * 0xf1357aea2e62a9c5n);
    }
    const isValue = (words) => /^([0-9a-f]{16}|[01]{7}|= bit \d+)$/.test(words);
    assert.deepEqual(cells.filter(isValue), expected, name);
  }
});

/** The lit parts: the names, the lines to names, and the pressed cells. */
async function lit(figure) {
  const marks = await figure.marks();
  const pressed = await figure
    .find('svg > [aria-pressed=true]')
    .evaluateAll((groups) =>
      groups.map((group) => [group.dataset.key, group.getAttribute('aria-label')]),
    );
  return {
    names: marks
      .filter(({ key, tone }) => key.startsWith('name ') && tone !== 'faint')
      .map(({ text }) => text),
    lines: marks.filter(({ key }) => key.startsWith('line ')).map(({ key }) => key),
    numbers: marks.filter(({ key }) => key.startsWith('number ')).map(({ text }) => Number(text)),
    words: marks
      .filter(({ key }) => key.startsWith('added '))
      .map(({ text }) => text)
      .join(' '),
    pressed,
  };
}

async function assertLit(figure, bit, names) {
  const said =
    names.length === 0
      ? 'is 0. No name'
      : `is 1. ${names.join(', ').replace(/, ([^,]*)$/, ' and $1')}`;
  const words = `Bit ${bit} ${said} set it.`;
  const now = await lit(figure);
  assert.deepEqual(now.names, names);
  assert.deepEqual(now.lines.sort(), names.map((name) => `line ${name} ${bit}`).sort());
  assert.deepEqual(now.pressed, [[`cell${bit}`, words]]);
  assert.equal(now.words, words);
  assert.ok(now.numbers.includes(bit));
}

async function assertDark(figure) {
  const now = await lit(figure);
  assert.deepEqual([now.names, now.lines, now.pressed], [[], [], []]);
}

for (const hasTouch of [false, true]) {
  test(`a press on any bit lights its names, ${hasTouch ? 'by finger' : 'by mouse'}`, async (t) => {
    const viewport = hasTouch ? { width: 390, height: 844 } : { width: 1280, height: 800 };
    const { page, figure, settersOf } = await open(t, { viewport, hasTouch });
    const press = (bit) => {
      const cell = figure.find(`[data-key=cell${bit}]`);
      return handled(page, 'click', () => (hasTouch ? cell.tap() : cell.click()));
    };
    await assertDark(figure);
    const bits = Array.from({ length: BITS }, (_, bit) => bit);
    const clear = bits.find((bit) => settersOf(bit).length === 0);
    const one = bits.find((bit) => settersOf(bit).length === 1);
    const many = bits.findLast((bit) => settersOf(bit).length > 1);
    for (const bit of [one, many, clear]) {
      await press(bit);
      await assertLit(figure, bit, settersOf(bit));
    }
    await press(clear);
    await assertDark(figure);
  });
}

test('the bits are reached and pressed by keyboard, with one stop of the Tab key', async (t) => {
  const { page, figure, filter, settersOf } = await open(t, {
    search: linkTo('bloom', { name: 'Ruth', step: 1 }),
  });
  const first = filter.positions('Ruth')[0];
  const stops = figure.find('svg > [tabindex="0"]');
  assert.equal(await stops.count(), 1);
  assert.equal(await figure.find('svg').getAttribute('role'), 'group');
  const focused = () =>
    page.evaluate(() => document.activeElement.shadowRoot.activeElement?.dataset.key);
  await figure.find('.reset').focus();
  await press(page, 'Tab');
  assert.equal(await focused(), `cell${first}`);
  await press(page, 'Enter');
  await assertLit(figure, first, settersOf(first));
  for (const [key, bit] of [
    ['ArrowRight', first + 1],
    ['ArrowLeft', first],
    ['ArrowDown', first + 32],
    ['ArrowUp', first],
    ['End', BITS - 1],
    ['ArrowRight', BITS - 1],
    ['Home', 0],
    ['ArrowUp', 0],
  ]) {
    await press(page, key);
    assert.equal(await focused(), `cell${bit}`, key);
    assert.equal(await stops.count(), 1);
  }
  await press(page, ' ');
  await assertLit(figure, 0, settersOf(0));
  assert.deepEqual(await axeOf(page), []);
  await press(page, 'Escape');
  await assertDark(figure);
  assert.equal(await focused(), 'cell0');
  await press(page, 'Enter');
  await figure.next();
  await assertDark(figure);
});

test('on a phone, the Step button, the words and all bits are in one view', async (t) => {
  const viewport = { width: 390, height: 844 };
  const { figure } = await open(t, {
    viewport,
    search: linkTo('bloom', { name: 'Ruth', step: 6 }),
  });
  await figure.ready();
  const [button, words, bit] = await Promise.all(
    ['.step', '.words', `[data-key=cell${BITS - 1}]`].map((part) =>
      figure.find(part).boundingBox(),
    ),
  );
  assert.ok(button.y < words.y && words.y < bit.y);
  // The bars of the site leave this room.
  const room = viewport.height - 2 * 64;
  assert.ok(bit.y + bit.height - button.y < room, `${bit.y - button.y} px`);
});

test('a press ends the play', async (t) => {
  const { figure } = await open(t, { reducedMotion: 'no-preference', isHeld: true });
  await figure.play();
  assert.equal(await figure.find('.play').textContent(), 'Pause');
  await figure.find('[data-key=cell5]').click();
  assert.equal(await figure.find('.play').textContent(), 'Play');
});
