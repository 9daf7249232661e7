// Writes README.md's figures from the saved bench, and its choice of filters from the built package:
// `node js/scripts/readme-tables.mjs [--check]`. With --check it writes nothing and fails where README.md
// says something else.

import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { dynamicTables } from '../bench/dynamic-report.mjs';
import { comparison, headline, origin } from '../bench/report.mjs';
import { choiceTable } from './choice-table.mjs';
import { updateBlocks } from './marked-block.mjs';

const root = new URL('../../', import.meta.url);
const saved = (name) => new URL(`js/bench/results/${name}.json`, root);
const read = (name) => JSON.parse(readFileSync(saved(name), 'utf8'));
const results = read('latest');

const isCurrent = updateBlocks(
  fileURLToPath(new URL('README.md', root)),
  {
    headline: headline(results),
    choice: choiceTable(),
    bench: `${comparison(results)}\n\n${origin(results)}`,
    ...(existsSync(saved('dynamic')) && { 'bench-dynamic': dynamicTables(read('dynamic')) }),
  },
  { check: process.argv.includes('--check'), command: 'node js/scripts/readme-tables.mjs' },
);
if (!isCurrent) process.exitCode = 1;
