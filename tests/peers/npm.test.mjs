// Filters that npm's bloom-filters and bloomfilter keep as JSON. Run by `npm run test:peers`.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bloomFiltersJson, bloomfilterJson } from 'tamis/interop';
import { answersOf, checkAnswers, checkSample } from './checks.mjs';
import { makeMillion, makeSample } from './keys.mjs';
import { startOf } from './peer.mjs';

const callidon = async () => (await import('bloom-filters')).default.BloomFilter;
const davies = async () => (await import('bloomfilter')).BloomFilter;

const peers = [
  {
    name: 'bloom-filters',
    codec: bloomFiltersJson,
    cases: [
      { name: 'its own seed', make: async (n, p) => (await callidon()).create(n, p) },
      {
        name: 'a seed of 40 bits',
        make: async (n, p) => Object.assign((await callidon()).create(n, p), { seed: 2 ** 40 + 5 }),
      },
    ],
    write: (filter) => JSON.stringify(filter.saveAsJSON()),
    open: async (json) => {
      const filter = (await callidon()).fromJSON(JSON.parse(json));
      return (key) => filter.has(key);
    },
    // Its hash is in JavaScript.
    many: 100_000,
  },
  {
    name: 'bloomfilter',
    codec: bloomfilterJson,
    cases: [{ name: 'its rule', make: async (n, p) => (await davies()).withTargetError(n, p) }],
    write: (filter) => JSON.stringify(filter),
    open: async (json) => {
      const filter = (await davies()).fromJSON(JSON.parse(json));
      return (key) => filter.test(key);
    },
    many: 1_000_000,
  },
];

for (const { name, codec, cases, write, open, many } of peers) {
  describe(name, { skip: startOf(name).skip }, () => {
    for (const { name: kind, make } of cases) {
      for (const fpr of [0.01, 0.0005]) {
        test(`${kind}, ${fpr}`, async () => {
          const { keys, probes } = makeSample('utf8');
          const filter = await make(3000, fpr);
          for (const key of keys) filter.add(key);
          const json = write(filter);
          const has = await open(json);
          const theirs = probes.map((probe) => (has(probe) ? '1' : '0')).join('');
          checkSample(answersOf(codec.decode(json), 'utf8', probes), theirs);
          checkAnswers(answersOf(codec.decode(JSON.parse(json)), 'utf8', probes), theirs);
        });
      }
    }

    test(`${many} keys`, async () => {
      const keys = makeMillion().slice(0, many);
      const filter = await cases[0].make(many, 0.01);
      for (const key of keys) filter.add(key);
      assert.equal(codec.decode(write(filter)).hasMany(keys).indexOf(0), -1);
    });
  });
}
