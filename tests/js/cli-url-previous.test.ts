/** tamis url publish into an empty folder, as each job of CI does: --previous names the version before. */
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { folder, get, hosts, put, tamis } from './support/cli.js';
import { again, NO_VERSION, open, PUBLIC, publish, serve, servers } from './support/cli-url.js';

afterEach(() => {
  jest.restoreAllMocks();
});

const next = [...hosts, 'new.example'];
const NEW = 'https://new.example/';

/** From now on that folder is `pub`. */
function deploy(name: string): void {
  rmSync(join(folder, 'pub'), { recursive: true });
  renameSync(join(folder, name), join(folder, 'pub'));
}

const seqIn = (place: string): number => JSON.parse(get(`${place}/manifest.json`).toString()).seq;

test('without it the clock says which is newer, and a warning what clients do', async () => {
  const nowMs = Date.now();
  const clock = jest.spyOn(Date, 'now').mockReturnValue(nowMs);
  expect((await publish(hosts)).err).toBe(NO_VERSION);
  const checker = await open(await serve());
  clock.mockReturnValue(nowMs + 2000);
  const second = await publish(next, '--to', 'fresh');
  expect(second.err).toBe(NO_VERSION.replace('pub', 'fresh'));
  expect(seqIn('fresh')).toBe(seqIn('pub') + 2);
  deploy('fresh');
  expect(await checker.update()).toMatchObject({ by: 'snapshot' });
  expect(checker.check(NEW)).toBe('maybe');
  checker.close();
});

describe('with it a client of the earlier version takes the delta', () => {
  test.each(['its folder', 'its manifest', 'its URL'])('%s', async (what) => {
    await publish(hosts);
    const server = await serve();
    const checker = await open(server);
    const places = {
      'its folder': 'pub',
      'its manifest': 'pub/manifest.json',
      'its URL': `${server}/pub/manifest.json`,
    };
    const previous = places[what as keyof typeof places];
    const before = readdirSync(join(folder, 'pub'));
    const made = await publish(next, '--to', 'fresh', '--previous', previous, '--json');
    expect(made).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(made.out)).toMatchObject({ deltas: 1 });
    expect(seqIn('fresh')).toBeGreaterThan(seqIn('pub'));
    // Clients that still have the manifest before find its files.
    expect(readdirSync(join(folder, 'fresh'))).toEqual(expect.arrayContaining(before));
    deploy('fresh');
    expect(await checker.update()).toMatchObject({ by: 'jump' });
    expect(checker.check(NEW)).toBe('maybe');
    checker.close();
  });

  test('also past its time, and by a clock that was put back', async () => {
    const nowMs = Date.now();
    const clock = jest.spyOn(Date, 'now').mockReturnValue(nowMs);
    await publish(hosts, '--lifetime', '1m');
    for (const ms of [120_000, -120_000]) {
      clock.mockReturnValue(nowMs + ms);
      const to = `fresh${ms}`;
      const made = await publish(next, '--to', to, '--previous', 'pub', '--json');
      expect(JSON.parse(made.out)).toMatchObject({ deltas: 1 });
      expect(seqIn(to)).toBe(seqIn('pub') + Math.max(ms / 1000, 1));
    }
  });

  test('the newer of the two counts where the folder has one', async () => {
    await publish(hosts);
    await publish(hosts.slice(1), '--to', 'older');
    await publish(hosts.slice(2), '--to', 'older', '--previous', 'pub');
    await publish(hosts.slice(3));
    await publish(hosts.slice(4), '--previous', 'older');
    const { seq, deltas } = JSON.parse(get('pub/manifest.json').toString());
    expect(seq).toBeGreaterThan(seqIn('older'));
    for (const { url, bytes } of deltas) expect(get(`pub/${url}`)).toHaveLength(bytes);
  });
});

test('a snapshot that is gone or damaged is warned of, a delta is not', async () => {
  await publish(hosts);
  await publish(next);
  const { snapshot, deltas } = JSON.parse(get('pub/manifest.json').toString());
  const server = await serve();
  const attempt = async (previous: string) => {
    rmSync(join(folder, 'fresh'), { recursive: true, force: true });
    const made = await publish(hosts, '--to', 'fresh', '--previous', previous, '--json');
    return { deltas: JSON.parse(made.out).deltas, err: made.err };
  };
  rmSync(join(folder, 'pub', deltas[0].url));
  const places = ['pub', `${server}/pub/manifest.json`];
  for (const place of places) expect(await attempt(place)).toEqual({ deltas: 1, err: '' });
  // A host of a single-page app answers like this for missing files.
  put(`pub/${deltas[0].url}`, '<!doctype html>'.padEnd(100_000));
  for (const place of places) expect(await attempt(place)).toEqual({ deltas: 1, err: '' });
  const expectWarned = async () => {
    for (const place of places) {
      const err = `tamis: ${place}: warning: no ${snapshot.url}, so no delta from it: clients fetch the whole list\n`;
      expect(await attempt(place)).toEqual({ deltas: 0, err });
      expect(seqIn('fresh')).toBeGreaterThan(seqIn('pub'));
    }
  };
  put(`pub/${snapshot.url}`, get(`pub/${snapshot.url}`).fill(7, 100, 101));
  await expectWarned();
  rmSync(join(folder, 'pub', snapshot.url));
  await expectWarned();
});

