/**
 * The job of docs/guide/publishing.md, day after day: its steps in bash, with a stand-in for the network. GitHub's own
 * actions are the cache, which is saved after a success, and the site, to which a success uploads the folder.
 */
import { execFile } from 'node:child_process';
import * as fs from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { UrlChecker } from 'tamis/url';
import { parse } from 'yaml';
import { cli, env, get, output } from '../js/support/cli.js';

interface Step {
  readonly uses?: string;
  readonly with?: Readonly<Record<string, string>>;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const page = fs.readFileSync(new URL('../../docs/guide/publishing.md', import.meta.url), 'utf8');
const [, block = ''] = /^```yaml\n([\s\S]*?)^```$/m.exec(page) ?? [];
const steps: readonly Step[] = parse(block).jobs.publish.steps;
const inputOf = (action: string): string =>
  steps.find(({ uses }) => uses?.startsWith(`actions/${action}@`))?.with?.path as string;
const cached = inputOf('cache').trim().split('\n');

const root = fs.mkdtempSync(join(tmpdir(), 'tamis-daily-'));
const [bin, cache, site, feed] = ['bin', 'cache', 'site', 'feed'].map((name) =>
  join(root, name),
) as [string, string, string, string];
let server: Server;
let address: string;

const programs = {
  npx: `[ "$1" = tamis ] && shift && exec '${process.execPath}' '${cli}' "$@"`,
  curl: `while [ $# -gt 1 ]; do [ "$1" = --output ] && out=$2; shift; done
[ "$1" = https://feeds.example/hosts.txt ] && exec cp '${feed}' "$out"`,
};

beforeAll(async () => {
  fs.mkdirSync(bin);
  for (const [name, lines] of Object.entries(programs)) {
    fs.writeFileSync(join(bin, name), `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
  }
  server = createServer((request, response) => {
    try {
      response.end(fs.readFileSync(join(site, request.url as string)));
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close().closeAllConnections();
  fs.rmSync(root, { recursive: true });
});

const replace = (folder: string, from: string): void => {
  fs.rmSync(folder, { recursive: true, force: true });
  fs.cpSync(from, folder, { recursive: true });
};

/** Runs the job in an empty folder. `values` has the secret and the variable. Returns what its steps print. */
async function runJob(
  values: Readonly<Record<string, string>>,
): Promise<{ out: string; err: string }> {
  const folder = fs.mkdtempSync(join(root, 'run-'));
  if (fs.existsSync(cache)) replace(folder, cache);
  const all: Record<string, string> = { 'steps.pages.outputs.base_url': address, ...values };
  const printed = { out: '', err: '' };
  for (const { run, env: ownEnv = {} } of steps) {
    if (run === undefined) continue;
    const filled = Object.entries(ownEnv).map(([name, text]) => {
      return [name, text.replace(/\$\{\{ (.+?) \}\}/, (_, key) => all[key] ?? '')];
    });
    const path = [bin, process.env.PATH].join(delimiter);
    const options = { cwd: folder, env: { ...env, ...Object.fromEntries(filled), PATH: path } };
    const isDone = await new Promise<boolean>((resolve) => {
      execFile('bash', ['-e', '-c', run], options, (error, out, err) => {
        printed.out += out;
        printed.err += err;
        resolve(error === null);
      });
    });
    if (!isDone) return { ...printed, out: 'failed' };
  }
  fs.rmSync(cache, { recursive: true, force: true });
  for (const name of cached) fs.cpSync(join(folder, name), join(cache, name), { recursive: true });
  replace(site, join(folder, inputOf('upload-pages-artifact')));
  return printed;
}

const putFeed = (first: number, count: number): void => {
  const lines = Array.from({ length: count }, (_, i) => `0.0.0.0 host-${first + i}.example\n`);
  fs.writeFileSync(feed, lines.join(''));
};

const open = (...publicKeys: string[]): Promise<UrlChecker> =>
  UrlChecker.open(`${address}/bad/manifest.json`, {
    ...{ name: 'bad', publicKeys, storage: 'memory', confirm: null, updateEveryMs: 0 },
    ...{ whenMissing: 'unknown', whenUnconfirmed: 'unknown' },
  });

const verdict = async (checker: UrlChecker, host: number): Promise<string> =>
  (await checker.verify(`https://host-${host}.example/`)).verdict;

const manifest = (): string => fs.readFileSync(join(site, 'bad/manifest.json'), 'utf8');

/** Runs the job, which must fail with this message, and publish nothing. */
async function expectFailure(values: Readonly<Record<string, string>>, message: RegExp) {
  const before = [manifest(), fs.readFileSync(join(cache, 'bad.tamis'), 'latin1')];
  const { out, err } = await runJob(values);
  expect(out).toBe('failed');
  expect(err).toMatch(message);
  expect([manifest(), fs.readFileSync(join(cache, 'bad.tamis'), 'latin1')]).toEqual(before);
}

beforeEach(() => {
  for (const left of [cache, site]) fs.rmSync(left, { recursive: true, force: true });
});

/** Makes a signing key, and returns its public key, and the secret of the job. */
async function createKey(name: string) {
  const publicKey = (await output(['url', 'key', name, '--create'])).trim();
  return { publicKey, secret: { 'secrets.SIGNING_KEY': get(name).toString() } };
}

const published = (deltas: string) => ({
  err: '',
  out: expect.stringMatching(new RegExp(`^ {2}deltas +${deltas}`, 'm')),
});

test('the job runs each day, also if its cache is lost, and its feed must be good', async () => {
  const { publicKey, secret } = await createKey('k.pem');
  putFeed(0, 1100);
  expect(await runJob(secret)).toEqual(published('none'));
  const checker = await open(publicKey);
  expect([await verdict(checker, 0), await verdict(checker, 1100)]).toEqual(['unsafe', 'safe']);

  // The next day.
  putFeed(1, 1100);
  expect(await runJob(secret)).toEqual(published('1,'));
  expect(await checker.update()).toMatchObject({ by: 'jump' });
  expect([await verdict(checker, 0), await verdict(checker, 1100)]).toEqual(['safe', 'unsafe']);

  fs.rmSync(cache, { recursive: true });
  putFeed(2, 1100);
  expect(await runJob(secret)).toEqual(published('2,'));
  expect(await checker.update()).toMatchObject({ by: 'jump' });
  expect(await verdict(checker, 1101)).toBe('unsafe');
  checker.close();

  fs.rmSync(feed);
  await expectFailure(secret, /^cp: /);
  putFeed(2, 900);
  await expectFailure(secret, /^tamis: new: the list has fewer than 1000 entries: 900/);
  putFeed(500, 1100);
  await expectFailure(secret, /^tamis: new: over 20 % of the entries were removed: 498 of 1100/);
  fs.writeFileSync(feed, '<!doctype html>\n<title>Gone</title>\n');
  await expectFailure(secret, /^tamis: feed\.txt: /);

  for (const lost of [cache, site]) fs.rmSync(lost, { recursive: true });
  putFeed(3, 1100);
  expect(await runJob(secret)).toEqual(published('none'));
  const later = await open(publicKey);
  expect(await verdict(later, 1102)).toBe('unsafe');
  later.close();
});

test('a lost secret stops the job, and a new key goes on with OLD_KEY', async () => {
  const [old, young] = [await createKey('old.pem'), await createKey('new.pem')];
  putFeed(0, 1100);
  expect(await runJob(old.secret)).toEqual(published('none'));
  const behind = await open(old.publicKey);
  const ready = await open(old.publicKey, young.publicKey);

  putFeed(1, 1100);
  await expectFailure(
    {},
    /^tamis: standard input: expected an Ed25519 private key .* got nothing\n$/,
  );
  await expectFailure(young.secret, /ERR_TAMIS_BAD_SIGNATURE\); .* pass --old-key HEX/);
  const changed = { ...young.secret, 'vars.OLD_KEY': old.publicKey };
  expect(await runJob(changed)).toEqual(published('1,'));
  expect(await ready.update()).toMatchObject({ by: 'jump' });
  expect(await verdict(ready, 1100)).toBe('unsafe');
  await expect(behind.update()).rejects.toMatchObject({ code: 'ERR_TAMIS_BAD_SIGNATURE' });
  expect([await verdict(behind, 0), await verdict(behind, 1100)]).toEqual(['unsafe', 'safe']);

  putFeed(2, 1100);
  expect(await runJob(young.secret)).toEqual(published('2,'));
  const later = await open(young.publicKey);
  expect([await verdict(later, 1101), await verdict(later, 1)]).toEqual(['unsafe', 'safe']);
  for (const checker of [behind, ready, later]) checker.close();
});
