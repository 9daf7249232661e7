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

// A program need not call this. Here it keeps the start of WebAssembly out of the first build's time.
await init();

const count = (value) => value.toLocaleString('en-US');

/** Prints the entries of the feed, and the ones that are not on the list, with the reason. */
function tell(title, { format, lines, entries, allowed, skipped, first }, builder) {
  console.log(`${title}, a feed that is '${format}': ${count(lines)} lines`);
  console.log(`  ${count(entries)} entries, ${count(allowed)} exceptions`);
  for (const [reason, number] of Object.entries(skipped)) {
    const { line, text } = first.find((skip) => skip.reason === reason);
    console.log(`  ${count(number)} skipped, ${reason}: line ${count(line)}, ${text}`);
  }
  if (allowed === 0) return;
  console.log(`  ${count(builder.count - builder.fullHashes.length / 32)} taken off by exceptions`);
  const { unmet } = builder;
  if (unmet.length === 0) return;
  console.log(`  ${count(unmet.length)} excepted, and below a listed host: ${unmet[0]}, ...`);
}

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
  const feed = list.openFeed();
  const builder = await new UrlListBuilder().addFeed(feed);
  const urls = builder.build({ gate: { minEntries: 1000 } });
  tell(list.title, feed.report, builder);
  writeFileSync(join(folder, urlFileOf(list)), urls.toBytes());
  urls.dispose();
}
console.log();
writeFileSync(join(folder, 'build-ms.json'), `${JSON.stringify(buildMs)}\n`);
