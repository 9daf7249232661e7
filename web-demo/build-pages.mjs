// Builds the list of breached passwords: a folder for a static host, made by `tamis shard`, and a small description.
// The private key that signs the list is thrown away.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { RibbonFilter } from 'tamis';
import { RemoteFilter } from 'tamis/remote';
import { makePasswords } from '../js/examples/passwords.mjs';

const NAME = 'passwords';
const COUNT = 1_000_000;
const FINGERPRINT_BITS = 8;
/** The demo's files stay on their host unchanged. So the manifest is signed once, for ten years. */
const LIFETIME = '3650d';
const LISTED = ['123456', 'iloveyou', 'letmein'];
const GOOD = ['correct horse battery staple', 'Tr0ub4dor&3'];

const command = fileURLToPath(new URL('../dist/cli.mjs', import.meta.url));

/** Runs `tamis shard`, and returns its output. */
async function shard(list, folder, key) {
  const options = ['-o', folder, '--name', NAME, '--fingerprint-bits', String(FINGERPRINT_BITS)];
  const signing = ['--sign', key, '--create-key', '--lifetime', LIFETIME, '--json'];
  const { stdout } = await promisify(execFile)(execPath, [
    ...[command, 'shard', list],
    ...options,
    ...signing,
  ]);
  return JSON.parse(stdout);
}

/** A `fetch` that reads the folder. For each request for a page it reports the byte at which the page begins. */
function fetchFrom(folder, onPage) {
  return async (url, { headers }) => {
    const bytes = await readFile(join(folder, new URL(url).pathname));
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers?.Range ?? '') ?? [];
    if (from === undefined) return new Response(bytes);
    onPage(Number(from));
    return new Response(bytes.subarray(Number(from), Number(to) + 1), { status: 206 });
  };
}

/** The filter's answer for a key, and the byte at which its page begins. */
async function lookUp(folder, publicKey, key) {
  let offset;
  const fetch = fetchFrom(folder, (from) => {
    offset = from;
  });
  const options = { name: NAME, publicKeys: [publicKey], fetch };
  const filter = await RemoteFilter.open('https://host.invalid/manifest.json', options);
  const isListed = await filter.has(key);
  filter.close();
  return { isListed, offset };
}

const madeUp = (i) => `made up ${i}`;

/** The first password `made up 1`, `made up 2`... that fulfils `isWanted`. None of these passwords is on the list. */
async function findMadeUp(folder, publicKey, isWanted) {
  for (let i = 1; ; i++) {
    if (isWanted(await lookUp(folder, publicKey, madeUp(i)))) return madeUp(i);
  }
}

/** The passwords that get a button. Throws if the pages give a different answer for one of them. */
async function findPicks(folder, publicKey) {
  const ask = (key) => lookUp(folder, publicKey, key);
  for (const key of LISTED) if (!(await ask(key)).isListed) throw new Error(`${key}: not listed`);
  for (const key of GOOD) if ((await ask(key)).isListed) throw new Error(`${key}: listed`);
  const { offset } = await ask(LISTED[0]);
  return {
    listed: LISTED,
    good: GOOD,
    neighbour: await findMadeUp(folder, publicKey, (found) => {
      return !found.isListed && found.offset === offset;
    }),
    unlucky: await findMadeUp(folder, publicKey, ({ isListed }) => isListed),
  };
}

/** Writes the folder `passwords` and its description into the folder `out`. */
export async function buildPages(out) {
  const passwords = [...new Set(makePasswords(COUNT))];
  const folder = fileURLToPath(new URL(`${NAME}/`, out));
  await rm(folder, { recursive: true, force: true });
  const work = await mkdtemp(join(tmpdir(), 'tamis-demo-'));
  try {
    const list = join(work, 'passwords.txt');
    const text = Buffer.from(`${passwords.join('\n')}\n`);
    await writeFile(list, text);
    const { publicKey, keys, pages, stride } = await shard(list, folder, join(work, 'key.pem'));
    if (keys !== passwords.length) throw new Error(`${keys} of ${passwords.length} passwords`);
    const filter = RibbonFilter.from(passwords, { fingerprintBits: FINGERPRINT_BITS });
    const description = {
      publicKey,
      keys,
      pages,
      stride,
      fpr: filter.fpr,
      textBytes: text.length,
      filterBytes: filter.toBytes().length,
      picks: await findPicks(folder, publicKey),
    };
    await writeFile(new URL(`${NAME}.json`, out), `${JSON.stringify(description, null, 2)}\n`);
    return description;
  } finally {
    await rm(work, { recursive: true });
  }
}
