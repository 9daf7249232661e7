import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import {
  canonicalize,
  expressions,
  hashExpression,
  memoryStorage,
  navigationUrl,
  publishList,
  UrlList,
  UrlListBuilder,
  verifyManifest,
} from 'tamis/url';
import { press } from '../../../tests/e2e/browser.mjs';
import { axeOf } from '../demo-page.mjs';
import { figureOf, linkTo, openFigures } from './figure-page.mjs';

const hexOf = (bytes) => Buffer.from(bytes).toString('hex');
const lineOf = (step, start) => {
  const line = step.text.find((line) => line.startsWith(start));
  return line?.slice(start.length);
};
const stepWith = (steps, start) => steps.find((step) => lineOf(step, start) !== undefined);
const wordsOf = (line) => line.split(/, | and /);
const hexesOf = (line) => line.match(/\b[\da-f]{8}\b/g) ?? [];
const numbersOf = (line) =>
  (line.match(/\d[\d,]*/g) ?? []).map((n) => Number(n.replaceAll(',', '')));
const cellsOf = (step, name) =>
  step.marks.filter(({ kind, key }) => kind === 'cell' && key.startsWith(name));
const sorted = (values) => [...values].sort();

/** Decodes bytes that the figure shows as `<09>`. */
const written = (line) =>
  line.replace(/<([\da-f]{2})>/g, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16)));

const builderOf = (entries) => new UrlListBuilder().addExpressions(entries);

function prefixesOf(list) {
  const bytes = Buffer.from(list.prefixes());
  return Array.from({ length: list.count }, (_, i) => hexOf(bytes.subarray(4 * i, 4 * i + 4)));
}

async function codeOf(action) {
  try {
    await action();
  } catch (error) {
    return error.code;
  }
  return undefined;
}

/** The entries, as the figure lists them. */
async function entriesOf(figure) {
  await figure.home();
  const { text } = await figure.here();
  return lineOf({ text }, 'The list: ').split(', ');
}

/** The links of the figure's buttons. */
const picksOf = (figure) =>
  figure.find('button[data-name="url"]').evaluateAll((all) => all.map(({ value }) => value));

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
    const [number] = numbersOf(lineOf(step, 'Rule '));
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
  assert.deepEqual(sorted(wordsOf(said.text[0].split(': ')[1].slice(0, -1))), sorted(all));
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

