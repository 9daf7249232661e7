import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { BloomFilter } from 'tamis';
import { handled, press } from '../../tests/e2e/browser.mjs';
import { settles } from '../../tests/e2e/patience.mjs';
import { CSP, startServer } from '../serve.mjs';
import {
  ask,
  built,
  canvasColors,
  figures,
  focused,
  integer,
  openDemo,
  openSection,
  palette,
  says,
  shareDemo,
  shownBits,
  tabTo,
} from './demo-page.mjs';

const require = createRequire(import.meta.url);
const { blacklist, fuzzylist, whitelist } = require('eth-phishing-detect/src/config.json');
const percent = (rate) => `${(rate * 100).toPrecision(3)} %`;

const shared = shareDemo();
const filter = BloomFilter.from(blacklist, { fpr: 0.01 });

function open(t, options) {
  return openDemo(t, shared, options);
}

/** Opens the section of the bits, whose strip then has its width. */
async function openBits(page) {
  await openSection(page, 'bits');
  await page.waitForFunction(() => {
    const { width, clientWidth } = document.querySelector('#strip');
    return width === Math.round(clientWidth * devicePixelRatio);
  });
}

test('every answer of the server carries the strict header', async (t) => {
  const { page, response } = await open(t);
  assert.equal(CSP, "script-src 'self' 'wasm-unsafe-eval'");
  assert.equal(response.headers()['content-security-policy'], CSP);
  const scripts = await page.$$eval('script', (found) => found.map(({ src }) => src));
  assert.ok(scripts.length > 0);
  for (const src of [
    ...scripts,
    `${shared.server.url}phishing.tamis`,
    `${shared.server.url}missing`,
  ]) {
    const answer = await fetch(src);
    await answer.arrayBuffer();
    assert.equal(answer.headers.get('content-security-policy'), CSP, src);
  }
  const outside = await fetch(`${shared.server.url}..%2f..%2fpackage.json`);
  assert.equal(outside.status, 404);
});

test('the figures are those of the same filter built in Node', async (t) => {
  const { page } = await open(t);
  assert.deepEqual(await figures(page, 'figures'), {
    Type: 'bloom',
    Keys: integer(filter.count),
    Size: `${integer(filter.toBytes().length)} bytes`,
    'Bits per key': filter.bitsPerKey.toFixed(2),
    'Bits per look-up': String(filter.hashes),
    'Bits set': percent(filter.fillRatio),
    'Designed rate': percent(filter.fpr),
    'Estimated rate': percent(filter.estimatedFpr),
  });
  const served = await (await fetch(`${shared.server.url}phishing.tamis`)).arrayBuffer();
  assert.deepEqual(new Uint8Array(served), filter.toBytes());
});

test('answers are what the filter says, and the list decides where that is "probably"', async (t) => {
  const { page } = await open(t);
  for (let i = 0; i < blacklist.length; i += 600) {
    assert.equal(await ask(page, blacklist[i]), 'On the list', blacklist[i]);
  }
  let absent = 0;
  for (const host of [...fuzzylist, ...whitelist.slice(0, 40)]) {
    const word = filter.has(host) ? 'Wrong: a false positive' : 'Not on the list';
    assert.equal(await ask(page, host), blacklist.includes(host) ? 'On the list' : word, host);
    const clear = filter.positions(host).find((position) => !filter.bitAt(position));
    const why = await page.textContent('#verdict-why');
    if (clear !== undefined) {
      assert.ok(why.startsWith(`Certain: bit ${integer(clear)} is clear.`), why);
    }
    absent += filter.has(host) ? 0 : 1;
  }
  assert.ok(absent > 20);
});

test('a pasted URL is cut down to its host, and nothing more', async (t) => {
  const { page } = await open(t);
  const asked = async (text) => {
    await ask(page, text);
    return (await page.textContent('#asked-host')).trim();
  };
  assert.equal(await asked('  HTTPS://User:pw@Azukishop.LIVE:8443/a?b#c '), 'azukishop.live');
  assert.equal(await page.textContent('#verdict-word'), 'On the list');
  assert.equal(await asked('www.azukishop.live'), 'www.azukishop.live');
  assert.equal(await asked('azukishop.live.'), 'azukishop.live.');
  assert.equal(await asked('http://[::1]:80/'), '[::1]');
  assert.equal(await asked('   '), '');
  assert.equal(await page.textContent('#verdict-word'), 'Look up a host');
});

test('text that has no UTF-8 bytes gets no answer', async (t) => {
  const { page } = await open(t);
  await page.$eval('#host', (input) => {
    input.value = '\ud800.example';
    input.dispatchEvent(new Event('input'));
  });
  assert.equal(await page.textContent('#verdict-word'), 'No answer');
  assert.deepEqual(await shownBits(page), []);
  assert.equal(await ask(page, 'azukishop.live'), 'On the list');
});

