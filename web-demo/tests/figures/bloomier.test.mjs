import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BloomierMap } from 'tamis';
import { axeOf } from '../demo-page.mjs';
import { figureOf, linkTo, openFigures } from './figure-page.mjs';
import { retrievalOf, rowOf } from './retrieval.mjs';

const lineOf = (step, start) => step.text.find((line) => line.startsWith(start));
const numbersOf = (line) => (line.match(/\d+/g) ?? []).map(Number);

/** The value of a slot or a sum: the map's value above the check. */
const parts = (held) => `${held >> 4} and ${(held & 15).toString(16)}`;
const heldLine = ({ slots }) => `The slots hold ${slots.map(parts).join(', ')}.`;

/** The entries from the text of a look-up's first step, and a map of them. */
async function read(figure) {
  await figure.home();
  const line = (await figure.text()).find((line) => line.includes(' has room '));
  const entries = [...line.matchAll(/(\w+) has room (\d+)/g)].map(([, name, room]) => [
    name,
    +room,
  ]);
  assert.equal(new Set(entries.map(([name]) => name)).size, 12);
  const map = BloomierMap.from(entries, { valueBits: 4, checkBits: 4 });
  return { rooms: new Map(entries), map, levels: retrievalOf(map, 8) };
}

test('a look-up gives what the package gives: a value, undefined, or a wrong value', async (t) => {
  const figure = figureOf(await openFigures(t), 'bloomier');
  const { rooms, map, levels } = await read(figure);
  const [{ slots }] = levels;
  const picks = await figure
    .find('button[data-name=name]')
    .evaluateAll((buttons) => buttons.map(({ value, textContent }) => [value, textContent]));
  assert.deepEqual(
    picks.map(([, label]) => label.replace(/^\S+ /, '')),
    ['(in the map)', '(not in the map)', '(a wrong value)'],
  );
  const check = async (name) => {
    const row = rowOf(levels, name);
    const wanted = row.check & 15;
    const value = map.get(name);
    assert.equal(value, (row.sum & 15) === wanted ? row.sum >> 4 : undefined, name);
    const steps = await figure.steps();
    assert.equal(lineOf(steps[0], 'The slots hold '), heldLine(levels[0]));
    assert.deepEqual(numbersOf(steps[1].text[0].replace(name, '')), row.marked);
    assert.equal(steps.length, row.marked.length + 3);
    row.marked.forEach((slot, i) => {
      const sum = row.marked.slice(0, i + 1).reduce((so, one) => so ^ slots[one], 0);
      assert.equal(steps[2 + i].text[1], `The XOR so far is ${parts(sum)}.`);
      const hit = steps[2 + i].marks.filter(
        ({ key, tone }) => /^value /.test(key) && tone === 'hit',
      );
      assert.equal(hit.length, i + 1);
      assert.ok(hit.some(({ key }) => key === `value ${slot}`));
    });
    const last = steps.at(-1);
    const isMember = rooms.has(name);
    assert.equal(last.verdict, value === undefined ? 'absent' : isMember ? 'probable' : 'wrong');
    assert.ok(last.answer.startsWith(`get('${name}') is ${value}`), last.answer);
    assert.equal(
      last.text[0],
      `The check is ${(row.sum & 15).toString(16)}, and ${wanted.toString(16)} is wanted.`,
    );
  };
  for (const [name, label] of picks) {
    await figure.pick('name', name);
    assert.equal(map.get(name) !== undefined, !label.includes('not in'), name);
    assert.equal(rooms.has(name), label.endsWith('(in the map)'), name);
    await check(name);
  }
  for (const name of ['Hedy', 'Nobody at all', '\u00c5sa']) {
    await figure.set('name', name);
    await check(name);
  }
  map.dispose();
});

test("a build shows each name's row, and the slots that are in the map's bytes", async (t) => {
  const figure = figureOf(await openFigures(t), 'bloomier');
  const { rooms, map, levels } = await read(figure);
  const [{ slots }] = levels;
  await figure.pick('view', 'build');
  const steps = await figure.steps();
  assert.equal(steps.length, 2 + rooms.size + slots.length);
  const rows = new Map([...rooms.keys()].map((name) => [name, rowOf(levels, name)]));
  for (const [name, room] of rooms) {
    const { marked, check, sum } = rows.get(name);
    const line = lineOf(steps[0], `${name}: `);
    assert.deepEqual(numbersOf(line.split('. ')[0]), marked);
    assert.ok(line.endsWith(`the value ${room} and the check ${(check & 15).toString(16)}.`), line);
    assert.equal(map.get(name), room);
    assert.equal(parts(sum), parts((room << 4) | (check & 15)));
    assert.equal(
      lineOf(steps.at(-1), `${name}: `),
      `${name}: the XOR is ${parts(sum)}. The room is ${room}, the check ${(check & 15).toString(16)}.`,
    );
  }
  // In the end each row begins at a slot of its own, and the slots have the sum that the row requires.
  const begins = steps.slice(1, rooms.size + 1).map(({ text: [, marks] }) => {
    const [list, rest] = marks.split('. ');
    const marked = numbersOf(list);
    const [, value, check] = rest.match(/^Value (\d+), check (\w)\.$/);
    const sum = marked.reduce((so, slot) => so ^ slots[slot], 0);
    assert.equal(parts(sum), `${value} and ${check}`);
    return marked[0];
  });
  assert.equal(new Set(begins).size, rooms.size);
  steps.slice(rooms.size + 1, -1).forEach(({ text }, i) => {
    const from = slots.length - 1 - i;
    const known = slots.map((held, slot) => `${slot} holds ${parts(held)}`).slice(from);
    assert.equal(text[1], `Known slots: ${known.join(', ')}.`);
  });
  assert.equal(lineOf(steps.at(-1), 'The slots hold '), heldLine(levels[0]));
  map.dispose();
});

test('axe finds nothing in both views', async (t) => {
  for (const view of ['look-up', 'build']) {
    const page = await openFigures(t, { search: linkTo('bloomier', { view }) });
    await figureOf(page, 'bloomier').ready();
    assert.deepEqual(await axeOf(page), []);
  }
});
