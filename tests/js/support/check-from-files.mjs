// Opens a UrlChecker with files, updates it from a published folder, and ends. Arguments: FOLDER PUBLISHED KEY, with
// the key in hexadecimal.

import * as fs from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileStorage, UrlChecker } from 'tamis/url';

const [folder, published, key] = process.argv.slice(2);
const checker = await UrlChecker.open('https://lists.example/manifest.json', {
  name: 'bad',
  publicKeys: [key],
  storage: fileStorage(folder),
  confirm: null,
  whenMissing: 'throw',
  whenUnconfirmed: 'throw',
  updateEveryMs: 0,
  fetch: async (url) => new Response(await fs.readFile(join(published, basename(url)))),
});
await checker.update();
// It is not closed: the process ends after the writes to the storage that no update awaits.
