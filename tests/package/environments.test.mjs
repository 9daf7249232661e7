// Environments that lack parts of Node and of pages, or have arrays of another realm: Jest's jsdom, audio worklets.
// Run by `node --test tests/package/environments.test.mjs`.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { app, bundle, installed } from './app.mjs';
import { output, runInPage } from './workspace.mjs';

const encoding = ['TextEncoder', 'TextDecoder'];
const without = Object.fromEntries(encoding.map((name) => [name, undefined]));
const asked = "import { askTexts } from './texts.mjs'; globalThis.answer = askTexts();";

/** Returns the answers of the texts in Node. */
const answered = (before) => {
  const script = `${before}; const { askTexts } = await import('./texts.mjs'); console.log(JSON.stringify(askTexts()))`;
  return JSON.parse(output('node', ['--input-type=module', '-e', script], { cwd: app }));
};
const expected = answered('');

describe('without TextEncoder and TextDecoder', () => {
  test('texts are the same keys, in Node', () => {
    const { missing, alone, hashes, count, lone, foreign } = expected;
    assert.deepEqual([missing, alone, hashes, foreign], [0, false, 1, false]);
    assert.equal(expected.ofReader, expected.last);
    assert.ok(count > 300, count);
    assert.deepEqual(lone, ['TypeError ERR_TAMIS_INVALID_KEY']);
    const before = encoding.map((name) => `delete globalThis.${name}`).join(';');
    assert.deepEqual(answered(before), expected);
  });

  test('texts are the same keys, in a page', async () => {
    writeFileSync(join(app, 'texts-page.mjs'), asked);
    const code = await bundle('texts-page.mjs');
    assert.deepEqual(runInPage(code), { answer: expected });
    assert.deepEqual(runInPage(code, { globals: without }), { answer: expected });
  });

  test('a URL has the same answer; text that only a decoder reads is refused with a code', async () => {
    const page = `import { canonicalize, UrlListBuilder } from 'tamis/url';
      const url = 'http://b%C3%BCcher.evil.example/';
      self.answer = new UrlListBuilder().addHosts(['evil.example']).build().check(url);
      try { canonicalize(url) } catch ({ code }) { self.failure = code }`;
    writeFileSync(join(app, 'host-page.mjs'), page);
    const code = await bundle('host-page.mjs');
    const answer = 'maybe';
    assert.deepEqual(runInPage(code), { answer });
    const failure = 'ERR_TAMIS_UNSUPPORTED';
    assert.deepEqual(runInPage(code, { globals: without }), { answer, failure });
  });
});

