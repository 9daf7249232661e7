// Writes README.md's figures from the saved bench: `node js/scripts/readme-tables.mjs [--check]`.
// With --check it writes nothing and fails where README.md says something else.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { comparison, headline, origin } from '../bench/report.mjs';
import { updateBlocks } from './marked-block.mjs';

const root = new URL('../../', import.meta.url);
const results = JSON.parse(readFileSync(new URL('js/bench/results/latest.json', root), 'utf8'));

const isCurrent = updateBlocks(
  fileURLToPath(new URL('README.md', root)),
  {
    headline: headline(results),
    bench: `${comparison(results)}\n\n${origin(results)}`,
  },
  { check: process.argv.includes('--check'), command: 'node js/scripts/readme-tables.mjs' },
);
if (!isCurrent) process.exitCode = 1;
