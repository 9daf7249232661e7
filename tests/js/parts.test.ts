// The parts of the wasm: a class brings its own, alone in its process or behind others, early or late.

import { expect, test } from '@jest/globals';

import { runModule } from './support/child.js';
import { golden } from './support/golden.js';

const types = [...new Set(golden.filter((one) => one.valid).map((one) => one.type))];
const classes: Record<string, string> = {
  bloom: 'BloomFilter',
  'blocked-bloom': 'BlockedBloomFilter',
  'counting-bloom': 'CountingBloomFilter',
  'tombstone-bloom': 'TombstoneBloomFilter',
  'deletable-bloom': 'DeletableBloomFilter',
  'scalable-bloom': 'ScalableBloomFilter',
  'rotating-bloom': 'RotatingBloomFilter',
  'd-left-counting': 'DLeftCountingFilter',
  cuckoo: 'CuckooFilter',
  'binary-fuse': 'BinaryFuseFilter',
  ribbon: 'RibbonFilter',
  exact: 'ExactFilter',
  bloomier: 'BloomierMap',
  iblt: 'InvertibleBloomTable',
  'bit-array': 'BitArray',
};

/** Loads every golden file of these types by its class, in this order; what went wrong. */
const loadAll = (order: readonly string[]) => `
  import * as tamis from 'tamis';
  import * as values from 'tamis/schemes';
  import { readFileSync } from 'node:fs';
  const golden = ${JSON.stringify(golden)};
  const bytesOf = ({ file }) => new Uint8Array(readFileSync('tests/vectors/v1/' + file));
  const fromHex = (hex) => new Uint8Array(Buffer.from(hex, 'hex'));
  const faults = [];
  const kept = [];
  let instances = 0;
  const { Instance } = WebAssembly;
  WebAssembly.Instance = class extends Instance { constructor(...args) { super(...args); instances++; } };
  for (const [type, name] of ${JSON.stringify(order.map((type) => [type, classes[type]]))}) {
    for (const one of golden.filter((one) => one.type === type)) {
      const schemes = Object.values(values);
      const options = one.key === undefined ? { schemes } : { schemes, key: fromHex(one.key) };
      let loaded;
      try { loaded = tamis[name].fromBytes(bytesOf(one), options); } catch (error) {
        if (one.valid || !error.code) faults.push(one.file + ': ' + error.message);
        continue;
      }
      if (!one.valid) { faults.push(one.file + ': taken'); continue; }
      kept.push([one, loaded]);
    }
  }
  // Late, when all the parts have come.
  for (const [one, loaded] of kept) {
    if (Buffer.compare(loaded.toBytes(), bytesOf(one)) !== 0) faults.push(one.file + ': other bytes');
    const present = one.present ?? [];
    if (one.type === 'bit-array' || loaded.hasMany === undefined) continue;
    if (!loaded.hasMany(present.map(fromHex)).every((answer) => answer === 1)) faults.push(one.file + ': lost keys');
  }
  console.log(JSON.stringify({ faults, kept: kept.length, instances }));
`;

async function loaded(order: readonly string[]) {
  const files = golden.filter((one) => one.valid && order.includes(one.type));
  const { faults, kept, instances } = JSON.parse(await runModule(loadAll(order)));
  expect(faults).toEqual([]);
  expect(kept).toBe(files.length);
  return instances as number;
}

test('every type has a class here', () => {
  expect(Object.keys(classes).sort()).toEqual([...types].sort());
});

test.each(types)('%s alone', async (type) => {
  // The base, its own part, and at most five that it shares with others or that schemes have.
  expect(await loaded([type])).toBeLessThanOrEqual(8);
});

test('all, the last first', async () => {
  expect(await loaded([...types].reverse())).toBeGreaterThan(types.length);
});
