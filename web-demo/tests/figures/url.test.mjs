import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  canonicalize,
  expressions,
  hashExpression,
  navigationUrl,
  UrlListBuilder,
} from 'tamis/url';
import { assertFits, axeOf } from '../demo-page.mjs';
import { figureOf, linkTo, listed, openFigures, picksOf } from './figure-page.mjs';

const hexOf = (bytes) => Buffer.from(bytes).toString('hex');
const lineOf = (step, start) => {
  const line = step.text.find((line) => line.startsWith(start));
  return line?.slice(start.length);
};
const stepWith = (steps, start) => steps.find((step) => lineOf(step, start) !== undefined);
const hexesOf = (line) => line.match(/\b[\da-f]{8}\b/g) ?? [];
const cellsOf = (step, name) =>
  step.marks.filter(({ kind, key }) => kind === 'cell' && key.startsWith(name));
const sorted = (values) => [...values].sort();

/** Decodes bytes that the figure shows as `<09>`. */
const written = (line) =>
  line.replace(/<([\da-f]{2})>/g, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16)));

function prefixesOf(list) {
  const bytes = Buffer.from(list.prefixes());
  return Array.from({ length: list.count }, (_, i) => hexOf(bytes.subarray(4 * i, 4 * i + 4)));
}

/** Peels the link as the figure does, and asks the package about each step. */
function checkPeeling(steps, link) {
  const canonical = canonicalize(navigationUrl(link));
  const start = steps.find((step) => step.text[0].startsWith('The link: '));
  assert.equal(written(lineOf(start, 'The link: ')), link);
  const opened = stepWith(steps, 'The text: ');
  let text = link;
  if (opened) {
    text = written(lineOf(opened, 'Your browser opens: '));
    assert.equal(text, navigationUrl(link));
  }
  let rule = 0;
  const peeled = steps.filter((step) => lineOf(step, 'Rule ') !== undefined);
  for (const step of peeled) {
    const number = Number.parseInt(lineOf(step, 'Rule '), 10);
    assert.ok(number >= rule);
    rule = number;
    assert.equal(written(lineOf(step, 'Before: ')), text);
    text = written(lineOf(step, 'After: '));
    assert.equal(canonicalize(text), canonical);
    // The drawing and the text must agree.
    const drawn = cellsOf(step, 'after').map((mark) => mark.text);
    assert.equal(drawn.length, text.length);
    assert.equal(
      drawn.filter((shown, i) => shown === text[i]).join(''),
      text.replace(/[^!-~]/g, ''),
    );
  }
  assert.equal(text, canonical);
  assert.equal(lineOf(stepWith(steps, 'canonicalize gives: '), 'canonicalize gives: '), canonical);
  return peeled.length;
}

/** Checks the expressions, their hashes, the search and the answer. */
function checkSearch(steps, link, list, entries) {
  const all = expressions(navigationUrl(link));
  const prefixOf = (expression) => hexOf(hashExpression(expression).subarray(0, 4));
  const said = stepWith(steps, `${all.length} expression`);
  assert.deepEqual(sorted(listed(said.text[0].split(': ')[1])), sorted(all));
  const hashed = stepWith(steps, 'The first 4 bytes of each SHA-256').text.slice(1);
  const searched = hashed.map((line) => line.split(': ')[0]);
  assert.deepEqual(
    hashed,
    searched.map((expression) => `${expression}: ${prefixOf(expression)}`),
  );
  const hits = list.hits(link).map(({ expression }) => expression);
  const prefixes = prefixesOf(list);
  const searches = steps.filter((step) => lineOf(step, 'The sorted list: ') !== undefined);
  assert.equal(searches.length, searched.length);
  searches.forEach((step, i) => {
    assert.deepEqual(hexesOf(lineOf(step, 'The sorted list: ')), prefixes);
    assert.deepEqual(
      cellsOf(step, 'entry').map(({ text }) => text),
      prefixes,
    );
    const prefix = prefixOf(searched[i]);
    const found = cellsOf(step, 'entry').filter(({ tone }) => tone === 'hit');
    assert.deepEqual(
      found.map(({ text }) => text),
      hits.includes(searched[i]) ? [prefix] : [],
    );
    const around = cellsOf(step, 'entry').filter(({ tone }) => tone === 'looked');
    if (around.length === 2) assert.ok(around[0].text < prefix && prefix < around[1].text);
  });
  const last = steps.at(-1);
  const answer = list.check(link);
  const isListed = all.some((expression) => entries.includes(expression));
  assert.equal(last.text[0], `check gives '${answer}'.`);
  assert.equal(last.verdict, answer === 'safe' ? 'absent' : isListed ? 'probable' : 'wrong');
  assert.ok(last.answer.startsWith(`${answer}: `));
  const hitLine = lineOf(last, 'Hits: ') ?? '';
  for (const expression of all)
    assert.equal(hitLine.includes(`${expression}: `), hits.includes(expression));
}

