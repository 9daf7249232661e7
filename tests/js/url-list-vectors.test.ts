/** The vectors of updates, as containers that are written from FORMAT.md. Of the package they use only Rice coding. */
import { createHash } from 'node:crypto';

import { expect, test } from '@jest/globals';
import { riceEncode, UrlDelta, UrlList, UrlListBuilder } from 'tamis/url';

import { HEADER, repaired } from './support/container.js';
import { expectCode } from './support/errors.js';
import { fromHex, toHex, vectorWords } from './support/url-vectors.js';

const empty = new UrlListBuilder().build();
const noChange = empty.diff(empty);

const sha256 = (...parts: Uint8Array[]): Uint8Array =>
  new Uint8Array(createHash('sha256').update(Buffer.concat(parts)).digest());
const checksumOf = (prefixes: Uint8Array): Uint8Array => sha256(prefixes);
/** The shapes of lists that do not record them: all six. */
const shapes = 63;
const identityOf = (prefixes: Uint8Array): Uint8Array =>
  sha256(Buffer.from('labels5\0\x04'), Buffer.of(shapes), checksumOf(prefixes));

/** The parameter and the bytes of a sorted list of 4-byte integers. */
function sortedList(values: Uint8Array): { parameter: number; bytes: Uint8Array } {
  if (values.length === 0) return { parameter: 3, bytes: values };
  const { parameter, firstValue, data } = riceEncode(values, 32);
  return { parameter, bytes: Buffer.concat([firstValue, data]) };
}

/** A container with the header fields of `like`, except those given. */
function container(
  like: UrlList | UrlDelta,
  fields: { base?: Uint8Array; capacity: number; count: number },
  payload: Uint8Array,
): Uint8Array {
  const bytes = new Uint8Array(HEADER + payload.length);
  bytes.set(like.toBytes().subarray(0, HEADER));
  bytes.set(payload, HEADER);
  const view = new DataView(bytes.buffer);
  if (fields.base !== undefined) bytes.set(fields.base.subarray(0, 8), 16);
  view.setBigUint64(32, BigInt(fields.capacity), true);
  view.setBigUint64(40, BigInt(fields.count), true);
  view.setBigUint64(48, BigInt(payload.length), true);
  return repaired(bytes);
}

function listOf(prefixes: Uint8Array): UrlList {
  const { parameter, bytes } = sortedList(prefixes);
  const record = new Uint8Array(80);
  const view = new DataView(record.buffer);
  [4, parameter, 7, shapes].forEach((field, i) => {
    view.setUint32(4 * i, field, true);
  });
  record.set(Buffer.from('labels5'), 16);
  const count = prefixes.length / 4;
  return UrlList.fromBytes(
    container(empty, { capacity: count, count }, Buffer.concat([record, bytes])),
  );
}

function deltaBytes(
  old: Uint8Array,
  next: Uint8Array,
  removals: Uint8Array,
  additions: Uint8Array,
): Uint8Array {
  const [removed, added] = [sortedList(removals), sortedList(additions)];
  const record = [4, removed.parameter, added.parameter, shapes];
  const parts = [identityOf(next).subarray(0, 4), Buffer.from(record), removed.bytes, added.bytes];
  const fields = {
    base: identityOf(old),
    capacity: removals.length / 4,
    count: additions.length / 4,
  };
  return container(noChange, fields, Buffer.concat(parts));
}

/** False if no container can hold it: a sorted list has whole integers, each above the one before. */
const isSorted = (hex: string): boolean => {
  const words = hex.match(/.{1,8}/g) ?? [];
  return words.every(
    (word, i) => word.length === 8 && (i === 0 || (words[i - 1] as string) < word),
  );
};

const vectors = vectorWords('updates.txt').filter(
  ([, removals, additions]) => isSorted(removals as string) && isSorted(additions as string),
);

test('vectors are there', () => {
  expect(vectors.filter((vector) => vector[3] !== 'corrupt')).toHaveLength(6);
  expect(vectors.filter((vector) => vector[3] === 'corrupt').length).toBeGreaterThan(3);
});

test.each(vectors)('%s less %s and %s', (...vector) => {
  const [old, removals, additions] = vector.slice(0, 3).map((hex) => fromHex(hex)) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ];
  const list = listOf(old);
  expect(toHex(list.prefixes())).toBe(vector[0]);
  expect(list.sha256).toEqual(checksumOf(old));
  expect(list.identity).toEqual(identityOf(old));
  if (vector[3] === 'corrupt') {
    const delta = UrlDelta.fromBytes(deltaBytes(old, old, removals, additions));
    expectCode(() => list.apply(delta), 'CORRUPT');
    return;
  }
  const expected = fromHex(vector[3] as string);
  const bytes = deltaBytes(old, expected, removals, additions);
  const next = list.apply(UrlDelta.fromBytes(bytes));
  expect(toHex(next.prefixes())).toBe(vector[3]);
  expect(toHex(next.sha256)).toBe(vector[4]);
  expect(next.diff(list).toBytes()).toEqual(bytes);
});
