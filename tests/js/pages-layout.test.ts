/** The places of pages, their proofs, and the part of them that is signed. */

import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';

import {
  checkLayout,
  depthOf,
  fileInLeaf,
  layoutOf,
  leafBytesOf,
  MerkleTree,
  meanKeysOf,
  mostKeysOf,
  pagesFor,
  pagesInPart,
  partName,
  rootOf,
} from '../../js/src/pages/layout.js';
import {
  expectPages,
  openPagesManifest,
  type PagesFields,
  pagesManifest,
  readPagesFields,
} from '../../js/src/pages/manifest.js';
import { hex } from './support/url-publisher.js';

const sha256 = (...parts: Uint8Array[]): Uint8Array => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return new Uint8Array(hash.digest());
};

/** Returns the error that a module of the sources throws. Its classes differ from those of the package. */
function thrown(action: () => unknown): Error & { readonly code?: string } {
  try {
    action();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}

const rejection = (promise: Promise<unknown>): Promise<Error & { readonly code?: string }> =>
  promise.then(
    () => thrown(() => {}),
    (error) => error,
  );

describe('the layout', () => {
  test.each([
    [1, 0],
    [2, 1],
    [3, 2],
    [4, 2],
    [5, 3],
    [83_334, 17],
    [2 ** 31 - 1, 31],
    [2 ** 31, 31],
  ])('%d pages have proofs of %d hashes', (pages, depth) => {
    expect(depthOf(pages)).toBe(depth);
  });

  test('a billion keys of 8 bits are those of the design', () => {
    const pages = pagesFor(1e9, 8);
    expect(pages).toBe(83_334);
    expect(mostKeysOf(1e9, pages)).toBe(12_877);
    const layout = layoutOf(pages, 13_056);
    expect(layout).toEqual({ pages, stride: 13_632, pagesPerPart: 1230, parts: 68 });
    expect(leafBytesOf(layout)).toBe(13_632 - 17 * 32);
    expect(pagesInPart(67, layout)).toBe(83_334 - 67 * 1230);
  });

  test('a page has 12,000 keys at 8 bits and 6,000 at 16, and never few unless it is alone', () => {
    expect([8, 10, 16, 32, 4].map(meanKeysOf)).toEqual([12_000, 9600, 6000, 4096, 12_000]);
    expect([0, 1, 12_000, 12_001, 24_001].map((keys) => pagesFor(keys, 8))).toEqual([
      1, 1, 1, 2, 3,
    ]);
    for (const bits of [8, 10, 12, 16, 32]) {
      for (let keys = 0; keys < 60_000; keys += 97) {
        const pages = pagesFor(keys, bits);
        expect(pages === 1 || keys / pages >= 4096).toBe(true);
      }
    }
  });

  test('each part has its pages, and the name that the root gives it', () => {
    const layout = layoutOf(5, 6 * 2 ** 20);
    expect(layout).toMatchObject({ pagesPerPart: 2, parts: 3 });
    expect([0, 1, 2].map((part) => pagesInPart(part, layout))).toEqual([2, 2, 1]);
    const set = { name: 'list', root: 'abcdef'.repeat(11) };
    expect(partName({ ...set, pagesPerPart: 2 }, 2)).toBe('list.abcdefabcdefabcd.2.pages');
    expect(partName({ ...set, pagesPerPart: 1 }, 2)).toBe('list.abcdefabcdefabcd.2.page');
  });

  test('numbers that do not agree are no layout', () => {
    const right = layoutOf(1000, 13_000);
    checkLayout(right, 'manifest');
    checkLayout(layoutOf(1000, 13_000, true), 'manifest');
    expect(layoutOf(1000, 13_000, true)).toMatchObject({ pagesPerPart: 1, parts: 1000 });
    for (const wrong of [
      { pages: 2000 },
      { pages: 1_000_000 },
      { stride: right.stride + 64 },
      { stride: right.stride + 1 },
      { stride: 320 },
      { pagesPerPart: right.pagesPerPart + 1 },
      { parts: right.parts + 1 },
    ]) {
      const error = thrown(() => checkLayout({ ...right, ...wrong }, 'manifest'));
      expect(error).toBeInstanceOf(RangeError);
    }
    expect(thrown(() => layoutOf(1, 2 ** 24 + 1)).message).toMatch(/use more pages/);
  });

  test('a leaf is a file and zeros', () => {
    const leaf = new Uint8Array(128);
    leaf[48] = 10;
    leaf.fill(7, 64, 74);
    expect(fileInLeaf(leaf)).toEqual(leaf.subarray(0, 74));
    leaf[127] = 1;
    expect(thrown(() => fileInLeaf(leaf)).code).toBe('ERR_TAMIS_CORRUPT');
    leaf[127] = 0;
    leaf[48] = 65;
    expect(thrown(() => fileInLeaf(leaf)).code).toBe('ERR_TAMIS_CORRUPT');
    leaf.fill(255, 48, 56);
    expect(thrown(() => fileInLeaf(leaf)).code).toBe('ERR_TAMIS_CORRUPT');
  });
});

describe('the tree', () => {
  const contentOf = (page: number) => new TextEncoder().encode(`page ${page}`);
  const leavesOf = (pages: number) => {
    const leaves = new Uint8Array(32 * pages);
    for (let page = 0; page < pages; page++) leaves.set(sha256(contentOf(page)), 32 * page);
    return leaves;
  };

  test('of one page is its leaf, and of three has a leaf of zeros', () => {
    const [a, b, c] = [0, 1, 2].map((page) => sha256(contentOf(page))) as [
      Uint8Array,
      Uint8Array,
      Uint8Array,
    ];
    expect(new MerkleTree(leavesOf(1), sha256).root).toEqual(a);
    const right = sha256(c, new Uint8Array(32));
    expect(new MerkleTree(leavesOf(3), sha256).root).toEqual(sha256(sha256(a, b), right));
    const proof = new MerkleTree(leavesOf(3), sha256).proofOf(1);
    expect(Buffer.concat([a, right]).equals(proof)).toBe(true);
  });

  test.each([1, 2, 3, 4, 5, 7, 8, 9, 31, 33])('of %d pages proves each of them', async (pages) => {
    const tree = new MerkleTree(leavesOf(pages), sha256);
    const root = hex(tree.root);
    for (let page = 0; page < pages; page++) {
      const proof = tree.proofOf(page);
      expect(proof.length).toBe(32 * depthOf(pages));
      expect(hex(await rootOf(page, contentOf(page), proof))).toBe(root);
      expect(hex(await rootOf(page, contentOf(page + 1), proof))).not.toBe(root);
      if (pages === 1) continue;
      expect(hex(await rootOf(page ^ 1, contentOf(page), proof))).not.toBe(root);
      for (let at = 0; at < proof.length; at += 32) {
        const changed = proof.slice();
        changed[at] = (changed[at] as number) ^ 1;
        expect(hex(await rootOf(page, contentOf(page), changed))).not.toBe(root);
      }
    }
  });
});

describe('the manifest', () => {
  const fields: PagesFields = {
    name: 'list',
    seq: 3,
    created: '2026-11-22T00:00:00.000Z',
    notAfter: '2026-11-29T00:00:00.000Z',
    type: 'ribbon',
    hash: 'fast',
    seed: '18446744073709551615',
    keys: 12_000_000,
    ...layoutOf(1000, 13_000),
    root: 'ab'.repeat(32),
  };
  const keyed = { ...fields, hash: 'keyed', keyCheck: '0123456789abcdef' };
  const nowMs = Date.parse(fields.created) + 1000;

  test('is read, keyed too', () => {
    expect(pagesManifest.kind).toBe('tamis-pages-1');
    expect(readPagesFields({ ...fields, more: 1 })).toEqual(fields);
    expect(readPagesFields(keyed)).toEqual(keyed);
  });

  test.each<[string, object]>([
    ['a name that is a path', { name: 'a/b' }],
    ['a name that goes up', { name: '..' }],
    ['a name with a space', { name: 'a b' }],
    ['no name', { name: '' }],
    ['seq 0', { seq: 0 }],
    ['a time of another spelling', { created: '2026-11-22' }],
    ['an end before the start', { notAfter: '2026-11-21T00:00:00.000Z' }],
    ['a type that changes', { type: 'bloom' }],
    ['a seed of 2^64', { seed: '18446744073709551616' }],
    ['a seed with a zero in front', { seed: '01' }],
    ['a number for a seed', { seed: 1 }],
    ['a fast hash with a key id', { keyCheck: '0123456789abcdef' }],
    ['a keyed hash without one', { hash: 'keyed' }],
    ['a key id that is short', { hash: 'keyed', keyCheck: '01' }],
    ['no pages', { pages: 0 }],
    ['too many pages', { pages: 2 ** 31 + 1 }],
    ['half a page', { pages: 1.5 }],
    ['another number of parts', { parts: 2 }],
    ['a stride over a part', { stride: 2 ** 24 + 64 }],
    ['no root', { root: undefined }],
    ['a root in capitals', { root: 'AB'.repeat(32) }],
    ['a negative number of keys', { keys: -1 }],
  ])('%s is refused', async (_, change) => {
    const changed = { ...fields, ...change };
    expect(thrown(() => readPagesFields(changed)).code).toBe('ERR_TAMIS_INVALID_OPTION');
    const error = await rejection(openPagesManifest(JSON.stringify(changed), null));
    expect(error.code).toBe('ERR_TAMIS_CORRUPT');
  });

  test('without keys is what the text says, and with keys needs a signature', async () => {
    expect(await openPagesManifest(JSON.stringify(fields), null)).toEqual(fields);
    for (const text of ['', 'null', '[]', '1', '{}', '{"name":']) {
      const error = await rejection(openPagesManifest(text, null));
      expect(error.code).toBe('ERR_TAMIS_CORRUPT');
    }
    const error = await rejection(openPagesManifest(JSON.stringify(fields), []));
    expect(error.code).toBe('ERR_TAMIS_CORRUPT');
  });

  test('is believed in its time and its history', () => {
    const { name } = fields;
    expectPages(fields, name, nowMs);
    expectPages(fields, name, nowMs, fields);
    expectPages(fields, name, nowMs, { ...fields, seq: 2 });
    const refusal = (newest: PagesFields | undefined, at = nowMs, wanted = name) =>
      thrown(() => expectPages(fields, wanted, at, newest)).code;
    expect(refusal({ ...fields, seq: 4 })).toBe('ERR_TAMIS_ROLLBACK');
    expect(refusal({ ...fields, keys: 1 })).toBe('ERR_TAMIS_ROLLBACK');
    expect(refusal(fields, Number.NaN, 'other')).toBe('ERR_TAMIS_INCOMPATIBLE');
    expect(refusal(undefined, Date.parse(fields.notAfter))).toBe('ERR_TAMIS_EXPIRED');
    expect(refusal(undefined, Number.NaN)).toBe('ERR_TAMIS_EXPIRED');
  });
});
