// Opens a UrlChecker that stores files, updates it from a published folder, and ends. Arguments: FOLDER PUBLISHED KEY,
// with KEY in hexadecimal.

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
// Without close(), since the process only ends after the storage writes for which no update waits.
