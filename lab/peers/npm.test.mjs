// Checks filters that the npm packages bloom-filters and bloomfilter store as JSON. Run by `npm run test:peers`.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { bloomFiltersJson, bloomfilterJson } from 'tamis/interop';
import { installed } from '../../tests/package/from-npm.mjs';
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
    // Its hash is written in JavaScript, so it gets fewer keys.
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

/** A class from another version of bloom-filters. If npm has no such version, returns undefined, and the test skips. */
function olderOf(t, version) {
  const home = installed(t, `bloom-filters@${version}`);
  return home && createRequire(join(home, 'package.json'))('bloom-filters').BloomFilter;
}

describe('older versions of bloom-filters', () => {
  const { keys, probes } = makeSample('utf8');

  for (const [kind, seed] of Object.entries({ 'its own seed': undefined, 'a seed': 2 ** 40 + 5 })) {
    test(`2.0.0 is read, ${kind}`, (t) => {
      const Older = olderOf(t, '2.0.0');
      if (Older === undefined) return;
      const filter = Object.assign(Older.create(3000, 0.01), seed && { seed });
      for (const key of keys) filter.add(key);
      const theirs = probes.map((probe) => (filter.has(probe) ? '1' : '0')).join('');
      const read = bloomFiltersJson.decode(JSON.stringify(filter.saveAsJSON()));
      checkSample(answersOf(read, 'utf8', probes), theirs);
    });
  }

  // The hash was changed, so version 3 loads such a file but finds almost none of its keys.
  for (const version of ['1.3.4', '1.3.9']) {
    test(`${version} is refused, with advice that holds`, async (t) => {
      const Older = olderOf(t, version);
      if (Older === undefined) return;
      const filter = Older.create(1000, 0.01);
      const members = keys.slice(0, 1000);
      for (const key of members) filter.add(key);
      assert.ok(members.every((key) => filter.has(key)));
      const json = JSON.stringify(filter.saveAsJSON());
      assert.throws(() => bloomFiltersJson.decode(json), {
        code: 'ERR_TAMIS_UNSUPPORTED',
        message: /from its keys/,
      });
      const loaded = (await callidon()).fromJSON(JSON.parse(json));
      const missed = members.filter((key) => !loaded.has(key)).length;
      assert.ok(missed > 900, `version 3 misses ${missed}`);
    });
  }
});