/** The figure, the entries that it lists, and a list of them. */
async function open(t) {
  const figure = figureOf(await openFigures(t), 'url');
  await figure.home();
  const entries = lineOf(await figure.here(), 'The list: ').split(', ');
  return { figure, entries, list: new UrlListBuilder().addExpressions(entries).build() };
}

test('a link is peeled, and searched as the package does', async (t) => {
  const { figure, entries, list } = await open(t);
  const links = await picksOf(figure, 'url');
  const verdicts = new Set();
  let most = 0;
  for (const [link] of links) {
    await figure.pick('url', link);
    const steps = await figure.steps();
    most = Math.max(most, checkPeeling(steps, link));
    checkSearch(steps, link, list, entries);
    verdicts.add(steps.at(-1).verdict);
  }
  assert.ok(most >= 10);
  // The links are a listed one, one that is not listed, and a false positive.
  assert.deepEqual(sorted(verdicts), ['absent', 'probable', 'wrong']);
});

test('a typed link gets the answer of the package', async (t) => {
  const { figure, list } = await open(t);
  for (const link of [
    'HTTP://a.Game-Skins.example/b%252f/./c?d',
    'good.example/~mallory/%2e%2e/',
  ]) {
    await figure.set('url', link);
    const steps = await figure.steps();
    checkPeeling(steps, link);
    const last = steps.at(-1);
    assert.equal(last.text[0], `check gives '${list.check(link)}'.`);
    const hits = list.hits(link).map(({ expression }) => expression);
    for (const hit of hits) assert.ok(lineOf(last, 'Hits: ').includes(`${hit}: `));
  }
  for (const link of ['mailto:a@wallet-pay.example', 'http://']) {
    await figure.set('url', link);
    assert.equal(await figure.answer(), list.check(link));
    assert.notEqual(list.check(link), 'safe');
    assert.equal(await figure.place(), '1 of 1');
  }
});

test('an old link to another view opens the figure, without faults of accessibility on a phone', async (t) => {
  const options = { viewport: { width: 320, height: 800 } };
  for (const view of ['wire', 'update', 'flip']) {
    const search = linkTo('url', { view, step: '4' });
    const page = await openFigures(t, { search, ...options });
    const figure = figureOf(page, 'url');
    assert.match(await figure.place(), /^5 of /);
    assert.equal(await figure.find('input[name="url"]').count(), 1);
    await assertFits(page);
  }
});

test('a link that is too long gives a message, and a picture with a name', async (t) => {
  const url = `http://wallet-pay.example/${'x'.repeat(300)}`;
  const page = await openFigures(t, { search: linkTo('url', { view: 'disguise', url }) });
  const figure = figureOf(page, 'url');
  assert.match(await figure.answer(), /300 characters/);
  assert.equal(await figure.verdict(), 'refused');
  assert.deepEqual(await axeOf(page), []);
});
