// Checks filters of the Rust crate xorf; a program writes them like Go and C (`npm run test:peers`).
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { binaryFuse, encodings } from 'tamis/interop';
import { answersOf, checkSample, sameBytes } from './checks.mjs';
import { linesOf, makeKeys, makeSample } from './keys.mjs';
import { programOf } from './peer.mjs';

const kinds = { 8: {}, 16: {}, 32: {}, xor8: { layout: 'xor8' } };

describe('xorf', () => {
  const peer = programOf('xorf');
  for (const [kind, options] of Object.entries(kinds)) {
    test(kind, { skip: peer.skip }, () => {
      const { lines, probes, probeLines } = makeSample('int64');
      const dump = peer.build(lines, 'int64', kind);
      const filter = binaryFuse.decode(dump, options);
      checkSample(answersOf(filter, 'int64', probes), peer.ask(dump, probeLines, 'int64', kind));
      sameBytes(filter.toBytes(), dump);
    });

    for (const count of [1, 2, 10, 100, 300_000]) {
      test(`${kind} of ${count}`, { skip: peer.skip }, () => {
        const keys = makeKeys('int64', count);
        const dump = peer.build(linesOf('int64', keys), 'int64', kind);
        const filter = binaryFuse.decode(dump, options);
        assert.equal(filter.hasMany(keys.map(encodings.int64)).indexOf(0), -1);
      });
    }
  }
});
