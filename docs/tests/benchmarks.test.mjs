// The page of the benchmarks: one chart and one table a question, and one machine for all times.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseHTML } from 'linkedom';
import { machineOf, readTimed } from '../../lab/bench/machine.mjs';
import { machineNote, QUESTIONS } from '../../lab/bench/report.mjs';
import { dist, openPage, root, shareSite } from './site.mjs';

const { document } = parseHTML(readFileSync(join(dist, 'benchmarks.html'), 'utf8'));
const names = Object.keys(QUESTIONS);

let page;
const shared = shareSite(async () => {
  page = await shared.browser.newPage({ viewport: { width: 1280, height: 800 } });
  await openPage(page, `${shared.site.url}benchmarks.html`);
});

/** The headings of the page that ask, each with what stands below it. */
function sections() {
  const found = [];
  for (const element of document.querySelector('.vp-doc > div').children) {
    if (element.tagName === 'H2') found.push({ title: element.textContent, elements: [] });
    else found.at(-1)?.elements.push(element);
  }
  return found.filter(({ title }) => title.includes('?'));
}

test('each question has one chart, one table and a link to more', () => {
  assert.equal(sections().length, names.length);
  for (const { title, elements } of sections()) {
    const all = (selector) =>
      elements.flatMap((element) => [
        ...(element.matches(selector) ? [element] : []),
        ...element.querySelectorAll(selector),
      ]);
    assert.equal(all('table').length, 1, title);
    const images = all('img');
    assert.equal(images.length, 1, title);
    assert.match(images[0].getAttribute('alt'), /: the table below has its figures$/);
    assert.ok(all('a[href*="benchmarks/"]').length > 0, title);
    const order = elements.filter(
      (element) => element.matches('.table') || element.querySelector('img'),
    );
    assert.ok(order[0].querySelector('img'), `${title}: the chart stands above the table`);
  }
});

test('every chart is shown, and all its text lies inside it', async () => {
  const shown = await page.$$eval('.vp-doc img', (images) =>
    images.map(({ complete, naturalWidth }) => complete && naturalWidth > 0),
  );
  assert.deepEqual(shown, Array(names.length).fill(true));
  const drawing = await shared.browser.newPage();
  for (const name of names) {
    await drawing.setContent(readFileSync(join(root, `lab/bench/results/${name}.svg`), 'utf8'));
    const texts = await drawing.$$eval('svg text', (all) => {
      const box = document.querySelector('svg').getBoundingClientRect();
      return all.map((text) => {
        const { left, right, top, bottom } = text.getBoundingClientRect();
        const isInside =
          left >= box.left && right <= box.right && top >= box.top && bottom <= box.bottom;
        return { content: text.textContent, isInside };
      });
    });
    assert.ok(texts.length > 8, name);
    assert.deepEqual(
      texts.filter(({ isInside }) => !isInside),
      [],
      name,
    );
  }
});

test('the saved runs name one machine, and the page names it', () => {
  const { machine, others } = machineOf(readTimed());
  assert.deepEqual(others, []);
  assert.ok(document.querySelector('.vp-doc').textContent.includes(machine));
});

test('a run of another machine is found, and one that names none is refused', () => {
  const [one, two] = [{ cpu: 'one' }, { cpu: 'two' }];
  assert.deepEqual(machineOf({ url: one, static: one }), { machine: 'one', others: [] });
  assert.deepEqual(machineOf({ url: two, static: one, dynamic: one }), {
    machine: 'one',
    others: ['url'],
  });
  assert.throws(() => machineOf({ url: one, static: {} }), /static/);
  assert.match(machineNote({ url: two, static: one, dynamic: one }), /Another machine/);
  assert.doesNotMatch(machineNote({ static: one, dynamic: one }), /[Aa]nother/);
});
