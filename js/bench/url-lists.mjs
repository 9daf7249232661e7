// The lists of the URL part: real ones from a folder, where there is one, else made up.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { makeUrls } from './urls.mjs';

const HOSTS = 190_000;
const URLS = 48_000;

const linesOf = (bytes) => new TextDecoder().decode(bytes).split(/\r?\n/).filter(Boolean);

/**
 * `hosts`, `urls` and, of real lists, a `history` of days. `folder` has phishing-hosts-190k.txt.gz,
 * benign-urls-48k.txt.gz and phishing-history.json.gz ({ start, steps: [{ add, remove }] }).
 */
export function readLists(folder, share = 1) {
  const part = (lines) => lines.slice(0, Math.ceil(share * lines.length));
  if (folder === undefined) {
    const hosts = Array.from({ length: HOSTS }, (_, i) => `listed${i.toString(36)}.example`);
    return { isReal: false, hosts: part(hosts), urls: part(linesOf(makeUrls(0, URLS))) };
  }
  const read = (name) => {
    const file = join(folder, name);
    if (!existsSync(file)) throw new Error(`--lists: ${file} is not there`);
    return gunzipSync(readFileSync(file));
  };
  const history = JSON.parse(read('phishing-history.json.gz'));
  return {
    isReal: true,
    hosts: part(linesOf(read('phishing-hosts-190k.txt.gz'))),
    // Some of it is no URL, and would stop who asks `new URL`.
    urls: part(linesOf(read('benign-urls-48k.txt.gz')).filter((url) => URL.canParse(url))),
    history: { ...history, steps: part(history.steps) },
  };
}
