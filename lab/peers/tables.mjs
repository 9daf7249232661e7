// Tables of what programs do, in tests/vectors/feeds/programs. Each has `about`, and `cases` with their answers.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../js/scripts/run.mjs';

/** JSON in ASCII, with one value per line. */
function listOf(values) {
  const text = values.map((value) => JSON.stringify(value)).join(',\n');
  return `[\n${text.replaceAll(/[^\n -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n]`;
}

/** Compares the cases of a table with what `answer` returns. With UPDATE_FEEDS=1 it writes the table instead. */
export async function checkTable(name, answer) {
  const file = join(root, `tests/vectors/feeds/programs/${name}.json`);
  const { about, cases } = JSON.parse(readFileSync(file, 'utf8'));
  const found = await answer(cases);
  if (process.env.UPDATE_FEEDS) {
    writeFileSync(file, `{\n"about": ${listOf(about)},\n"cases": ${listOf(found)}\n}\n`);
    return;
  }
  assert.equal(found.length, cases.length);
  for (const [i, one] of found.entries()) assert.deepEqual(one, cases[i]);
}
