/** Runs dist/cli.mjs in a process of its own, in a folder of its own for every test. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeEach, expect } from '@jest/globals';

export const cli = fileURLToPath(new URL('../../../dist/cli.mjs', import.meta.url));
// Not the flags of the test runner.
export const env = { ...process.env, NODE_OPTIONS: '' };

const root = mkdtempSync(join(tmpdir(), 'tamis-cli-'));
let folders = 0;
export let folder = root;

beforeEach(() => {
  folder = join(root, String(folders++));
  mkdirSync(folder);
});
afterAll(() => rmSync(root, { recursive: true }));

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Everything that a process prints, and its exit code. */
export function ended(child: ChildProcess): Promise<Ended> {
  return new Promise((resolve, reject) => {
    let out = '';
    let err = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    // A command that needs no more of its input ends without reading it.
    child.stdin?.on('error', () => {});
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, out, err }));
  });
}

/** Runs `tamis ...args` in this test's folder. */
export function tamis(args: readonly string[], input: string | Uint8Array = ''): Promise<Ended> {
  const child = spawn(process.execPath, [cli, ...args], { cwd: folder, env });
  const end = ended(child);
  child.stdin.end(input);
  return end;
}

export const put = (name: string, content: string | Uint8Array): void =>
  writeFileSync(join(folder, name), content);
export const get = (name: string): Buffer => readFileSync(join(folder, name));

/** Builds a filter of `keys` into `name`. */
export async function built(
  name: string,
  keys: readonly string[],
  ...options: string[]
): Promise<void> {
  put(`${name}.txt`, keys.map((key) => `${key}\n`).join(''));
  const { code, err } = await tamis(['build', `${name}.txt`, '-o', name, ...options]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
}

export const hosts = Array.from({ length: 500 }, (_, i) => `host-${i}.example`);
export const KEY = Uint8Array.from({ length: 16 }, (_, i) => 5 * i + 3);
