// Feeds that are dropped on the URL check become one list, and the page's report is that of the package.
import assert from 'node:assert/strict';
import { mkdtemp, open as openFile, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { readFeed } from 'tamis/feeds';
import { UrlListBuilder } from 'tamis/url';
import { press } from '../../tests/e2e/browser.mjs';
import { assertFits, counts, figures, focused, integer, LOOKS, shareDemo } from './demo-page.mjs';
import { openFeeds, openUrls } from './urls-page.mjs';

const vectors = new URL('../../tests/vectors/feeds/', import.meta.url);

const shared = shareDemo();

async function open(t, options) {
  const { page } = await openUrls(t, shared, options);
  await openFeeds(page);
  return page;
}

const fileOf = (name, content) => {
  return { name, mimeType: 'text/plain', buffer: Buffer.from(content) };
};

/** Waits until every feed was read. */
const idle = (page) => page.waitForSelector('#feed-stop[aria-disabled=true]');

/** Chooses files, and waits for the last report. */
async function choose(page, ...files) {
  await page.setInputFiles('#feed-file', files);
  await idle(page);
}

/** Has the page press its button to stop as soon as an element matches: what it works at has not ended then. */
const stopAt = (page, selector, pattern) =>
  page.$eval(
    selector,
    (element, pattern) => {
      const look = (_, observer) => {
        if (!pattern.test(element.outerHTML)) return;
        observer.disconnect();
        document.querySelector('#feed-stop').click();
      };
      new MutationObserver(look).observe(element, { attributes: true, childList: true });
    },
    pattern,
  );

/** The reports, the last first. */
function reportsOf(page) {
  return page.$$eval('#feed-reports > li', (items) =>
    items.map((item) => ({
      name: item.querySelector('h3').textContent,
      state: item.dataset.state,
      failure: item.querySelector('.feed-failure')?.textContent,
      counts: Object.fromEntries(
        [...item.querySelectorAll('.feed-counts > div')].map(({ children: [label, value] }) => [
          label.textContent,
          value.textContent,
        ]),
      ),
      skips: [...item.querySelectorAll('tbody tr')].map(({ cells }) =>
        [...cells].map((cell) => cell.textContent),
      ),
    })),
  );
}

/** The package's own report of a feed, and a list of the feed. */
async function expected(text, format = 'auto') {
  const builder = new UrlListBuilder({ prefixBytes: 8 });
  const feed = readFeed(text, { format });
  await builder.addFeed(feed);
  const { count, first } = builder.skipped;
  const list = builder.build();
  return { report: feed.report, refused: count, message: first[0]?.message, entries: list.count };
}

/** Compares the page's report of a feed with the package's. */
async function saysWhatIsThere(shown, text, format) {
  const { report, refused, message } = await expected(text, format);
  const { counts, skips } = shown;
  const records = /-json$|^metamask$/.test(report.format);
  const reasons = Object.entries(report.skipped);
  const skipped = reasons.reduce((sum, [, count]) => sum + count, refused);
  assert.equal(shown.state, 'read');
  assert.equal(counts[records ? 'Records' : 'Lines'], integer(report.lines));
  assert.equal(counts.Entries, integer(report.entries));
  assert.equal(counts.Exceptions, integer(report.allowed));
  assert.equal(counts.Comments, integer(report.comments));
  assert.equal(counts.Skipped, integer(skipped));
  const wanted = reasons.map(([reason, count]) => {
    const first = report.first.find((skip) => skip.reason === reason);
    const where = `${records ? 'record' : 'line'} ${integer(first.line)}`;
    return `${integer(count)} ${first.text}${where}`;
  });
  if (refused > 0) wanted.push(`${integer(refused)} ${message}`);
  const told = skips.map(([, count, example]) => `${count} ${example}`);
  assert.deepEqual(told.sort(), wanted.sort());
  assert.ok(skips.every(([why]) => why.length > 5));
  return report;
}

test('a feed of each format is told, read and reported as the package does', async (t) => {
  const page = await open(t);
  const all = (await readdir(vectors)).filter((name) => name.endsWith('.txt'));
  const names = all.filter((name) => name !== 'csv.txt'); // which needs a column
  assert.ok(names.length >= 12);
  for (const name of names) {
    const text = await readFile(new URL(name, vectors), 'utf8');
    const format = name.replace(/(-origin)?\.txt$/, '');
    await page.selectOption('#feed-format', format);
    await choose(page, fileOf(name, text));
    const [shown] = await reportsOf(page);
    assert.equal(shown.name, name);
    assert.equal((await saysWhatIsThere(shown, text, format)).format, format);
  }
  assert.equal((await figures(page, 'feed-figures')).Feeds, String(names.length));
});

test('feeds of several formats become one list, in which exceptions win', async (t) => {
  const page = await open(t);
  await choose(
    page,
    fileOf('hosts', '0.0.0.0 evil.example\n0.0.0.0 good.example\n0.0.0.0 bad.example\n'),
    fileOf(
      'rules.txt',
      '||evil.example^\n||worse.example^\n@@||good.example^\n@@||x.bad.example^\n',
    ),
  );
  const [rules, hosts] = await reportsOf(page);
  assert.deepEqual([rules.counts.Format, rules.counts.Exceptions], ['adblock rules', '2']);
  assert.deepEqual([hosts.counts.Format, hosts.counts.Entries], ['hosts file', '3']);
  assert.equal(hosts.counts['Widened to subdomains'], '3');
  const shown = await figures(page, 'feed-figures');
  assert.deepEqual([shown.Feeds, shown.Entries, shown.Exceptions], ['2', '3', '2']);
  assert.match(await page.textContent('#feed-figures'), /1 cannot be met: x\.bad\.example/);
  assert.match(await page.textContent('#feed-note'), /^rules.txt: 2 entries in 4 lines/);

  await page.click('#feed-empty');
  await page.waitForFunction(() => document.querySelector('#feed-reports').childElementCount === 0);
  assert.equal((await figures(page, 'feed-figures')).Entries, '0');
  assert.equal(await page.textContent('#feed-note'), 'Your list is empty.');
});

test('the example is there for who has no feed, and a dropped file is taken too', async (t) => {
  const page = await open(t);
  await page.click('#feed-example');
  await idle(page);
  const [example] = await reportsOf(page);
  assert.equal(example.state, 'read');
  assert.ok(Number(example.counts.Entries) > 5 && Number(example.counts.Exceptions) > 1);
  assert.ok(example.skips.length > 3);

  const over = await page.$eval('#feed-zone', (zone) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(['one.example\ntwo.example\n'], 'dropped.txt'));
    zone.dispatchEvent(new DragEvent('dragenter', { dataTransfer, cancelable: true }));
    const isOver = zone.classList.contains('is-over');
    zone.dispatchEvent(new DragEvent('drop', { dataTransfer, cancelable: true }));
    return [isOver, zone.classList.contains('is-over')];
  });
  assert.deepEqual(over, [true, false]);
  await counts(page, '#feed-reports > li', 2);
  assert.equal((await reportsOf(page))[0].name, 'dropped.txt');
});

