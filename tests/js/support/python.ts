/** Runs Python programs that can import the modules of cpp/format. */

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from '@jest/globals';

const folder = fileURLToPath(new URL('../../../cpp/format', import.meta.url));

/** Runs a program with these lines as its input, and returns the lines that it prints. */
export function run(program: string, input: readonly string[]): string[] {
  const source = `import sys; sys.path.insert(0, ${JSON.stringify(folder)})\n${program}`;
  const child = spawnSync('python3', ['-B', '-c', source], {
    input: input.join('\n'),
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    timeout: 500_000,
  });
  if (child.error !== undefined) throw child.error;
  expect(child.stderr).toBe('');
  return child.stdout.trim().split('\n');
}
