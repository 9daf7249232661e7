// Checks filters of Go libraries, from Debian's packages. Run by `npm run test:peers`.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { goBloom, goCuckoo } from 'tamis/interop';
import { answersOf, checkBothWays, checkMillion, checkSample, sameBytes } from './checks.mjs';
import { linesOf, makeMillion, makeSample } from './keys.mjs';
import { programOf } from './peer.mjs';

const text = {
  open: (dump) => new TextDecoder().decode(dump),
  seal: (json) => new TextEncoder().encode(json),
  encodeOptions: { json: true },
  asked: ['json'],
};

describe('bits-and-blooms', () => {
  const peer = programOf('go-bloom');
  for (const type of ['utf8', 'bytes']) {
    for (const fpr of [0.01, 0.0003]) {
      const parameters = [3000, fpr];
      const common = { peer, codec: goBloom, type, options: { fpr } };
      checkBothWays(`${type}, ${fpr}`, { ...common, parameters, asked: [] });
      checkBothWays(`${type}, ${fpr}, JSON`, {
        ...common,
        ...text,
        parameters: [...parameters, 'json'],
      });
    }
  }
  checkMillion('utf8', { peer, codec: goBloom, parameters: [1e6, 0.01], asked: [] });
});

describe('seiflotfy', () => {
  const peer = programOf('go-cuckoo');
  const kinds = [
    { name: 'a filter', mode: [] },
    { name: 'a scalable filter', mode: ['scalable'], options: { scalable: true } },
  ];
  for (const { name, mode, options } of kinds) {
    for (const type of ['utf8', 'bytes']) {
      test(`${name} of ${type}`, { skip: peer.skip }, () => {
        const { lines, probes, probeLines } = makeSample(type);
        const dump = peer.build(lines, 4096, ...mode);
        const filter = goCuckoo.decode(dump, options);
        const theirs = peer.ask(dump, probeLines, ...mode);
        checkSample(answersOf(filter, type, probes), theirs);
        sameBytes(filter.toBytes(), dump);
      });
    }

    test(`${name} of a million keys`, { skip: peer.skip }, () => {
      const keys = makeMillion();
      // A million keys fill half of 2^21 slots.
      const dump = peer.build(linesOf('utf8', keys), 2 ** 21, ...mode);
      assert.equal(goCuckoo.decode(dump, options).hasMany(keys).indexOf(0), -1);
    });
  }
});