test('what is no feed leaves the list as it is, and the page says why', async (t) => {
  const page = await open(t);
  await choose(page, fileOf('first.txt', '||kept.example^\n'));
  const html =
    '<!doctype html>\n<html>\n<head><title>502</title></head>\n<body>\n<p>Bad</p>\n</body>\n';
  const record = '{"phish_id":1,"url":"http://cut.example/x","verified":"yes","online":"yes"}';
  const cut = `[${record},{"phish_id":2,"url":"http://`;
  const cases = [
    ['packed.txt.gz', gzipSync('||evil.example^\n'), 'auto', /gzip.*DecompressionStream/],
    ['error.html', html, 'auto', /the content is HTML/],
    ['error-hosts', html, 'hosts', /the feed has no entries/],
    ['cut.json', cut, 'auto', /the JSON of the feed ends too early/],
    ['empty.txt', '# nothing yet\n', 'domains', /the feed has no entries/],
    ['nothing.txt', '', 'domains', /the feed has no entries/],
  ];
  for (const [name, content, format, message] of cases) {
    await page.selectOption('#feed-format', format);
    await choose(page, fileOf(name, content));
    const [shown] = await reportsOf(page);
    assert.deepEqual([shown.name, shown.state], [name, 'refused']);
    assert.match(shown.failure, message);
    assert.equal(await page.textContent('#feed-note'), `Nothing of ${name} is in your list.`);
    const { Feeds, Entries } = await figures(page, 'feed-figures');
    assert.deepEqual([Feeds, Entries], ['1', '1'], name);
  }
  const [, , cutReport] = await reportsOf(page);
  assert.deepEqual([cutReport.counts.Records, cutReport.counts.Entries], ['1', '1']);

  // The next list still contains the earlier entries, and no entry of the failed feed.
  await page.selectOption('#feed-format', 'auto');
  await choose(page, fileOf('next.txt', '||next.example^\n||cut.example^$image\n'));
  const { Feeds, Entries } = await figures(page, 'feed-figures');
  assert.deepEqual([Feeds, Entries], ['2', '2']);
});

