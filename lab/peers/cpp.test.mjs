// Checks files of C++ programs that docs/cpp.md shows, with the library in cpp/ (`npm run test:peers`).
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { BinaryFuseFilter, BloomFilter, key } from 'tamis';
import { BloomFilter as BloomReader, BinaryFuseFilter as FuseReader } from 'tamis/read';
import { makeFolder } from '../folders.mjs';
import { sameBytes } from './checks.mjs';
import { makeMillion } from './keys.mjs';
import { startOf } from './peer.mjs';

const { command, skip } = startOf('cpp');

describe('C++', { skip }, () => {
  const keys = makeMillion();
  const folder = makeFolder('cpp');

  /** Runs an example on these lines. Returns what it prints, and the file that it writes. */
  function runExample(name, lines, file = join(folder, `${name}.tamis`)) {
    const input = lines.map((line) => `${line}\n`).join('');
    const printed = execFileSync(join(command[0], name), [file], { input, encoding: 'utf8' });
    return { printed, bytes: new Uint8Array(readFileSync(file)) };
  }

  test('blocklist: a million keys, none missed, and the bytes that JavaScript builds', () => {
    const { printed, bytes } = runExample('blocklist', keys);
    assert.equal(printed, `1000000 keys in ${bytes.length} bytes\n`);
    const read = FuseReader.fromBytes(bytes);
    assert.equal(read.hasMany(keys).indexOf(0), -1);
    const absent = read.hasMany(keys.map((key) => `${key}.`)).reduce((sum, one) => sum + one);
    assert.ok(absent > 0 && absent < 1500, `${absent} of a million absent keys are reported`);
    sameBytes(bytes, BinaryFuseFilter.from(keys, { fpr: 0.001 }).toBytes());
  });

  test('blocklist: odd lines and no lines', () => {
    const lines = ['', 'caf\u00e9', '\u{1f600}', 'a\0b', 'a\0c', 'x'.repeat(10_000)];
    for (const odd of [lines, []]) {
      const { bytes } = runExample('blocklist', odd);
      sameBytes(bytes, BinaryFuseFilter.from(odd, { fpr: 0.001 }).toBytes());
    }
  });

  test('usernames: a million names in two runs, none missed, and the bytes that JavaScript builds', () => {
    const first = runExample('usernames', keys.slice(0, 600_000));
    assert.match(first.printed, /^\d+ names, \d+ of them taken before\n$/);
    const { bytes } = runExample('usernames', keys.slice(600_000));
    assert.equal(BloomReader.fromBytes(bytes).hasMany(keys).indexOf(0), -1);
    sameBytes(bytes, BloomFilter.from(keys, { capacity: 1e6, fpr: 0.01 }).toBytes());
  });

  test('orders: JavaScript finds the numbers and the structs', () => {
    const { bytes } = runExample('orders', ['3 70', '1 18446744073709551615']);
    const keys = ['3/70', key.int64(70n), '1/18446744073709551615', key.int64(-1n), '70'];
    assert.deepEqual([...BloomReader.fromBytes(bytes).hasMany(keys)], [1, 1, 1, 1, 0]);
  });

  test('usernames: a damaged file is refused with its code, and stays', () => {
    const { bytes } = runExample('usernames', ['ann'], join(folder, 'damaged.tamis'));
    bytes[bytes.length - 1] ^= 1;
    const file = join(folder, 'damaged.tamis');
    writeFileSync(file, bytes);
    const refused = {
      status: 1,
      stderr: /^usernames: ERR_TAMIS_CORRUPT: the bytes are damaged\n$/,
    };
    assert.throws(() => runExample('usernames', ['bob'], file), refused);
    sameBytes(readFileSync(file), bytes);
  });
});
