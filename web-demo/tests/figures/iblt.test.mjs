import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InvertibleBloomTable } from 'tamis';
import { figureOf, openFigures } from './figure-page.mjs';

const options = { differences: 5, keyBytes: 4 };
const CELLS = 32;

/** The cells of a table from its bytes, by section 5.16 of FORMAT.md. */
function cellsOf(table) {
  const bytes = table.toBytes();
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return Array.from({ length: CELLS }, (_, i) => {
    const at = 64 + 8 + 12 * CELLS + 4 * i;
    return { count: view.getInt32(64 + 8 + 4 * i, true), key: bytes.slice(at, at + 4) };
  });
}

/** The names of the last line with this beginning, such as 'You hold Ada, Alan and Ivan.' */
function namesAfter(step, start) {
  const line = step.text.findLast((line) => line.startsWith(start));
  const list = line.slice(start.length).replace(/\.$/, '');
  return list === 'nothing' ? [] : list.split(/, | and /);
}

const countsAfter = (step, start) => namesAfter(step, start).map(Number);

function makeTable(names, seed) {
  const table = new InvertibleBloomTable({ ...options, seed });
  for (const name of names) table.add(name);
  return table;
}

/** The first seed for which these names give these counts. */
function findSeed(names, counts) {
  for (let seed = 0n; seed < 10_000n; seed++) {
    const table = makeTable(names, seed);
    const same = cellsOf(table).every(({ count }, i) => count === counts[i]);
    table.dispose();
    if (same) return seed;
  }
  return assert.fail('no seed gives the table of the figure');
}

const asHex = (key) => Buffer.from(key).toString('hex');

/** Checks that the cells in a step's text are those of the table. A key in letters is alone in its cell. */
function checkCells(step, table) {
  const cells = cellsOf(table);
  const said = new Map(
    step.text.flatMap((line) => {
      const match = line.match(/^Cell (\d+): count (-?\d+), key sum (\w+)\.$/);
      return match ? [[Number(match[1]), [Number(match[2]), match[3]]]] : [];
    }),
  );
  for (const [i, { count, key }] of cells.entries()) {
    const line = said.get(i);
    const isEmpty = count === 0 && key.every((byte) => byte === 0);
    if (line === undefined) assert.ok(isEmpty, `${step.place}: cell ${i}`);
    else {
      assert.equal(line[0], count);
      assert.ok([asHex(key), Buffer.from(key).toString()].includes(line[1]));
    }
    const drawn = step.marks.find((mark) => mark.key === `count ${i}`);
    assert.equal(Number(drawn.text), count);
  }
}

for (const differences of [3, 5, 12, 24]) {
  test(`${differences} differences are peeled as the package decodes them`, async (t) => {
    const figure = figureOf(await openFigures(t), 'iblt');
    await figure.pick('differences', String(differences));
    const steps = await figure.steps();
    const yours = namesAfter(steps[0], 'You hold ');
    const theirs = namesAfter(steps[0], 'They hold ');
    const onlyYours = yours.filter((name) => !theirs.includes(name));
    const onlyTheirs = theirs.filter((name) => !yours.includes(name));
    assert.equal(onlyYours.length + onlyTheirs.length, differences);

    const counts = countsAfter(steps[0], 'Counts of your table: ');
    const seed = findSeed(yours, counts);
    const [first, second] = [makeTable(yours, seed), makeTable(theirs, seed)];
    assert.deepEqual(
      countsAfter(steps[0], 'Counts of their table: '),
      cellsOf(second).map(({ count }) => count),
    );
    const table = first.subtract(second);
    const { added, removed, complete } = table.decode();
    t.after(() => {
      for (const used of [first, second, table]) used.dispose();
    });

    const peeling = steps.findIndex((step) => /is subtracted/.test(step.caption));
    let listed = 0;
    for (const step of steps.slice(peeling)) {
      const mine = namesAfter(step, 'Listed as only yours: ');
      const others = namesAfter(step, 'Listed as only theirs: ');
      const isOut = step.caption.match(/^(\w+) leaves its four cells/);
      if (isOut) {
        const name = isOut[1];
        if (mine.includes(name)) table.delete(name);
        else table.add(name);
        listed++;
      }
      assert.equal(mine.length + others.length, listed);
      checkCells(step, table);
      for (const name of mine) assert.ok(onlyYours.includes(name), name);
      for (const name of others) assert.ok(onlyTheirs.includes(name), name);
    }

    const last = steps.at(-1);
    const sorted = (list) => list.map(String).sort();
    const decoded = (keys) => sorted(keys.map((key) => Buffer.from(key)));
    assert.deepEqual(sorted(namesAfter(last, 'Listed as only yours: ')), decoded(added));
    assert.deepEqual(sorted(namesAfter(last, 'Listed as only theirs: ')), decoded(removed));
    assert.equal(complete, differences < 24);
    assert.equal(last.verdict, complete ? 'absent' : 'refused');
    assert.equal(last.answer, `${listed} of ${differences} listed, complete: ${complete}.`);
    assert.equal(last.text.includes('All cells are empty.'), complete);
    assert.equal(last.caption.includes('it stalls'), !complete);
  });
}