test('a feed whose format was not clear is read again in the format that is chosen', async (t) => {
  const page = await open(t);
  await choose(
    page,
    fileOf('names', 'one.example\n0.0.0.0 two.example\nlocal-zone: "three.example" static\n'),
  );
  assert.equal((await reportsOf(page))[0].state, 'refused');
  await page.selectOption('#feed-format', 'hosts');
  await page.focus('text=Read it in the format chosen above');
  await press(page, 'Enter');
  await page.waitForSelector('#feed-reports > li[data-state=read]');
  const [shown, ...more] = await reportsOf(page);
  assert.deepEqual([shown.counts.Format, shown.counts.Entries], ['hosts file', '1']);
  assert.equal(shown.failure, 'Most of it was skipped. Is the format right?');
  assert.deepEqual(more, []);
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'names');
});

test('100 MB are read while the page goes on, and can be stopped at any time', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'tamis-demo-'));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'large.txt');
  // The file repeats a few hosts many times, because only its bytes matter here.
  const block = `# ${'-'.repeat(90)}\n0.0.0.0 `;
  const names = Array.from({ length: 9000 }, (_, i) => `${block}host-${i}.large.example\n`).join(
    '',
  );
  const file = await openFile(path, 'w');
  let size = 0;
  while (size < 100e6) size += (await file.write(names)).bytesWritten;
  await file.close();

  const page = await open(t);
  await choose(page, fileOf('first.txt', '||kept.example^\n'));
  await stopAt(page, '#feed-progress', /aria-valuetext="[\d.]+ MB of 10\d MB"/);
  await choose(page, path);
  assert.equal(
    await page.textContent('#feed-note'),
    'Stopped. Nothing of large.txt is in your list.',
  );
  assert.equal((await figures(page, 'feed-figures')).Feeds, '1');
  assert.equal(await page.isVisible('#feed-progress'), false);

  await choose(page, path);
  const [shown] = await reportsOf(page);
  assert.equal(shown.counts.Lines, integer((2 * 9000 * size) / Buffer.byteLength(names)));
  const { Feeds, Entries } = await figures(page, 'feed-figures');
  assert.deepEqual([Feeds, Entries], ['2', integer(9001)]);
});

test('a list that is being built can be stopped, and the one before stays', async (t) => {
  const page = await open(t);
  await choose(page, fileOf('first.txt', '||kept.example^\n'));
  const lines = Array.from({ length: 400_000 }, (_, i) => `0.0.0.0 host-${i}.example\n`);
  await stopAt(page, '#feed-note', />Building/);
  await choose(page, fileOf('many.txt', lines.join('')));
  assert.equal(
    await page.textContent('#feed-note'),
    'Stopped. Nothing of many.txt is in your list.',
  );
  const shown = await figures(page, 'feed-figures');
  assert.deepEqual([shown.Feeds, shown.Entries], ['1', '1']);
  await choose(page, fileOf('next.txt', '||next.example^\n'));
  assert.equal((await figures(page, 'feed-figures')).Entries, '2');
});

test('the keyboard alone reads the example, and a screen reader is told', async (t) => {
  const page = await open(t);
  await page.focus('#feed-file');
  await press(page, 'Tab');
  assert.equal(await focused(page), 'feed-example');
  await press(page, 'Enter');
  await page.waitForSelector('#feed-reports > li');
  await idle(page);
  assert.equal(await page.getAttribute('#feed-note', 'role'), 'status');
  assert.equal(await focused(page), 'feed-example');
  for (const id of ['feed-format', 'feed-stop', 'feed-empty']) {
    await press(page, 'Tab');
    assert.equal(await focused(page), id);
  }
  await press(page, 'Enter');
  await page.waitForSelector('#feed-reports > li', { state: 'detached' });
  assert.equal(await focused(page), 'feed-empty');
});

for (const [name, options] of LOOKS) {
  test(`reports fit ${name}, and axe finds nothing wrong with them`, async (t) => {
    const page = await open(t, options);
    const long = `${'name'.repeat(50)}.txt`;
    await page.click('#feed-example');
    await choose(page, fileOf(long, `||${'x'.repeat(60)}.example^\n${'y'.repeat(300)}##z\n`));
    await choose(page, fileOf('page.html', '<p>not found</p>\n'));
    assert.equal((await reportsOf(page)).length, 3);
    await assertFits(page);
  });
}
