// Import and first filter, in a fresh process: `node first.mjs NAME`. Prints milliseconds of wall
// time, which is what a user waits.

import { loadContender } from './contenders.mjs';

const begin = performance.now();
const contender = await loadContender(process.argv[2]);
const filter = contender.create(1000);
contender.add(filter, 'https://example.com/');
if (!contender.has(filter, 'https://example.com/')) throw new Error('the first key is missing');
process.stdout.write(`${performance.now() - begin}\n`);
