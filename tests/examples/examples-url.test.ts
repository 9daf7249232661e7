/** The log filter and the server of the URL examples, run as their reader would run them. */
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { verifyManifest } from 'tamis/url';
import { type ListServer, startListServer } from '../../js/examples/list-server.mjs';
import { type Ended, env, folder, put, textOf, waitForEnd } from '../js/support/cli.js';

const example = fileURLToPath(new URL('../../js/examples/log-filter.mjs', import.meta.url));

const squid = [
  '1763801469.110    82 192.168.0.7 TCP_MISS/200 507 GET http://good.example/ - HIER_DIRECT/192.0.2.1 text/html',
  '1763801470.220    91 192.168.0.7 TCP_MISS/200 912 POST http://www.EVIL.example:8080/a/../login?x=1 - HIER_DIRECT/192.0.2.2 -',
  '1763801471.330  1204 192.168.0.9 TCP_TUNNEL/200 8812 CONNECT evil.example:443 - HIER_DIRECT/192.0.2.2 -',
  '1763801472.440  1310 192.168.0.9 TCP_TUNNEL/200 7711 CONNECT good.example:443 - HIER_DIRECT/192.0.2.1 -',
  '1763801473.550     0 192.168.0.9 TCP_DENIED/400 3511 NONE error:invalid-request - HIER_NONE/- -',
];
const combined = [
  '192.0.2.9 - - [22/Nov/2026:06:00:00 +0000] "GET / HTTP/1.1" 200 17 "http://good.example/?to=http://evil.example/" "Mozilla/5.0"',
  '192.0.2.9 - - [22/Nov/2026:06:00:01 +0000] "GET /logo.png HTTP/1.1" 200 9001 "https://sub.evil.example/login" "Mozilla/5.0"',
  '192.0.2.9 - - [22/Nov/2026:06:00:02 +0000] "GET HTTP://0x7f.1/ HTTP/1.1" 404 0 "-" "-"',
];
/** The SHA-256 of both, with a slash, begin with the same 4 bytes: a false alarm. */
const sameStart = ['host78123.example', 'host97030.example'] as const;

let server: ListServer;
beforeAll(async () => {
  server = await startListServer([]);
});
beforeEach(async () => {
  await server.publish(['evil.example', '127.0.0.1']);
  server.asked.length = 0;
});
afterAll(() => server.close());

/** Runs the example in this test's folder, with the server's list. */
function filter(args: readonly string[], input = ''): Promise<Ended> {
  const { manifest, name, publicKey } = server;
  const all = [
    '--manifest',
    manifest,
    '--name',
    name,
    '--public-key',
    publicKey,
    '--store',
    'lists',
    ...args,
  ];
  const child = spawn(process.execPath, [example, ...all], { cwd: folder, env });
  const end = waitForEnd(child);
  child.stdin.end(input);
  return end;
}
const confirmed = (...args: string[]): string[] => ['--confirm', server.confirm, ...args];

test('prints the lines whose URL is on the list, of a file and of standard input', async () => {
  put('access.log', textOf(squid));
  const out = textOf([squid[1] as string, squid[2] as string]);
  expect(await filter(confirmed('access.log'))).toEqual({ code: 0, out, err: '' });
  const referred = textOf(combined.slice(1));
  expect(await filter(confirmed(), textOf(combined))).toEqual({ code: 0, out: referred, err: '' });
});

test('keeps the list in its folder: the next run downloads what is new alone', async () => {
  const first = await filter(confirmed(), textOf(squid));
  expect(first.code).toBe(0);
  expect(readdirSync(join(folder, 'lists')).length).toBeGreaterThan(0);
  const lists = () => server.asked.splice(0).filter((path) => path.startsWith('/lists/'));
  expect(lists()).toEqual([
    '/lists/manifest.json',
    expect.stringMatching(/^\/lists\/snapshot-[0-9a-f]{64}\.tamis$/),
  ]);
  expect(await filter(confirmed(), textOf(squid))).toEqual(first);
  expect(lists()).toEqual(['/lists/manifest.json']);
});

test('nothing on the list: exit code 1', async () => {
  expect(await filter(confirmed(), textOf([squid[0] as string]))).toEqual({
    code: 1,
    out: '',
    err: '',
  });
});

test('a hit that the server does not confirm is no hit', async () => {
  const [listed, alike] = sameStart;
  await server.publish([listed]);
  const log = textOf(
    [listed, alike].map((host) => `1763801469.110 82 - - 507 GET http://${host}/`),
  );
  const [first] = log.split(/(?<=\n)/);
  expect(await filter(confirmed(), log)).toEqual({ code: 0, out: first, err: '' });
  expect(server.asked.filter((path) => path === '/confirm')).toEqual(['/confirm']);
});

test('a hit that nobody can confirm is printed, and said to be such', async () => {
  const err = '2 of these lines: not confirmed\n';
  const out = textOf([squid[1] as string, squid[2] as string]);
  expect(await filter([], textOf(squid))).toEqual({ code: 0, out, err });
});

test('goes on with the stored list where there is no newer one', async () => {
  const gone = await startListServer(['evil.example']);
  const args = ['--manifest', gone.manifest, '--public-key', gone.publicKey];
  const first = await filter(args, textOf(squid));
  await gone.close();
  const second = await filter(args, textOf(squid));
  expect(second).toEqual({
    ...first,
    err: expect.stringMatching(/^no newer list: .+\n2 of these/),
  });
});

test('without a list nothing passes as safe: exit code 2', async () => {
  const nowhere = ['--manifest', 'http://127.0.0.1:1/manifest.json'];
  const { code, out, err } = await filter(nowhere, textOf(squid));
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toMatch(/^there is no list/);
});

test('the server says how to reach what it serves, and it is there', async () => {
  const program = fileURLToPath(new URL('../../js/examples/list-server.mjs', import.meta.url));
  const child = spawn(process.execPath, [program], { env });
  const end = waitForEnd(child);
  try {
    const said = await new Promise<string>((resolve, reject) => {
      let out = '';
      child.stdout.on('data', (chunk: Buffer) => {
        out += chunk.toString();
        if (out.endsWith(' LOG\n')) resolve(out);
      });
      end.then(({ err }) => reject(new Error(err)), reject);
    });
    const after = (label: string): string =>
      new RegExp(`^${label} +(\\S+)`, 'm').exec(said)?.[1] as string;
    const manifest = await (await fetch(after('manifest'))).text();
    const options = { publicKeys: [after('public key')], name: after('name') };
    const { n } = await verifyManifest(manifest, options);
    expect(n).toBe(1);
    const page = after('A chat with links:');
    expect(await (await fetch(page)).text()).toContain('<script type="module" src="page.js">');
    expect(await (await fetch(`${page}page.js`)).text()).toContain(after('public key'));
    for (const name of ['missing.js', '../extension/warning.js', '..%2fextension%2fwarning.js']) {
      expect((await fetch(`${page}${name}`)).status).toBe(404);
    }
    const [, command = ''] = /^A log: node \S+ (.+) LOG$/m.exec(said) ?? [];
    // The last of the options, and the only one that names a folder of the repository.
    const args = command.split(' ').with(-1, 'lists');
    const filtering = spawn(process.execPath, [example, ...args], { cwd: folder, env });
    const filtered = waitForEnd(filtering);
    filtering.stdin.end(textOf(squid));
    const out = textOf([squid[1] as string, squid[2] as string]);
    expect(await filtered).toEqual({ code: 0, out, err: '' });
  } finally {
    child.kill();
    await end;
  }
});
