/**
 * Runs the command line, in a new folder for every test. `tamis` runs it in this process. `runProcess` starts a
 * process, for tests of pipes, signals and the end of the process.
 */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeEach, expect } from '@jest/globals';
import type { BloomFilter } from 'tamis';

/** The exports of js/src/node/main.ts. No entry point exports them; tests/jest.config.mjs maps the name to the file. */
interface CommandLine {
  main(
    args: readonly string[],
    streams: { stdin: Readable; stdout: Writable; stderr: Writable },
  ): Promise<number>;
}
const command = '#command';
const { main } = (await import(command)) as CommandLine;

export const cli = fileURLToPath(new URL('../../../dist/cli.mjs', import.meta.url));
/** Environment variables that affect colours and width. Jest sets some of them itself. */
export const looks = [
  'CI',
  'COLORTERM',
  'COLUMNS',
  'FORCE_COLOR',
  'NO_COLOR',
  'NODE_DISABLE_COLORS',
];
for (const name of looks) delete process.env[name];
process.env.TERM = 'xterm';
// The process must not inherit the test runner's Node options.
export const env = { ...process.env, NODE_OPTIONS: '' };

const home = process.cwd();
const root = mkdtempSync(join(tmpdir(), 'tamis-cli-'));
let folders = 0;
export let folder = root;

beforeEach(() => {
  folder = join(root, String(folders++));
  mkdirSync(folder);
  process.chdir(folder);
});
afterAll(() => {
  process.chdir(home);
  rmSync(root, { recursive: true });
});

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A stream that stores the text that is written to it. */
class Told extends Writable {
  readonly isTTY: boolean;
  readonly columns: number | undefined;
  readonly #told: (text: string) => void;
  #text = '';

  constructor({ isTTY = false, columns = 0, told = (_: string): void => {} } = {}) {
    super({ decodeStrings: false });
    this.isTTY = isTTY;
    this.columns = columns || undefined;
    this.#told = told;
  }

  get text(): string {
    return this.#text;
  }

  override _write(chunk: string | Buffer, _encoding: string, done: () => void): void {
    const text = chunk.toString();
    this.#text += text;
    if (text !== '') this.#told(text);
    done();
  }
}

/** Bytes in small pieces, as a pipe may deliver them. */
function* pieces(input: string | Uint8Array): Generator<Buffer> {
  const bytes = Buffer.from(input as string);
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

/** Runs `tamis ...args` in this test's folder. Calls `complained` when text is written to standard error. */
export async function tamis(
  args: readonly string[],
  input: string | Uint8Array = '',
  complained = (): void => {},
): Promise<Ended> {
  const [stdout, stderr] = [new Told(), new Told({ told: complained })];
  const stdin = Readable.from(pieces(input), { objectMode: false });
  const code = await main(args, { stdin, stdout, stderr });
  return { code, out: stdout.text, err: stderr.text };
}

/** Runs a command that must succeed, and returns its output. */
export async function run(args: readonly string[], input = ''): Promise<string> {
  const { code, out, err } = await tamis(args, input);
  expect({ args, code, err }).toEqual({ args, code: 0, err: expect.not.stringMatching(/error/) });
  return out;
}

/** Runs a command that must succeed without text on standard error, and returns its output. */
export async function output(
  args: readonly string[],
  input: string | Uint8Array = '',
): Promise<string> {
  const { code, out, err } = await tamis(args, input);
  expect({ args, code, err }).toEqual({ args, code: 0, err: '' });
  return out;
}

/** The figures that --json prints for a filter. */
export const figuresOf = (filter: BloomFilter): object => ({
  ...JSON.parse(JSON.stringify(filter)),
  content: undefined,
  fillRatio: filter.fillRatio,
  fileBytes: filter.toBytes().length,
  overfull: false,
});

/** Runs a command that must fail without output, and returns the error. */
export async function refused(
  args: readonly string[],
  input: string | Uint8Array = '',
): Promise<string> {
  const { code, out, err } = await tamis(args, input);
  expect({ args, code, out }).toEqual({ args, code: 2, out: '' });
  return err;
}

/**
 * Runs `tamis ...args` as on a terminal with this number of columns. Standard output may still be a pipe. Calls `told`
 * with each text that is written to standard error.
 */
export async function onTerminal(
  args: readonly string[],
  { columns = 80, stdin = Readable.from([]), isPiped = false, told = (_: string): void => {} } = {},
): Promise<Ended> {
  const stdout = new Told({ isTTY: !isPiped, columns });
  const stderr = new Told({ isTTY: true, columns, told });
  const code = await main(args, { stdin, stdout, stderr });
  return { code, out: stdout.text, err: stderr.text };
}

/** Everything that a process prints, and its exit code. */
export function waitForEnd(child: ChildProcess): Promise<Ended> {
  return new Promise((resolve, reject) => {
    let out = '';
    let err = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    // A command that needs no more input ends without reading the rest.
    child.stdin?.on('error', () => {});
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, out, err }));
  });
}

/** Starts `tamis ...args` in a process of its own, in this test's folder. */
export const start = (args: readonly string[], options: SpawnOptions = {}): ChildProcess =>
  spawn(process.execPath, [cli, ...args], { cwd: folder, env, ...options });

/** Runs `tamis ...args` in a process of its own. */
export function runProcess(
  args: readonly string[],
  input: string | Uint8Array = '',
): Promise<Ended> {
  const child = start(args);
  const end = waitForEnd(child);
  child.stdin?.end(input);
  return end;
}

export const put = (name: string, content: string | Uint8Array): void =>
  writeFileSync(join(folder, name), content);
export const get = (name: string): Buffer => readFileSync(join(folder, name));

export const textOf = (lines: readonly string[]): string =>
  lines.map((line) => `${line}\n`).join('');

/** Builds a filter of `keys` into `name`. */
export async function built(
  name: string,
  keys: readonly string[],
  ...options: string[]
): Promise<void> {
  put(`${name}.txt`, textOf(keys));
  await output(['build', `${name}.txt`, '-o', name, ...options]);
}

export const hosts = Array.from({ length: 500 }, (_, i) => `host-${i}.example`);
export const KEY = Uint8Array.from({ length: 16 }, (_, i) => 5 * i + 3);
