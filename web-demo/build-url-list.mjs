// Builds the files from which the publisher of the URL check starts. The first version of its list is a file that lacks
// only a signature. The publisher makes the later versions from the history.
import { readFile, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { memoryStorage, publishList, UrlListBuilder } from 'tamis/url';
import { hostsAt, steps } from './history.mjs';

export const linesOf = (list) => new TextEncoder().encode(`${list.join('\n')}\n`);

/** The whole first version, and the changes of each later version. */
async function makeHistory() {
  const versions = [];
  let before = new Set();
  for (let step = 0; step < steps; step++) {
    const { version, hosts: all } = await hostsAt(step);
    const now = new Set(all);
    const listText = linesOf(all);
    versions.push({
      version,
      textBytes: listText.length,
      textGzipBytes: gzipSync(listText).length,
      added: [...now].filter((host) => !before.has(host)),
      removed: [...before].filter((host) => !now.has(host)),
    });
    before = now;
  }
  return versions;
}

/** The first list as a file, and its manifest without the fields that each visitor's own publisher fills in. */
async function makeFirst([{ version, added, textBytes, textGzipBytes }, second]) {
  const source = new URL('src/urls/published.json', import.meta.url);
  const { name, gate } = JSON.parse(await readFile(source, 'utf8'));
  const list = new UrlListBuilder({ skipInvalid: true }).addHosts(added).build({ gate });
  const storage = memoryStorage();
  const keys = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']);
  const published = await publishList(list, { name, storage, signingKeys: keys, version });
  const { seq, created, notAfter, keyId, sig, ...fields } = published;
  const { url, bytes: filterBytes } = fields.snapshot;
  const sizes = { textBytes, textGzipBytes, filterBytes };
  return { file: await storage.get(url), info: { fields, sizes, next: second.version } };
}

/** Writes the first list and the history into the folder `out`. */
export async function buildUrlList(out) {
  const versions = await makeHistory();
  const { file, info } = await makeFirst(versions);
  const history = gzipSync(JSON.stringify(versions), { level: 9 });
  await writeFile(new URL('publisher-history.bin', out), history);
  await writeFile(new URL('first-list.tamis', out), file);
  await writeFile(new URL('first-list.json', out), `${JSON.stringify(info, null, 2)}\n`);
  return { entries: info.fields.n, bytes: file.length };
}
