/** A server that loads a filter of 1.2 MB for each request: its memory after many requests is that after the first. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

const program = fileURLToPath(new URL('../js/support/request-memory.mjs', import.meta.url));

interface Line {
  readonly requests: number;
  readonly wasm: number;
  readonly refused: number;
}

test.each([
  ['using', 2000],
  ['read', 100],
])('by %s, %d requests', async (way, requests) => {
  const env = { ...process.env, NODE_OPTIONS: '' };
  const { stdout } = await promisify(execFile)(process.execPath, [program, way, `${requests}`], {
    env,
  });
  const lines = stdout.trimEnd().split('\n');
  const [first, ...others] = lines.map((line) => JSON.parse(line) as Line);
  expect(others.at(-1)?.requests).toBe(requests);
  for (const { wasm, refused } of others) {
    expect({ wasm, refused }).toEqual({ wasm: first?.wasm, refused: 0 });
  }
});
