// The server's half: builds a filter from each list, and writes its bytes into a folder.
//
//   node js/examples/blocklist-server.mjs FOLDER
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BloomFilter, init } from 'tamis';
import { FPR, lists } from './blocklist-lists.mjs';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('expected the FOLDER to write to');
mkdirSync(folder, { recursive: true });

// Not needed, but else the first build's time would hold the start of WebAssembly as well.
await init();

const buildMs = {};
for (const { name, keys } of lists) {
  const start = performance.now();
  const filter = BloomFilter.from(keys, { fpr: FPR });
  buildMs[name] = performance.now() - start;
  writeFileSync(join(folder, `${name}.tamis`), filter.toBytes());
  filter.dispose();
}
writeFileSync(join(folder, 'build-ms.json'), `${JSON.stringify(buildMs)}\n`);
