// Reads Safe Browsing v5 messages with google.protobuf, and the lists in them with a decoder that only tests use.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { bytesOf, sha256 } from '../lists.mjs';
import { commandOf } from './safe-browsing-clients.mjs';

/** A decoder that reads bit by bit. */
function riceDecode(first, parameter, count, hex) {
  const data = Buffer.from(hex, 'hex');
  let at = 0;
  const bit = () => {
    assert(at < 8 * data.length, 'the data end');
    return (data[at >> 3] >> (at++ & 7)) & 1;
  };
  const values = [first];
  for (let i = 0; i < count; i++) {
    let quotient = 0n;
    while (bit() === 1) quotient++;
    let delta = quotient << BigInt(parameter);
    for (let place = 0n; place < parameter; place++) delta |= BigInt(bit()) << place;
    values.push(values.at(-1) + delta);
  }
  assert(8 * data.length - at < 8, 'bytes are left');
  return values;
}

/** Parses a line of safe_browsing_messages.py: the message, if it has a group, and its fields (null if refused). */
export function lineOf(text) {
  const [, type, hex, group, json] = /^(\S+) (\S+) (\S+) (.*)$/.exec(text);
  const bytes = Buffer.from(hex === '-' ? '' : hex, 'hex');
  return { type, bytes, hasGroup: group === 'g', fields: JSON.parse(json) };
}

/** Makes lines of `count` random messages, intact and damaged. */
export function makeMessages(count, seed) {
  const [program, args] = commandOf('safe_browsing_messages', 'make', count, seed);
  return execFileSync(program, args, { encoding: 'utf8', maxBuffer: 2 ** 28 });
}

/** Starts google.protobuf in its own process. `read` returns the same as `lineOf`. */
export function startReader() {
  const child = spawn(...commandOf('safe_browsing_messages', 'read'), {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    async read(type, hex) {
      child.stdin.write(`${type} ${hex || '-'}\n`);
      return lineOf((await lines.next()).value);
    },
    stop: () => child.stdin.end(),
  };
}

const fields = { 4: 'four', 8: 'eight', 16: 'sixteen', 32: 'thirty_two' };
const firsts = {
  16: ['first_value_hi', 'first_value_lo'],
  32: ['first', 'second', 'third', 'fourth'].map((part) => `first_value_${part}_part`),
};

/** The first of the entries that are `width` bytes each. */
export function firstOf(rice, width) {
  const parts = firsts[width] ?? ['first_value'];
  return parts.reduce((value, part) => (value << 64n) | BigInt(rice[part] ?? 0), 0n);
}

/** The RiceDeltaEncoded of the entries that a HashList adds. */
export const additionsField = (message, width) => message[`additions_${fields[width]}_bytes`];

function entriesOf(rice) {
  if (rice === undefined) return [];
  const { rice_parameter = 0, entries_count = 0, encoded_data = '' } = rice;
  return riceDecode(firstOf(rice, 4), rice_parameter, entries_count, encoded_data);
}

/** The list of 4-byte entries after an update of `old`. If the message has a checksum, it must match. */
export function apply(old, message) {
  const gone = new Set(entriesOf(message.compressed_removals).map(Number));
  const kept = message.partial_update ? old.filter((_, i) => !gone.has(i)) : [];
  const added = entriesOf(additionsField(message, 4)).map((value) =>
    value.toString(16).padStart(8, '0'),
  );
  const list = [...kept, ...added].sort();
  if (message.sha256_checksum !== undefined || !message.partial_update) {
    assert.equal(message.sha256_checksum, sha256(bytesOf(list)));
  }
  return list;
}
