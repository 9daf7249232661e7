// The last part: URLs against a list, beside JavaScript's Set and a package that scans its list. Real lists
// with `--lists FOLDER` (url-lists.mjs); Chromium, where there is one, opens the list from IndexedDB.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UrlListBuilder } from 'tamis/url';
import { findChromium, launchBrowser } from '../../tests/e2e/browser.mjs';
import { bundleSize } from './bundle-size.mjs';
import { median } from './clock.mjs';
import { figureTable } from './report.mjs';
import { environment, finish, ROOT, runRounds, say, summarizeRounds, versionOf } from './run.mjs';
import { replay } from './url-days.mjs';
import { readLists } from './url-lists.mjs';
import { timeOpening } from './url-open.mjs';
import { urlFigures, urlTables } from './url-report.mjs';

const VISITS = 9;
const NAMES = ['tamis', 'set', 'detector'];

function hasChromium() {
  try {
    return findChromium() !== '';
  } catch {
    return false;
  }
}

/** What the deltas of a history cost, in one line. */
function daysOf(history) {
  const days = replay(history);
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    days: days.length,
    entries: days.at(-1).entries,
    meanBytes: mean(days.map(({ bytes }) => bytes)),
    meanChanges: mean(days.map(({ changes }) => changes)),
    applyMs: median(days.map(({ ms }) => ms)),
    slowestMs: Math.max(...days.map(({ ms }) => ms)),
  };
}

export async function runUrl({ keyCount, rounds, out, lists: folder }) {
  const lists = readLists(folder, keyCount / 1_000_000);
  const directory = mkdtempSync(join(tmpdir(), 'tamis-bench-'));
  try {
    writeFileSync(join(directory, 'hosts.txt'), `${lists.hosts.join('\n')}\n`);
    writeFileSync(join(directory, 'urls.txt'), `${lists.urls.join('\n')}\n`);
    const runs = runRounds('url-round.mjs', NAMES, rounds, directory);
    const contenders = {};
    for (const name of NAMES) contenders[name] = summarizeRounds(name, runs[name]);
    const results = {
      ...environment(),
      versions: { 'eth-phishing-detect': versionOf('eth-phishing-detect') },
      rounds,
      isReal: lists.isReal,
      gzipBytes: {
        url: await bundleSize(['tamis/url'], ROOT),
        both: await bundleSize(['tamis', 'tamis/url'], ROOT),
      },
      contenders,
    };
    if (lists.history !== undefined) {
      say('replaying the history');
      results.history = daysOf(lists.history);
    }
    if (hasChromium()) {
      say(`opening in Chromium, ${VISITS} times`);
      const list = new UrlListBuilder().addHosts(lists.hosts).build();
      const times = await timeOpening(list, VISITS, launchBrowser);
      results.open = { min: Math.min(...times), median: median(times), visits: VISITS };
    }
    results.figures = urlFigures(results);
    process.stdout.write(`${urlTables(results)}\n\n${figureTable(results.figures)}\n\n`);
    finish(results, out);
  } finally {
    rmSync(directory, { recursive: true });
  }
}
