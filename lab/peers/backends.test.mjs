// Tests the programs for Python, Go and Java backends that docs/guide links. Run by `npm run test:peers`.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { BloomFilter } from 'tamis';
import { binaryFuse } from 'tamis/interop';
import { BloomFilter as Reader } from 'tamis/read';
import { root } from '../../js/scripts/run.mjs';
import { makeFolder } from '../folders.mjs';
import { sameBytes } from './checks.mjs';
import { makeMillion } from './keys.mjs';
import { startOf } from './peer.mjs';

const million = makeMillion();
const ABSENT = 200_000;
/** Keys that are in no list. */
const absent = Array.from({ length: ABSENT }, (_, i) => `absent-${i}@mail.example`);

/** Odd keys that fit on one line: the empty one, blanks, each length of a code point, and both planes. */
const odd = ['', ' a b ', 'caf\u00e9', '\u07ff', '\u0800', '\u4e2d\u6587', '\uffff', '\u{1f980}'];
/** Keys of every length that XXH3 hashes in a different way. */
const long = [1, 3, 4, 8, 9, 16, 17, 128, 129, 240, 241, 1024, 1025, 5000].map((length) =>
  'abcdefghijk'.repeat(length).slice(0, length),
);

const lists = {
  'no key': [],
  'the empty key': [''],
  'one key': ['ada'],
  'keys that stand there twice': ['ada', 'grace', 'ada', 'ada', 'alan', 'grace'],
  'keys outside of ASCII': odd,
  'long keys': long,
};

const linesOf = (keys, end = '\n') => keys.map((key) => key + end).join('');

const folder = makeFolder('backends');

const SHOWN = ['ada', 'grace'];

/** The files with those keys that a page shows in base64. */
function shownIn(page) {
  const text = readFileSync(join(root, 'docs/guide', `${page}.md`), 'utf8');
  const strings = [...text.matchAll(/^const file =\s+((?:'[\w+/=]+'[\s+]*)+);$/gm)];
  return strings.map(([, parts]) => Buffer.from(parts.replaceAll(/'[\s+]*'?/g, ''), 'base64'));
}

/** Runs a program on keys, and returns the file that it writes. */
function write([program, ...first], args, input) {
  const path = join(folder, 'keys');
  execFileSync(program, [...first, ...args(path)], { input, stdio: ['pipe', 'pipe', 'inherit'] });
  const file = new Uint8Array(readFileSync(path));
  rmSync(path);
  return file;
}

const options = (path, fpr, seed) => ['--fpr', `${fpr}`, '--seed', `${seed}`, path];
const places = (path, fpr, seed) => [path, `${fpr}`, `${seed}`];

/** For each program, its arguments and the command lines that it must refuse. */
const bloomPrograms = {
  'backend-python-bloom': { page: 'from-python', argsOf: options, refused: {} },
  'backend-go-bloom': {
    page: 'from-go',
    argsOf: options,
    refused: { 'a line of more than 64 KiB': 'a'.repeat(2 ** 16 + 1) },
  },
  'backend-java-bloom': {
    page: 'from-java',
    argsOf: places,
    refused: { 'a line that is not UTF-8': Uint8Array.of(97, 10, 0xff, 10) },
  },
};

/** The number of keys that a filter misses. */
const missed = (filter, keys) => keys.filter((key) => !filter.has(key)).length;

/** The share of absent keys that a filter reports as present. */
const rateOf = (filter) => absent.filter((key) => filter.has(key)).length / ABSENT;

/** Five standard deviations of that share. */
const toleranceOf = (fpr) => 5 * Math.sqrt((fpr * (1 - fpr)) / ABSENT);

/** Compares a file with the one that tamis makes from the same keys, rate and seed. */
function checkFile(file, keys, { fpr, seed }) {
  const made = new BloomFilter({ capacity: Math.max(keys.length, 1), fpr, seed });
  made.addMany(keys);
  sameBytes(file, made.toBytes());
}

const cli = join(root, 'dist/cli.mjs');
const buildArgs = (path, fpr) => ['build', '-', '-o', path, '--fpr', `${fpr}`];

