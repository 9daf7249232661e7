// Writes README.md's figures and the chart from the saved bench, and its choice of filters from the built
// package: `node js/scripts/readme-tables.mjs [--check]`. With --check it writes nothing and fails where
// README.md or the chart says something else.

import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { accuracyTable } from '../bench/accuracy-report.mjs';
import { CHART_FILE, chart, writeChart } from '../bench/chart.mjs';
import { dynamicTables } from '../bench/dynamic-report.mjs';
import { ratioTable } from '../bench/ratio.mjs';
import { comparison, headline, origin } from '../bench/report.mjs';
import { staticTables } from '../bench/static-report.mjs';
import { urlTables } from '../bench/url-report.mjs';
import { choiceTable } from './choice-table.mjs';
import { updateBlocks } from './marked-block.mjs';

const root = new URL('../../', import.meta.url);
const saved = (name) => new URL(`js/bench/results/${name}.json`, root);
const read = (name) => JSON.parse(readFileSync(saved(name), 'utf8'));
const results = read('latest');

/** A block for each part that was saved. */
const blocks = {
  headline: headline(results),
  choice: choiceTable(),
  bench: `${comparison(results)}\n\n${origin(results)}`,
};
const tablesOf = {
  dynamic: dynamicTables,
  static: staticTables,
  accuracy: accuracyTable,
  ratio: ratioTable,
  url: urlTables,
};
for (const [part, tables] of Object.entries(tablesOf)) {
  if (existsSync(saved(part))) blocks[`bench-${part}`] = tables(read(part));
}

const check = process.argv.includes('--check');
const command = 'node js/scripts/readme-tables.mjs';
const isCurrent = updateBlocks(fileURLToPath(new URL('README.md', root)), blocks, {
  check,
  command,
});
if (!isCurrent) process.exitCode = 1;

if (existsSync(saved('accuracy'))) {
  const accuracy = read('accuracy');
  const drawn = existsSync(CHART_FILE) ? readFileSync(CHART_FILE, 'utf8') : '';
  if (drawn !== chart(accuracy)) {
    if (check) {
      process.stderr.write(`the chart is out of date: run \`${command}\`\n`);
      process.exitCode = 1;
    } else writeChart(accuracy);
  }
}
