// Runs the example crawler-frontier.mjs as a reader would: with its own Redis, and with a Redis that others use too.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { binomialInterval } from '../../js/examples/binomial.mjs';
import { makeFolder } from '../folders.mjs';
import { startServer } from './redis-servers.mjs';

const run = promisify(execFile);
const program = fileURLToPath(new URL('../../js/examples/crawler-frontier.mjs', import.meta.url));

const folder = makeFolder('crawl');

function start(...args) {
  const env = { ...process.env, NODE_OPTIONS: '', TMPDIR: folder };
  const running = run(process.execPath, [program, ...args], { env });
  const end = running.catch((failure) => failure);
  return {
    pid: running.child.pid,
    end: end.then(({ stdout, stderr, code = 0 }) => ({ stdout, stderr, code })),
  };
}

/** The numbers of each row that the example printed. */
function figuresOf({ stdout, stderr, code }) {
  assert.deepEqual({ stderr, code }, { stderr: '', code: 0 });
  const rows = stdout
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/ {2,}/));
  return (label) => {
    const cells = rows.find(([first]) => first === label)?.slice(1);
    assert.ok(cells, `no '${label}' in:\n${stdout}`);
    return cells.map((cell) => Number.parseFloat(cell.replaceAll(',', '')));
  };
}

function expectWholeCrawl(figures, { pages, processes }) {
  const [visited] = figures('pages visited');
  const each = figures('by each process');
  assert.equal(each.length, processes);
  assert.ok(each.filter((count) => count > 0).length > 1, `${each}`);
  assert.equal(
    each.reduce((sum, count) => sum + count),
    visited,
  );
  assert.deepEqual(figures('visited twice'), [0]);
  const [met] = figures('different ones');
  const [skipped, share] = figures('skipped, false positive');
  assert.equal(visited + skipped, met);
  assert.equal(share, Number(((100 * skipped) / met).toFixed(3)));
  assert.ok(skipped <= binomialInterval(met, 0.001, 1e-9).high);
  const [lost] = figures('lost, linked by skipped pages only');
  assert.equal(met + lost, pages);
  assert.ok(figures('links met')[0] > 2 * met);
  const [asked] = figures('absent URLs looked up afterwards');
  const [passed] = figures('false positives');
  const [, percentage] = figures('rate of the content');
  // The example prints it rounded to three digits.
  const { low } = binomialInterval(asked, (percentage - 0.0005) / 100, 1e-9);
  const { high } = binomialInterval(asked, (percentage + 0.0005) / 100, 1e-9);
  assert.ok(passed >= low && passed <= high, `${passed} of ${asked} at ${percentage} %`);
  const [filterBytes] = figures('bytes of the filter in Redis');
  const [setBytes] = figures('bytes of a Redis set of these URLs');
  // No Bloom filter of this rate needs fewer bits.
  assert.ok(8 * filterBytes > 1.44 * pages * Math.log2(1 / 0.001));
  assert.ok(filterBytes < setBytes / 10);
}

test('on a server of its own, which leaves nothing behind', async () => {
  const pages = 20_000;
  const crawl = start('--pages', `${pages}`);
  expectWholeCrawl(figuresOf(await crawl.end), { pages, processes: 4 });
  assert.deepEqual(readdirSync(folder), []);
});

describe('on a server that others use', () => {
  let server;
  let args;
  before(async () => {
    server = await startServer();
    args = ['--redis', `redis://127.0.0.1:${server.port}`];
    await server.call('SET', 'other', 'stays');
  });
  after(() => server?.stop());

  const keysLeft = () => server.call('KEYS', '*');

  test('two crawls at once, of which nothing stays', async () => {
    const pages = 5000;
    const crawls = [2, 8].map((processes) => {
      const more = ['--pages', `${pages}`, '--processes', `${processes}`];
      return { processes, crawl: start(...args, ...more) };
    });
    for (const { processes, crawl } of crawls) {
      expectWholeCrawl(figuresOf(await crawl.end), { pages, processes });
    }
    assert.deepEqual(await keysLeft(), ['other']);
  });

  test('a process that dies ends the crawl, which says so', async () => {
    const crawl = start(...args, '--pages', '3000000');
    // Waits until the crawlers work, since there is no frontier before.
    while (!(await keysLeft()).some((key) => key.endsWith(':unfinished'))) await sleep(20);
    const children = readFileSync(`/proc/${crawl.pid}/task/${crawl.pid}/children`, 'utf8');
    const workers = children.trim().split(' ').map(Number);
    assert.equal(workers.length, 4);
    process.kill(workers[2], 'SIGKILL');
    const { stdout, stderr, code } = await crawl.end;
    assert.deepEqual({ stdout, code }, { stdout: '', code: 1 });
    assert.match(stderr, /Error: a process of the crawl ended with SIGKILL/);
    assert.deepEqual(await keysLeft(), ['other']);
    for (const pid of workers) {
      // A process that got a signal may still be running.
      for (let isThere = true; isThere; await sleep(10)) {
        try {
          process.kill(pid, 0);
        } catch {
          isThere = false;
        }
      }
    }
  });
});
