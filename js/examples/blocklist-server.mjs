// The server's half: builds filters and a list for URLs from each list, and writes their bytes into a folder.
//
//   node js/examples/blocklist-server.mjs FOLDER
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { init } from 'tamis';
import { UrlListBuilder } from 'tamis/url';
import { classes, FPR, fileOf, lists, urlFileOf } from './blocklist-lists.mjs';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('expected the FOLDER to write to');
mkdirSync(folder, { recursive: true });

// Not needed, but else the first build's time would hold the start of WebAssembly as well.
await init();

const buildMs = {};
for (const list of lists) {
  for (const Class of classes) {
    const start = performance.now();
    const filter = Class.from(list.keys, { fpr: FPR });
    const file = fileOf(list, Class);
    buildMs[file] = performance.now() - start;
    writeFileSync(join(folder, file), filter.toBytes());
    filter.dispose();
  }
  // A line that is no host would end the build; here it is left out, and said.
  const builder = new UrlListBuilder({ skipInvalid: true }).addHosts(list.keys);
  for (const { message } of builder.skipped.first) console.log(`${list.title}: ${message}`);
  const urls = builder.build();
  writeFileSync(join(folder, urlFileOf(list)), urls.toBytes());
  urls.dispose();
}
writeFileSync(join(folder, 'build-ms.json'), `${JSON.stringify(buildMs)}\n`);