test('a link is peeled, and searched as the package does', async (t) => {
  const page = await openFigures(t);
  const figure = figureOf(page, 'url');
  const entries = await entriesOf(figure);
  const list = builderOf(entries).build();
  const links = await picksOf(figure);
  const verdicts = new Set();
  let most = 0;
  for (const link of links) {
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
  const page = await openFigures(t);
  const figure = figureOf(page, 'url');
  const entries = await entriesOf(figure);
  const list = builderOf(entries).build();
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

test('what crosses the wire is what the confirm protocol says', async (t) => {
  const page = await openFigures(t);
  const figure = figureOf(page, 'url');
  const entries = await entriesOf(figure);
  const builder = builderOf(entries);
  const list = builder.build();
  const full = hexOf(builder.fullHashes).match(/.{64}/g);
  const verdicts = new Set();
  const links = await picksOf(figure);
  await figure.pick('view', 'wire');
  for (const link of links) {
    await figure.pick('url', link);
    const steps = await figure.steps();
    const hits = list.hits(link).map(({ hash }) => hexOf(hash));
    const verdict = hits.some((hash) => full.includes(hash)) ? 'unsafe' : 'safe';
    verdicts.add(`${verdict} ${hits.length > 0}`);
    assert.match(steps.at(-1).answer, new RegExp(`^verify gives '${verdict}'`));
    if (hits.length === 0) {
      assert.deepEqual([steps.length, lineOf(steps[0], 'Sent: ')], [1, '0 bytes.']);
      continue;
    }
    const mine = sorted(new Set(hits.map((hash) => hash.slice(0, 8))));
    assert.deepEqual(sorted(hexesOf(lineOf(steps[1], 'Yours: '))), mine);
    const decoys = hexesOf(lineOf(steps[1], 'Decoys: '));
    assert.ok(decoys.length > 0);
    for (const decoy of decoys) assert.ok(prefixesOf(list).includes(decoy));
    const sent = sorted([...mine, ...decoys]);
    const body = lineOf(steps[2], 'The body of the POST request, ');
    assert.equal(numbersOf(body)[0], 4 * sent.length);
    assert.deepEqual(hexesOf(body), sent);
    // Nothing tells the server which of them is a decoy.
    const seen = cellsOf(steps[3], 'sent');
    assert.deepEqual(
      seen.map(({ text, tone }) => [text, tone]),
      sent.map((prefix) => [prefix, 'on']),
    );
    const hashes = full.filter((hash) => sent.includes(hash.slice(0, 8)));
    assert.deepEqual(lineOf(steps[4], 'The hashes: ').slice(0, -1).split(' '), hashes);
    const own = lineOf(steps[5], 'Your hash: ').slice(0, -1);
    const theirs = lineOf(steps[5], 'The listed hash: ').slice(0, -1);
    assert.ok(hits.includes(own) && hashes.includes(theirs));
    assert.equal(own.slice(0, 8), theirs.slice(0, 8));
    assert.equal(own === theirs, verdict === 'unsafe');
  }
  assert.deepEqual(sorted(verdicts), ['safe false', 'safe true', 'unsafe true']);
});

test('an update has the bytes and the entries of the package', async (t) => {
  const page = await openFigures(t);
  const figure = figureOf(page, 'url');
  const entries = await entriesOf(figure);
  await figure.pick('view', 'update');
  const steps = await figure.steps();
  const answersIn = (line) =>
    [...line.matchAll(/([^\s,]+\/) '(\w+)'/g)].map(([, entry, answer]) => [entry, answer]);
  const before = answersIn(lineOf(steps[0], 'check gives: '));
  const after = answersIn(lineOf(steps[4], 'check now gives: '));
  const gone = before.filter(([, answer]) => answer === 'maybe').map(([entry]) => entry);
  const came = after.filter(([, answer]) => answer === 'maybe').map(([entry]) => entry);
  assert.ok(gone.length > 0 && came.length > 0);
  const older = builderOf(entries).build();
  const newer = builderOf([...entries.filter((entry) => !gone.includes(entry)), ...came]).build();
  for (const [answers, list] of [
    [before, older],
    [after, newer],
  ]) {
    for (const [entry, answer] of answers) assert.equal(list.check(`http://${entry}`), answer);
  }
  const [old, made] = [older, newer].map(prefixesOf);
  const file = newer.diff(older).toBytes();
  const shown = cellsOf(steps[1], 'byte').map(({ text }) => text);
  assert.equal(shown.join(''), hexOf(file));
  assert.deepEqual(numbersOf(steps[1].caption), [file.length, newer.toBytes().length]);
  const parts = numbersOf(steps[1].text[1]);
  assert.equal(
    parts.reduce((sum, part) => sum + part),
    file.length,
  );
  assert.deepEqual(
    steps[2].text,
    old.flatMap((prefix, i) =>
      made.includes(prefix) ? [] : [`Place ${i}, from 0: ${prefix} goes.`],
    ),
  );
  assert.deepEqual(
    steps[3].text,
    made.filter((prefix) => !old.includes(prefix)).map((prefix) => `${prefix} comes.`),
  );
  assert.deepEqual(hexesOf(lineOf(steps[4], 'Entries: ')), made);
  const [count] = numbersOf(steps[5].caption);
  const many = Array.from({ length: count }, (_, i) => `host-${i}.example/`);
  const long = builderOf([...many, ...came]).build();
  const delta = long.diff(builderOf([...many, ...gone]).build());
  assert.deepEqual(numbersOf(steps[5].text[0]), [long.toBytes().length, delta.toBytes().length]);
});

test('wrong bits are refused with the error of the package', async (t) => {
  const page = await openFigures(t);
  const figure = figureOf(page, 'url');
  const entries = await entriesOf(figure);
  await figure.pick('view', 'flip');
  const steps = await figure.steps();
  const bytesOf = (step) =>
    Buffer.from(
      cellsOf(step, 'byte')
        .map(({ text }) => text)
        .join(''),
      'hex',
    );
  const list = builderOf(entries).build();
  const [whole, flipped, mended] = steps.map(bytesOf);
  assert.equal(hexOf(whole), hexOf(list.toBytes()));
  const bits = [...flipped].map((byte, i) => (byte ^ whole[i]).toString(2).replaceAll('0', ''));
  assert.equal(bits.join(''), '1');
  const refused = await codeOf(() => UrlList.fromBytes(flipped));
  assert.equal(steps[1].answer, `Refused: ${refused}`);
  assert.ok(refused);
  // Node accepts the corrected bytes too, and finds another list in them.
  const other = UrlList.fromBytes(mended);
  const fresh = prefixesOf(other).filter((prefix) => !prefixesOf(list).includes(prefix));
  assert.deepEqual(hexesOf(lineOf(steps[2], 'New entries: ')), fresh);
  assert.ok(fresh.length > 0);

  const keys = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']);
  const folder = memoryStorage();
  await publishList(list, { name: 'phish', storage: folder, keys });
  const manifest = Buffer.from(folder.get('manifest.json')).toString();
  const digestOf = (bytes) => createHash('sha256').update(bytes).digest('hex');
  const forged = manifest
    .replaceAll(digestOf(whole), digestOf(mended))
    .replaceAll(hexOf(list.identity), hexOf(other.identity));
  const options = { publicKeys: [keys.publicKey], list: 'phish' };
  assert.equal(await codeOf(() => verifyManifest(manifest, options)), undefined);
  const code = await codeOf(() => verifyManifest(forged, options));
  assert.equal(steps[4].answer, `Refused: ${code}`);
  const shown = cellsOf(steps[4], 'byte').map(({ text }) => text);
  const { sha256, snapshot } = JSON.parse(shown.join(''));
  assert.deepEqual([sha256, snapshot.sha256], [hexOf(other.identity), digestOf(mended)]);

  assert.equal(steps[3].answer, 'Refused: ERR_TAMIS_CORRUPT');
  assert.equal(hexOf(bytesOf(steps[3])), hexOf(mended));
  assert.equal(hexOf(bytesOf(steps[5])), hexOf(whole));
  assert.ok(steps[5].text.includes(`check gives '${list.check(`http://${entries[0]}`)}'.`));
  assert.ok(steps[5].text.includes(`UrlChecker.update rejects with ${code}.`));
});

test('each view is without faults of accessibility on a phone', async (t) => {
  for (const view of ['disguise', 'wire', 'update', 'flip']) {
    const search = linkTo('url', { view, step: '4' });
    const page = await openFigures(t, { search, viewport: { width: 320, height: 800 } });
    await figureOf(page, 'url').ready();
    assert.deepEqual(await axeOf(page), []);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320);
  }
});

test('a change of the view leaves the focus where it is', async (t) => {
  const page = await openFigures(t);
  const figure = figureOf(page, 'url');
  await figure.ready();
  await figure.find('button[value=update]').focus();
  await press(page, 'Enter');
  await figure.ready();
  const focused = await figure
    .find('button:focus')
    .evaluateAll((all) => all.map(({ value }) => value));
  assert.deepEqual(focused, ['update']);
  assert.equal(await figure.find('input[name="url"]').count(), 0);
  await figure.pick('view', 'wire');
  assert.equal(await figure.find('input[name="url"]').count(), 1);
});

test('a link that is too long gives a message, and a picture with a name', async (t) => {
  const url = `http://wallet-pay.example/${'x'.repeat(300)}`;
  const page = await openFigures(t, { search: linkTo('url', { view: 'disguise', url }) });
  const figure = figureOf(page, 'url');
  assert.match(await figure.answer(), /300 characters/);
  assert.equal(await figure.verdict(), 'refused');
  assert.deepEqual(await axeOf(page), []);
});
