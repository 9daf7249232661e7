// Checks tables against Python's CSV and Node's URLs (`npm run test:peers`). UPDATE_FEEDS=1 writes the answers again.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkTable } from './tables.mjs';

test("Python's csv.reader reads what the table says", async () => {
  await checkTable('csv', (cases) => {
    const program = join(import.meta.dirname, 'programs/csv_records.py');
    const input = JSON.stringify(cases.map(({ text }) => text));
    const printed = execFileSync('python3', ['-B', program], { input, encoding: 'utf8' });
    return JSON.parse(printed).map((answer, i) => ({ text: cases[i].text, ...answer }));
  });
});

test('URL reads what the table says', async () => {
  await checkTable('urls', (cases) =>
    cases.map(({ text }) => ({ text, href: URL.canParse(text) ? new URL(text).href : null })),
  );
});
