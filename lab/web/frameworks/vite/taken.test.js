import { readFile } from 'node:fs/promises';
import { expect, test, vi } from 'vitest';
import { isTaken } from './taken.js';

test('a taken name', async () => {
  const bytes = await readFile('taken.tamis');
  vi.stubGlobal('fetch', async () => new Response(bytes));
  expect(await isTaken('ada')).toBe(true);
  expect(await isTaken('zoe')).toBe(false);
});