/** Rates that are not binary fractions, rates that are, and the lowest one. */
const rates = [0.9, 0.5, 1 / 3, 0.2, 0.01, 0.0003, 2 ** -30, 2 ** -48];
/** At 1 %, the rate is summed exactly for up to 73 keys. */
const capacities = [1, 2, 10, 73, 74, 1000, 54_321];
/** The files of `tamis build`, by capacity and rate. */
const sized = capacities.flatMap((capacity) => {
  const input = linesOf(Array.from({ length: capacity }, (_, i) => `key-${i}`));
  return rates.map((fpr) => {
    const file = write([process.execPath, cli], (path) => buildArgs(path, fpr), input);
    return { capacity, fpr, input, file };
  });
});

for (const [name, { page, argsOf, refused }] of Object.entries(bloomPrograms)) {
  const { command, skip } = startOf(name);
  const build = (input, fpr, seed) => write(command, (path) => argsOf(path, fpr, seed), input);

  describe(name, { skip }, () => {
    test('a million keys: none is missed, and the file is that of tamis', () => {
      const made = { fpr: 0.01, seed: 2n ** 64n - 5n };
      const file = build(linesOf(million), made.fpr, made.seed);
      const reader = Reader.fromBytes(file);
      assert.equal(missed(reader, million), 0);
      const rate = rateOf(reader);
      assert.ok(Math.abs(rate - made.fpr) < toleranceOf(made.fpr), `the rate is ${rate}`);
      checkFile(file, million, made);
    });

    for (const [what, keys] of Object.entries(lists)) {
      test(what, () => {
        const made = { fpr: 0.0003, seed: 7n };
        const file = build(linesOf(keys), made.fpr, made.seed);
        assert.equal(missed(Reader.fromBytes(file), keys), 0);
        checkFile(file, keys, made);
      });
    }

    test('the size of each number of keys and rate is that of `tamis build`', () => {
      for (const { capacity, fpr, input, file } of sized) {
        const written = build(input, fpr, 0n);
        assert.ok(Buffer.from(file).equals(written), `${capacity} keys at a rate of ${fpr}`);
      }
    });

    test('line ends of Windows, and a last line without one', () => {
      const keys = ['ada', 'grace'];
      const expected = build(linesOf(keys), 0.01, 0n);
      sameBytes(build(linesOf(keys, '\r\n'), 0.01, 0n), expected);
      sameBytes(build(keys.join('\n'), 0.01, 0n), expected);
    });

    test('the file that the page shows', () => {
      sameBytes(build(linesOf(SHOWN), 0.01, 0n), shownIn(page)[0]);
    });

    /** Checks that a run fails, and leaves no file. */
    function refuses(input, fpr) {
      const path = join(folder, 'none');
      const [program, ...first] = command;
      const { status } = spawnSync(program, [...first, ...argsOf(path, fpr, 0n)], { input });
      assert.ok(status > 0, `it ended with ${status}`);
      assert.ok(!existsSync(path));
    }

    for (const fpr of [0, 2 ** -49, 1, -0.01, Number.NaN]) {
      test(`a rate of ${fpr} writes no file`, () => refuses('ada\n', fpr));
    }

    for (const [what, input] of Object.entries(refused)) {
      test(`${what} writes no file`, () => refuses(input, 0.01));
    }
  });
}

for (const [name, page] of [
  ['backend-python-fuse', 'from-python'],
  ['backend-go-fuse', 'from-go'],
]) {
  const { command, skip } = startOf(name);
  const build = (keys) => write(command, (path) => [path], linesOf(keys));
  const open = (file) => binaryFuse.decode(file, { keys: 'xxh64' });

  describe(name, { skip }, () => {
    test('a million keys: none is missed', () => {
      const file = build(million);
      const filter = open(file);
      assert.equal(filter.hasMany(million).indexOf(0), -1);
      const rate = rateOf(filter);
      assert.ok(Math.abs(rate - 1 / 256) < toleranceOf(1 / 256), `the rate is ${rate}`);
      sameBytes(filter.toBytes(), file);
    });

    for (const [what, keys] of Object.entries(lists)) {
      test(what, () => assert.equal(missed(open(build(keys)), keys), 0));
    }

    test('the file that the page shows', () => sameBytes(build(SHOWN), shownIn(page)[1]));

    test('a reader that is not told of XXH64 throws', () => {
      const filter = binaryFuse.decode(build(['ada']));
      assert.throws(() => filter.has('ada'), { code: 'ERR_TAMIS_INVALID_KEY' });
    });
  });
}
