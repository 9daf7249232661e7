/** Rules of ad blockers mean in a list what programs make of them. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

import { compareRules } from './support/rule-list.mjs';

test('a list has what AdGuard blocks, and nothing that no program blocks', async () => {
  const file = new URL('../vectors/feeds/programs/adblock.json', import.meta.url);
  const { cases } = JSON.parse(readFileSync(file, 'utf8'));
  const wrong: string[] = [];
  let hits = 0;
  for (const one of cases) {
    const found = await compareRules(one);
    wrong.push(...found.wrong);
    hits += found.hits;
  }
  expect(wrong).toEqual([]);
  // A reader that skips every line has nothing wrong.
  expect(hits).toBeGreaterThan(500);
});
