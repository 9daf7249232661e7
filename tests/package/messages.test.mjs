// Calls as a newcomer makes them: wrong ones. The types refuse each that they can, and the text of the error names
// what to do. Run by `node --test tests/package/wrong-calls.test.mjs`.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import ts from 'typescript';
import { compilerOptions } from './api.mjs';
import { app } from './app.mjs';
import { output } from './workspace.mjs';

const head = `
import { BloomFilter, BloomierMap, CuckooFilter, ExactFilter, RibbonFilter } from 'tamis';
import { fromBytes, key, keyBatchesFrom } from 'tamis';
import { readFeed } from 'tamis/feeds';
import * as read from 'tamis/read';
import { RedisFilter } from 'tamis/redis';
import { RemoteFilter } from 'tamis/remote';
import { UrlChecker } from 'tamis/url';
const filter = BloomFilter.from(['alice', 'bob']);
const secret = new Uint8Array(16);
const later = Promise.resolve(filter.toBytes());
const has = filter.has;
`;

/** A call, what its error says, and if the types cannot refuse it, why. */
const calls = [
  // The order and the form of arguments.
  ['new BloomFilter(1000, 4)', 'BloomFilter: options must be an object, got 1000'],
  ["BloomFilter.from(['a'], 0.01)", 'BloomFilter.from: options must be an object, got 0.01'],
  ["ExactFilter.from(['a'], ['b'])", /include/],
  ['BloomierMap.from({ a: 1 }, { valueBits: 8 })', /iterable of \[key, value\]/],
  ['new RibbonFilter({ fpr: 0.01 })', /RibbonFilter\.from/],
  ['new CuckooFilter({ fpr: 0.01 })', 'CuckooFilter: expected the option capacity'],
  ["RedisFilter.open('seen', {}, { capacity: 9 })", /client/],
  [
    "RemoteFilter.open({ manifest: 'https://a.example/manifest.json' })",
    /RemoteFilter\.open\(manifestUrl/,
  ],
  [
    "UrlChecker.open({ manifest: 'https://a.example/manifest.json', list: 'x' })",
    /UrlChecker\.open\(manifestUrl/,
  ],
  // Options that are misspelt, old, of a wrong type or out of range.
  ['new BloomFilter({ capactiy: 1000 })', /unknown option "capactiy"; expected .*capacity/],
  [
    'new BloomFilter({ capacity: 1000, errorRate: 0.01 })',
    /unknown option "errorRate"; expected .*fpr/,
  ],
  [
    "new BloomFilter({ capacity: 9, hash: 'keyed', key: secret })",
    /unknown option "hash"; expected .*secret/,
  ],
  ["new BloomFilter({ capacity: '1000' })", /capacity must be a number, got a string/],
  [
    'new BloomFilter({ capacity: 1000, fpr: 1 })',
    /fpr must be .* below 1, got 1/,
    'the range of a number',
  ],
  // The calls of bloom-filters and bloomfilter.
  ['BloomFilter.create(1000, 0.01)', /create is not a function/],
  ['BloomFilter.withTargetError(1000, 0.01)', /withTargetError is not a function/],
  ['BloomFilter.fromJSON({})', /fromJSON is not a function/],
  ["filter.test('alice')", /test is not a function/],
  // What is no key, or no keys.
  ['filter.add(5)', /key\.int32/],
  ['filter.has(undefined)', /a key must be .* got undefined/],
  ['filter.has({ id: 1 })', /a key must be/],
  ["filter.has(Promise.resolve('alice'))", /a key must be/],
  [
    "filter.addMany('alice')",
    /an array or another iterable, got a string/,
    'a string is an iterable of strings',
  ],
  ["key.int32('5')", /int32: expected a number/],
  ["has('alice')", /filter/, 'methods have no type for this'],
  // Bytes that are none.
  ['BloomFilter.fromBytes(later)', /await/],
  ['BloomFilter.fromBytes(new Response())', /arrayBuffer/],
  ["BloomFilter.fromBytes(new Set(['a']))", /from/],
  ["fromBytes('VE1T')", /base64/],
  ['fromBytes(JSON.parse(JSON.stringify(filter)))', /toBytes/, 'JSON.parse gives any'],
  ['BloomFilter.fromStream(new Response())', /body/],
  ["read.BloomFilter.fromBytes('VE1T')", /base64/],
  ['keyBatchesFrom(new Response()).next()', /body/],
  ["readFeed('https://a.example/list.txt')", /fetch/, 'a string may be a text'],
];

const body = (name) =>
  calls
    .map(([call]) => `  async () => ${call},`)
    .join('\n')
    .replace(/^/, `export const ${name} = [\n`);
const text = `${head}${body('made')}\n];\n`;

test('the types refuse them', () => {
  const file = join(app, 'wrong-calls.mts');
  writeFileSync(file, text);
  const program = ts.createProgram([file], compilerOptions);
  const source = program.getSourceFile(file);
  const first = head.split('\n').length;
  const lines = ts.getPreEmitDiagnostics(program, source).map(({ start, messageText }) => {
    const { line } = source.getLineAndCharacterOfPosition(start);
    return [line - first, ts.flattenDiagnosticMessageText(messageText, ' ')];
  });
  const refused = new Map(lines);
  assert.ok(
    [...refused.keys()].every((i) => i in calls),
    'the first lines compile',
  );
  const due = calls.filter(([, , why], i) => why === undefined && !refused.has(i));
  assert.deepEqual(
    due.map(([call]) => call),
    [],
  );
  const needless = calls.filter(([, , why], i) => why !== undefined && refused.has(i));
  assert.deepEqual(
    needless.map(([call]) => call),
    [],
  );
  assert.ok(refused.size >= 28);
});

test('the errors say what to do', () => {
  const file = join(app, 'wrong-calls.mjs');
  const tell = `
const told = made.map((call) => call().then(() => ({}), ({ code, message }) => ({ code, message })));
console.log(JSON.stringify(await Promise.all(told)));`;
  writeFileSync(file, `${text}${tell}`);
  const told = JSON.parse(output('node', [file], { cwd: app }));
  const wrong = calls.flatMap(([call, expected], i) => {
    const { code = 'none', message = 'no error' } = told[i];
    const isRight = expected instanceof RegExp ? expected.test(message) : message === expected;
    const isCoded = code.startsWith('ERR_TAMIS_') || /is not a function/.test(message);
    return isRight && isCoded ? [] : [`${call}: ${code}: ${message}`];
  });
  assert.deepEqual(wrong, []);
});