test('the bits shown are the positions that Node computes, and the strip marks them', async (t) => {
  const { page } = await open(t);
  await openBits(page);
  const ink = await palette(page, 'set', 'clear', 'bit-on', 'bit-off');
  const span = 32;
  for (const host of ['azukishop.live', 'certainly-absent.example']) {
    await ask(page, host);
    const positions = filter.positions(host);
    const expected = positions.map((position) => ({ position, set: filter.bitAt(position) }));
    const shown = await shownBits(page);
    assert.deepEqual(
      shown.map(({ position, set }) => ({ position, set })),
      expected,
    );
    for (const [i, { position, set }] of expected.entries()) {
      assert.ok(shown[i].text.includes(`Bit ${integer(position)} is ${set ? 'set' : 'clear'}`));
      await page.click(`#positions li:nth-child(${i + 1}) button`);
      // At close range each bit is a cell, and the requested bit is in the middle.
      const from = Math.min(filter.bits - span, Math.max(0, position + 0.5 - span / 2));
      const cells = Array.from({ length: span - 1 }, (_, cell) => Math.ceil(from) + cell);
      const places = cells.map((bit) => [(bit + 0.5 - from) / span, 0.27]);
      const wanted = cells.map((bit) => {
        if (positions.includes(bit)) return filter.bitAt(bit) ? ink.set : ink.clear;
        return filter.bitAt(bit) ? ink['bit-on'] : ink['bit-off'];
      });
      assert.deepEqual((await canvasColors(page, '#strip', places)).at, wanted);
    }
  }
});

test('a false positive is found among names nobody can register, and explained', async (t) => {
  const { page } = await open(t);
  await page.click('#hunt');
  await says(page, 'hunt', 'Find another');
  const host = await page.inputValue('#host');
  assert.match(host, /\.example$/);
  assert.ok(filter.has(host) && !blacklist.includes(host));
  await page.waitForSelector('#verdict[data-answer=wrong]');
  assert.equal(await page.textContent('#verdict-word'), 'Wrong: a false positive');
  assert.match(await page.textContent('#hunt-note'), /this one is on no list/);
  const settersOf = (position) =>
    blacklist.filter((listed) => filter.positions(listed).includes(position));
  const culprits = await page.$$eval('#culprits li', (found) => found.map((li) => li.textContent));
  assert.equal(culprits.length, filter.positions(host).length);
  for (const [i, position] of filter.positions(host).entries()) {
    const [first, ...others] = new Set(settersOf(position));
    const start = `Bit ${integer(position)}: ${first}`;
    assert.ok(culprits[i].startsWith(start), culprits[i]);
    const more = `and ${others.length} other${others.length === 1 ? '' : 's'}`;
    assert.equal(culprits[i].slice(start.length).trim(), others.length > 0 ? more : '');
  }

  await openSection(page, 'bits', '.bit-owners');
  assert.match(await page.textContent('#owners-note'), /does not name .*: a false positive/);
  const owners = await page.$$eval('.bit-owners', (found) => found.map((p) => p.textContent));
  const positions = filter.positions(host);
  assert.equal(owners.length, positions.length);
  for (const [i, position] of positions.entries()) {
    const setters = settersOf(position);
    assert.ok(owners[i].startsWith(`set by ${setters.slice(0, 2).join(', ')}`), owners[i]);
  }
});

test('the keyboard alone reaches and works everything', async (t) => {
  const { page } = await open(t);
  await built(page);
  await press(page, 'Tab');
  // The page learns of the change of the address after the key.
  await handled(page, 'hashchange', () => page.keyboard.press('Enter'));
  assert.equal(await focused(page), 'host');
  assert.notEqual(await page.inputValue('#host'), '');
  await press(page, 'Control+A');
  await page.keyboard.type('azukishop.live');
  await says(page, 'announce', 'azukishop.live: On the list');
  assert.equal(await page.textContent('#verdict-word'), 'On the list');

  await tabTo(page, 'hunt');
  const outline = await page.$eval('#hunt', (button) => getComputedStyle(button).outlineStyle);
  assert.equal(outline, 'solid');
  await press(page, 'Enter');
  await page.waitForFunction(() => document.querySelector('#host').value.endsWith('.example'));
  assert.equal(await focused(page), 'hunt');

  await tabTo(page, 'strip');
  await openBits(page);
  const range = () => page.textContent('#strip-range');
  const whole = await range();
  await press(page, '+');
  assert.notEqual(await range(), whole);
  await press(page, 'Home');
  assert.match(await range(), /^bits 0 to /);
  await press(page, 'ArrowRight');
  assert.doesNotMatch(await range(), /^bits 0 to /);
  await press(page, 'End');
  assert.match(await range(), new RegExp(`to ${integer(filter.bits - 1)} of`));
  await press(page, '0');
  assert.equal(await range(), whole);

  await press(page, 'Tab');
  await press(page, 'Enter');
  assert.notEqual(await range(), whole);

  await tabTo(page, 'capacity');
  await press(page, 'ArrowRight');
  assert.equal(await page.textContent('#capacity-value'), '20,000 keys');
  await press(page, 'ArrowLeft');
  await press(page, 'ArrowLeft');
  assert.equal(await page.textContent('#capacity-value'), '9,000 keys');
  await built(page);
});

