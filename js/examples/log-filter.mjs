// Prints the lines of an access log that name a page on a list, as grep would. In a proxy's log (Squid) these are
// opened pages, and in a web server's log the pages that people came from. A folder keeps the list, so that a run
// downloads only its changes. A line is left out only if all its URLs are safe by the list or the confirm server.
//
//   node js/examples/log-filter.mjs --manifest URL --name NAME --public-key HEX --store FOLDER [--confirm URL] [LOG]
//
// LOG: a file; without it, standard input. Exit code: 0 if lines were printed, 1 if none were, 2 for an error.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { fileStorage, UrlChecker } from 'tamis/url';

const option = { type: 'string' };

/** All URLs of a line with `http://` or `https://`, and the host of a tunnel: `CONNECT host:443`. */
function urlsOf(line) {
  const tunnel = /\bCONNECT ([^\s/"]+)/.exec(line);
  const urls = line.match(/\bhttps?:\/\/[^\s"]+/gi) ?? [];
  return tunnel === null ? urls : [...urls, `https://${tunnel[1]}/`];
}

/** The verdict: 'unsafe', 'safe', or 'unknown' if neither is known. */
async function judge(checker, line) {
  let worst = 'safe';
  for (const url of urlsOf(line)) {
    if (checker.check(url) === 'safe') continue;
    const { verdict } = await checker.verify(url);
    if (verdict === 'unsafe') return verdict;
    if (verdict !== 'safe') worst = 'unknown';
  }
  return worst;
}

async function main() {
  const options = {
    manifest: option,
    name: option,
    'public-key': option,
    store: option,
    confirm: option,
  };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const { manifest, name, 'public-key': publicKey, store, confirm = null } = values;
  if (!manifest || !name || !publicKey || !store) {
    throw new Error('--manifest, --name, --public-key and --store are required');
  }
  const checker = await UrlChecker.open(manifest, {
    name, // the publisher's key may sign other lists too
    publicKeys: [publicKey],
    storage: fileStorage(store),
    confirm,
    whenMissing: 'throw', // without a list every line would pass
    whenUnconfirmed: 'unknown',
    confirmTimeoutMs: 60_000, // nobody waits for a line
    updateEveryMs: 0,
  });
  try {
    // The update runs here: a run is over before a timer would start it.
    if (checker.status.source === 'storage') {
      await checker.update().catch(({ message }) => console.error(`no newer list: ${message}`));
    }
    const [log] = positionals;
    const input = log === undefined ? process.stdin : createReadStream(log);
    const counts = { safe: 0, unsafe: 0, unknown: 0 };
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      const verdict = await judge(checker, line);
      counts[verdict]++;
      if (verdict !== 'safe') console.log(line);
    }
    if (counts.unknown > 0) console.error(`${counts.unknown} of these lines: not confirmed`);
    return counts.unsafe + counts.unknown > 0 ? 0 : 1;
  } finally {
    checker.close();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(
    error.cause === undefined ? error.message : `${error.message}: ${error.cause.message}`,
  );
  process.exitCode = 2;
}
