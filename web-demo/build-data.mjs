// Builds the files that the demo fetches: the filter of the phishing hosts, and a small description. The phishing hosts
// and the legitimate hosts also become text files, which are fetched only on demand. The lists of the URL check and the
// pages of breached passwords are built here too.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';
import { BloomFilter } from 'tamis';
import { buildPages } from './build-pages.mjs';
import { buildUrlList, linesOf } from './build-url-list.mjs';

const LIST = 'eth-phishing-detect';
const FPR = 0.01;
const out = new URL('./public/', import.meta.url);

// Hosts that get a button. The page shows each one only while the list still gives the same answer for it.
const LISTED = ['myetheerwallet.pw', 'poloniexsign.com'];
const LEGITIMATE = ['metamask.io', 'etherscan.io', 'opensea.io'];

const require = createRequire(import.meta.url);
const { version } = require(`${LIST}/package.json`);
const { blacklist, whitelist, fuzzylist } = JSON.parse(
  await readFile(require.resolve(`${LIST}/src/config.json`), 'utf8'),
);

const hosts = [...new Set(blacklist)];
const listed = new Set(hosts);
const allowed = new Set([...fuzzylist, ...whitelist].filter((host) => !listed.has(host)));
const filter = BloomFilter.from(hosts, { fpr: FPR });
const bytes = filter.toBytes();
const text = linesOf(hosts);

const description = {
  list: LIST,
  version,
  builtOn: new Date().toISOString().slice(0, 10),
  hosts: hosts.length,
  filterBytes: bytes.length,
  textBytes: text.length,
  textGzipBytes: gzipSync(text, { level: 9 }).length,
  picks: {
    listed: LISTED.filter((host) => listed.has(host)),
    legitimate: LEGITIMATE.filter((host) => allowed.has(host) && !filter.has(host)),
    unlucky: [...allowed].filter((host) => filter.has(host)).slice(0, 1),
  },
};
for (const [name, picks] of Object.entries(description.picks)) {
  if (picks.length === 0) throw new Error(`no ${name} host is left to show: choose others above`);
}

await mkdir(out, { recursive: true });
await writeFile(new URL('phishing.tamis', out), bytes);
await writeFile(new URL('phishing-hosts.txt', out), text);
await writeFile(new URL('legitimate-hosts.txt', out), linesOf([...allowed]));
await writeFile(new URL('phishing.json', out), `${JSON.stringify(description, null, 2)}\n`);
console.log(`web-demo/public: ${hosts.length} hosts, ${bytes.length} B; as text ${text.length} B`);

const { entries, bytes: listBytes } = await buildUrlList(out);
console.log(`web-demo/public/first-list.tamis: ${entries} entries, ${listBytes} B`);

const { keys, pages, stride } = await buildPages(out);
console.log(`web-demo/public/passwords: ${keys} passwords in ${pages} pages of ${stride} B`);
