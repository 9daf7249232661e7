// Checks that the filters of every peer and of tamis must pass, whichever of the two wrote the bytes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withFunnel } from 'tamis';
import { encodings } from 'tamis/interop';
import { linesOf, MEMBERS, makeMillion, makeSample } from './keys.mjs';

/** A filter for keys of a type, as a program would use it. */
const viewOf = (filter, encoding) => withFunnel(filter, encodings[encoding]);

export const answersOf = (filter, encoding, probes) =>
  viewOf(filter, encoding).hasMany(probes).join('');

/** Fails unless the answers to a sample's probes are the same. */
export function checkAnswers(actual, expected) {
  assert.equal(expected.length, actual.length);
  const differing = [...expected].filter((answer, i) => answer !== actual[i]).length;
  assert.equal(differing, 0, `${differing} of ${expected.length} answers differ`);
}

/** Also fails unless the answers are plausible for a filter: all members are found, and few other probes. */
export function checkSample(actual, expected, members = MEMBERS) {
  checkAnswers(actual, expected);
  const ones = expected.split('1').length - 1;
  const found = expected.slice(0, MEMBERS).split('1').length - 1;
  assert.equal(found, members, 'no false negative');
  assert.ok(ones < MEMBERS + 240, `${ones} answers are 1`);
}

export const sameBytes = (actual, expected) =>
  assert.ok(Buffer.from(actual).equals(Buffer.from(expected)), 'the bytes differ');

const same = (value) => value;

/**
 * Tests a codec that writes the format of its peer. `peer` is a program. `codec` has `decode`, `encode` and `create`.
 *
 * - `type`: the type of keys; `encoding`: its name in `encodings`, if that differs. `keyOf` converts a key of the type
 *   to the encoding.
 * - `options`: options for `create`, in addition to 3,000 keys at 1 %
 * - `more`: the peer's parameters for building, after type, capacity and fpr
 * - `parameters` and `asked`: all parameters for building and for look-ups, if they differ from these and the type
 * - `added`: the keys of the sample that tamis adds; all by default
 * - `open` converts the peer's bytes to the argument of `decode`; `seal` converts the result of `encode` back
 */
export function checkBothWays(name, { peer, codec, type, more = [], ...rest }) {
  const options = { capacity: 3000, fpr: 0.01, ...rest.options };
  const { parameters = [type, options.capacity, options.fpr, ...more], asked = [type] } = rest;
  const { encoding = type, keyOf = same, open = same, seal = same } = rest;
  const { added = () => true, encodeOptions, members } = rest;
  const encode = (filter) => seal(codec.encode(filter, encodeOptions));
  test(`${peer.name}, ${name}: both ways`, { skip: peer.skip }, () => {
    const { keys, probes, lines, probeLines } = makeSample(type);
    const ours = probes.map(keyOf);
    const dump = peer.build(lines, ...parameters);
    const theirs = peer.ask(dump, probeLines, ...asked);
    const read = codec.decode(open(dump));
    checkSample(answersOf(read, encoding, ours), theirs, members);
    sameBytes(encode(read), dump);

    const made = codec.create(options);
    viewOf(made, encoding).addMany(keys.filter(added).map(keyOf));
    const written = encode(made);
    sameBytes(written, dump);
    checkSample(peer.ask(written, probeLines, ...asked), theirs, members);

    // tamis adds keys to the peer's filter, so these bytes are not the peer's own.
    viewOf(read, encoding).addMany(ours.slice(-400).filter(added));
    checkAnswers(peer.ask(encode(read), probeLines, ...asked), answersOf(read, encoding, ours));
  });
}

/** Checks a million keys for false negatives: tamis reads the peer's filter, and the peer reads that of tamis. */
export function checkMillion(name, { peer, codec, more = [], ...rest }) {
  const options = { capacity: 1e6, fpr: 0.01, ...rest.options };
  const { parameters = ['utf8', 1e6, 0.01, ...more], asked = ['utf8'] } = rest;
  const { open = same, seal = same } = rest;
  test(`${peer.name}, ${name}: a million keys`, { skip: peer.skip }, () => {
    const keys = makeMillion();
    const lines = linesOf('utf8', keys);
    const dump = peer.build(lines, ...parameters);
    const read = codec.decode(open(dump));
    assert.equal(read.hasMany(keys).indexOf(0), -1);

    const made = codec.create(options);
    made.addMany(keys);
    const written = seal(codec.encode(made));
    assert.equal(peer.ask(written, lines, ...asked).indexOf('0'), -1);
    sameBytes(written, dump);
  });
}