test('arrays, URLs, signals and errors of another realm are what they are', async () => {
  const page = `import { BloomFilter, fromBytes, funnel, hashKeys, init, key, keyBatchesFrom, withFunnel } from 'tamis';
    import * as read from 'tamis/read';
    import { RedisFilter } from 'tamis/redis';
    self.done = (async () => {
      const { bytes, packed, hashes, secret, url, signal, error, lines } = self.other;
      const isOther = [bytes, packed.starts, hashes].map((array) => array instanceof Object);
      const fetched = await init({ url }).then(() => 'running', String);
      const filter = BloomFilter.from(packed, { capacity: 10, secret });
      const loaded = [BloomFilter, read.BloomFilter].map((Class) => Class.fromBytes(bytes));
      const users = withFunnel(filter, funnel(() => { throw error }));
      let index;
      try { users.addMany([1]) } catch (thrown) { index = thrown.cause === error && thrown.index }
      const keys = [];
      for await (const some of keyBatchesFrom(lines, { signal })) keys.push(some.length);
      const streamed = await read.fromStreamOf([read.BloomFilter], self.other.stream);
      const call = async ([command]) => (command === 'HVALS' ? self.other.replies : null);
      const redis = await RedisFilter.open({ call }, 'seen').catch(({ code, message }) => code + message);
      self.answer = {
        isOther, index, keys, fetched, redis, streamed: streamed.has('ant'),
        found: loaded.flatMap((one) => [one.has('ant'), one.has(self.other.ant), ...one.hasMany(['ant', self.other.ant])]),
        hashed: [...loaded[0].hasHashes(hashes), ...loaded[1].hasHashes(hashes)],
        copied: fromBytes(bytes.buffer).has('ant'),
        own: filter.hasMany(['bee', 'cat']).join(),
      };
    })().catch((failure) => { self.failure = String(failure.stack) });`;
  writeFileSync(join(app, 'realms.mjs'), page);
  const utf8 = (text) => new TextEncoder().encode(text);
  const script = `
    import { BloomFilter, hashKeys, keysFromLines } from 'tamis';
    const { bytes, starts, ends } = keysFromLines(new TextEncoder().encode('bee\\ncat\\n'));
    console.log(JSON.stringify([[...BloomFilter.from(['ant']).toBytes()], String(hashKeys(['ant'])[0])]));`;
  const [file, hash] = JSON.parse(
    output('node', ['--input-type=module', '-e', script], { cwd: app }),
  );
  const wasm = readFileSync(join(installed, 'dist/wasm/core.wasm'));
  const other = {
    bytes: Uint8Array.from(file),
    ant: utf8('ant'),
    packed: {
      bytes: utf8('beecat'),
      starts: Uint32Array.of(0, 3),
      ends: Uint32Array.of(3, 6),
      length: 2,
    },
    hashes: BigUint64Array.of(BigInt(hash)),
    secret: new Uint8Array(16),
    url: new URL('https://host.example/core.wasm'),
    signal: new AbortController().signal,
    error: new Error('of a caller'),
    lines: new Blob(['ant\nbee\n']).stream(),
    stream: new Blob([Uint8Array.from(file)]).stream(),
    replies: [utf8('{}'), utf8('1 1 1 1')],
  };
  const { answer, failure } = await runInPage(await bundle('realms.mjs'), {
    globals: { other, fetch: async () => new Response(wasm) },
  });
  assert.equal(failure, undefined);
  assert.deepEqual(answer.isOther, [false, false, false]);
  assert.deepEqual([answer.index, answer.keys, answer.own], [0, [2], '1,1']);
  assert.deepEqual(answer.found, [true, true, 1, 1, true, true, 1, 1]);
  assert.deepEqual([answer.hashed, answer.copied, answer.fetched], [[1, 1], true, 'running']);
  assert.equal(answer.streamed, true);
  assert.match(answer.redis, /ERR_TAMIS_INCOMPATIBLE/);
});

test('a structure of another copy of the package is called that', () => {
  const script = `
    import * as here from 'tamis';
    import { guava } from 'tamis/interop';
    import { UrlListBuilder } from 'tamis/url';
    const there = await import('./node_modules/tamis/dist/index.js');
    const urls = await import('./node_modules/tamis/dist/url/index.js');
    const said = [];
    const ask = (act) => {
      try { act(); said.push('nothing') } catch ({ name, code, message }) { said.push([name, code, message].join(' ')) }
    };
    const own = here.BloomFilter.from(['ant']);
    const other = there.BloomFilter.from(['ant']);
    const list = new UrlListBuilder().addHosts(['evil.example']).build();
    const otherList = new urls.UrlListBuilder().addHosts(['evil.example']).build();
    ask(() => own.merge(other));
    ask(() => own.jaccard(other));
    ask(() => here.missingFrom(other, ['ant']));
    ask(() => guava.encode(other));
    ask(() => list.diff(otherList));
    ask(() => new UrlListBuilder().addHosts(['evil.example']).build({ previous: otherList }));
    ask(() => own.merge({}));
    own.merge(here.BloomFilter.fromBytes(other.toBytes()));
    console.log(JSON.stringify(said));`;
  const said = JSON.parse(output('node', ['--input-type=module', '-e', script], { cwd: app }));
  assert.equal(said.length, 7);
  const advice =
    /^TypeError ERR_TAMIS_INVALID_OPTION .*another copy of tamis: load its toBytes\(\) here$/;
  for (const text of said.slice(0, -1)) assert.match(text, advice);
  assert.match(said.at(-1), /got Object$/);
});

test('without WebAssembly the error names where that is so, and what works there', async () => {
  const code = await bundle('page.mjs');
  const { answer, failure } = runInPage(code, { globals: { WebAssembly: undefined } });
  assert.equal(answer, undefined);
  assert.equal(failure.code, 'ERR_TAMIS_UNSUPPORTED');
  assert.match(failure.message, /Lockdown Mode, Tor Browser, React Native.*tamis\/read/);
  const args = [
    '--jitless',
    '--input-type=module',
    '-e',
    "import 'tamis'; (await import('./page.mjs'))",
  ];
  const script = `${args.pop()}; console.log(failure.code)`;
  assert.equal(output('node', [...args, script], { cwd: app }), 'ERR_TAMIS_UNSUPPORTED\n');
});