test('what is no version of this list is one line of error, and nothing is published', async () => {
  await publish(hosts);
  put('text', 'a\n');
  put('text.json', 'a\n');
  const server = await serve();
  const cases: [string[], RegExp][] = [
    [
      ['--previous', 'none'],
      /^tamis: --previous none: no such file or folder; if .* --allow-first\n$/,
    ],
    [['--previous', ''], /^tamis: --previous '': expected a path\n/],
    [['--previous', '', '--allow-first'], /^tamis: --previous '': expected a path\n/],
    [['--previous', 'text'], /^tamis: --previous text: expected a folder .*, its manifest\.json/],
    [['--previous', 'text.json'], /^tamis: text\.json: not a manifest.*ERR_TAMIS_CORRUPT\)\n$/],
    [
      ['--previous', '.'],
      /^tamis: .*manifest\.json: no such file or folder; if .* --allow-first\n$/,
    ],
    [
      ['--previous', `${server}/x`],
      /^tamis: http\S+\/x: the server answered 404; if .* --allow-first\n$/,
    ],
    [['--previous', 'pub', '--name', 'worse'], /^tamis: pub: .*'bad', not for 'worse' \(ERR_/],
    [
      ['--previous', 'pub', '--sign', 'other.pem', '--create-key'],
      /^tamis: pub: .*ERR_TAMIS_BAD_SIGNATURE\); .* pass --old-key HEX with the old public key, which tamis url key prints\n$/,
    ],
  ];
  for (const [options, message] of cases) {
    const { code, out, err } = await again('--to', 'fresh', ...options);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(message);
    expect(existsSync(join(folder, 'fresh'))).toBe(false);
    expect(existsSync(join(folder, 'other.pem'))).toBe(false);
  }
  const created = ['--sign', 'other.pem', '--create-key'];
  const changed = ['--previous', 'pub', ...created, '--old-key', PUBLIC];
  expect(await again('--to', 'fresh', ...changed)).toMatchObject({ code: 0, err: '' });
  const help = await tamis(['url', 'publish', '--help']);
  expect(help.out).toContain('--previous FILE|URL');
});

describe('--allow-first', () => {
  test('a previous version that is not there is none, without a warning', async () => {
    const server = await serve();
    const places = ['none', 'none/manifest.json', '.', `${server}/none/manifest.json`];
    for (const [i, place] of places.entries()) {
      const made = await publish(hosts, '--to', `pub${i}`, '--previous', place, '--allow-first');
      expect({ place, ...made }).toMatchObject({ place, code: 0, err: '' });
      expect(made.out).toMatch(/^ {2}deltas +none$/m);
    }
    expect(await again('--to', 'alone', '--allow-first')).toMatchObject({ code: 0, err: '' });
    expect(await again('--to', 'old', '--sign', 'new.pem', '--create-key')).toMatchObject({
      ...{ code: 0, err: '' },
    });
    const changed = ['--sign', 'newer.pem', '--create-key', '--old-key', PUBLIC];
    expect((await again('--to', 'changed', ...changed)).err).toBe(
      NO_VERSION.replace('pub', 'changed'),
    );
    const second = ['--to', 'second', '--previous', 'alone', '--allow-first', '--json'];
    expect(JSON.parse((await publish(next, ...second)).out)).toMatchObject({ deltas: 1 });
  });

  test('any other fault of it is an error', async () => {
    await publish(hosts);
    let status = 500;
    const server = createServer((_, response) => {
      response.writeHead(status).end('<!doctype html>'.padEnd(status === 200 ? 3e6 : 99));
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/manifest.json`;
    const first = ['--to', 'fresh', '--allow-first', '--previous'];
    for (status of [500, 403, 200, 410]) {
      expect([status, (await again(...first, url)).code]).toEqual([status, status === 410 ? 0 : 2]);
      rmSync(join(folder, 'fresh'), { recursive: true, force: true });
    }
    server.close().closeAllConnections();
    put('text', 'a\n');
    put('damaged.json', get('pub/manifest.json').subarray(1));
    const signed = ['--sign', 'new.pem', '--create-key'];
    const faults = [['text'], ['text/x'], ['damaged.json'], [url], ['pub', ...signed]];
    for (const fault of faults) {
      const { code, out } = await again(...first, ...fault);
      expect({ fault, code, out }).toEqual({ fault, code: 2, out: '' });
    }
    expect(existsSync(join(folder, 'fresh'))).toBe(false);
  });
});