test('the mouse zooms and drags the strip, and does not catch a page that scrolls', async (t) => {
  const { page } = await open(t);
  await openBits(page);
  const range = () => page.textContent('#strip-range');
  const whole = await range();
  await page.locator('#strip').hover();
  const scrolled = await page.evaluate(() => scrollY);
  await page.mouse.wheel(0, -60);
  await page.waitForFunction((end) => Math.round(scrollY) === end, Math.round(scrolled - 60));
  assert.equal(await range(), whole);

  await page.locator('#strip').click();
  await page.mouse.wheel(0, -2400);
  const zoomed = await settles(async () => {
    const shown = await range();
    assert.notEqual(shown, whole);
    return shown;
  });
  const { x, y } = await page.locator('#strip').boundingBox();
  await page.mouse.move(x + 600, y + 60);
  await page.mouse.down();
  await page.mouse.move(x + 300, y + 60);
  await page.mouse.up();
  const settled = await range();
  assert.notEqual(settled, zoomed);
  await handled(page, 'pointermove', () => page.mouse.move(x + 200, y + 60));
  assert.equal(await range(), settled);
  await page.click('#zoom-all');
  assert.equal(await range(), whole);
});

test('motion is left out for those who ask for that', async (t) => {
  const moving = await open(t, { reducedMotion: 'no-preference' });
  const still = await open(t);
  for (const { page } of [moving, still]) await openBits(page);
  const animations = ({ page }) =>
    page.evaluate(() => {
      const input = document.querySelector('#host');
      input.value = 'azukishop.live';
      input.dispatchEvent(new Event('input'));
      return document.getAnimations().length;
    });
  assert.ok((await animations(moving)) > 0);
  assert.equal(await animations(still), 0);

  // A jump is drawn at once: the strip does not change again one frame later.
  const jump = ({ page }) =>
    page.evaluate(async () => {
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
      const strip = document.querySelector('#strip');
      document.querySelector('#positions button').click();
      const first = strip.toDataURL();
      await frame();
      await frame();
      await frame();
      return first === strip.toDataURL();
    });
  assert.equal(await jump(moving), false);
  assert.equal(await jump(still), true);
});

for (const [name, viewport] of [
  ['a narrow phone', { width: 360, height: 740 }],
  ['a desktop', { width: 1200, height: 900 }],
]) {
  test(`the page fits ${name}, and nothing in it jumps`, async (t) => {
    const { page } = await open(t, { viewport });
    await built(page);
    const [width, shifts] = await page.evaluate(() => [
      document.documentElement.scrollWidth,
      window.shifts,
    ]);
    assert.equal(width, viewport.width);
    assert.ok(shifts < 0.02, `cumulative layout shift ${shifts}`);
    await page.click('summary');
    await ask(page, `${'long-'.repeat(40)}host.example`);
    await openBits(page);
    await page.click('#owners');
    await page.waitForSelector('.bit-owners');
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), viewport.width);
  });
}

test('without its filter the page says so, and answers nothing', async (t) => {
  const damaged = Buffer.from(filter.toBytes());
  damaged[2000] ^= 1;
  const strict = await startServer({ port: 0, csp: "script-src 'self'" });
  t.after(() => strict.close());
  for (const [url, answer, complaint] of [
    [shared.server.url, { status: 404 }, /phishing\.tamis: the server said 404/],
    [shared.server.url, { body: damaged }, /CRC|damaged|corrupt/i],
    [strict.url, { body: Buffer.from(filter.toBytes()) }, /'wasm-unsafe-eval'/],
  ]) {
    const page = await shared.browser.newPage();
    t.after(() => page.close());
    await page.route('**/phishing.tamis', (route) => route.fulfill(answer));
    await page.goto(url);
    await page.waitForSelector('#trouble:not([hidden])');
    assert.match(await page.textContent('#trouble'), complaint);
    assert.equal(await page.textContent('#verdict-word'), 'No filter, no answer');
    assert.equal(await page.getAttribute('#verdict', 'data-answer'), 'none');
  }
});
