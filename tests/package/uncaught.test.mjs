// Node's output for an error that nobody catches: the line of the `throw`, the message and the stack.
// Run by `node --test tests/package/uncaught.test.mjs`.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { app, installed, manifest } from './app.mjs';
import { run } from './workspace.mjs';

/** A call of each entry that throws, and its message. */
const faults = {
  '.': ['new all.BloomFilter({ capacity: 10, fpr: 2 })', /fpr must be at least 2\^-48 and below 1/],
  './url': ['new all.UrlListBuilder({ prefixBytes: 5 })', /prefixBytes must be 4, 8, 16 or 32/],
  './safe-browsing': ["all.SafeBrowsing.open({ apiKey: 'k' })", /expected the option mode/],
  './read': ["all.BloomFilter.fromBytes(new Uint8Array(9), { kye: 'x' })", /unknown option "kye"/],
  './remote': ["all.RemoteFilter.open('here', { publicKeys: null })", /must be an absolute URL/],
  './pages': ["all.buildPages(['a'], 'pages', {})", /buildPages: expected the option name/],
  './feeds': ["all.readFeed('', { maxLineBytes: 0 })", /maxLineBytes must be a whole number/],
  './schemes': ["all.digest.check({ seed: 5n }, 'BloomFilter')", /'digest' takes no seed/],
  './interop': ['all.guava.decode(new Uint8Array(3))', /guava: the data is too short/],
  './redis': ["all.RedisFilter.open(5, 'seen')", /client must be a client of node-redis/],
};

const entries = Object.keys(manifest.exports).filter((path) => manifest.exports[path].types);

/** Returns the output of Node if an error ends the program. */
function printed(program, type) {
  const { status, stderr } = run('node', [`--input-type=${type}`, '-e', program], { cwd: app });
  assert.equal(status, 1, stderr);
  return stderr;
}

function check(stderr, message) {
  assert.match(stderr, message);
  assert.ok(stderr.length < 2000, `${stderr.length} characters: ${stderr.slice(0, 2000)}`);
}

describe('an error that nobody catches is read at a glance', () => {
  assert.deepEqual(Object.keys(faults).sort(), [...entries].sort());

  for (const entry of entries) {
    const name = join('tamis', entry);
    const [call, message] = faults[entry];
    test(`${name}, imported`, () => {
      check(printed(`import * as all from '${name}'; await ${call};`, 'module'), message);
    });
    test(`${name}, required`, () => {
      check(printed(`const all = require('${name}'); ${call};`, 'commonjs'), message);
    });
    const inBrowsers = manifest.exports[entry].default;
    if (inBrowsers === undefined) continue;
    test(`${name}, as browsers have it`, () => {
      const { href } = pathToFileURL(join(installed, inBrowsers));
      check(printed(`import * as all from '${href}'; await ${call};`, 'module'), message);
    });
  }
});
