// What buildPages is given, and what it gives.

import type { Key, PackedKeys } from '../core/key-types.js';
import type { HashOptions } from '../core/keys/hashing.js';
import type { Progress } from '../core/options.js';
import type { PublicKey, SigningKeys } from '../core/signed/keys.js';
import type { PagesManifest, PageType } from './manifest.js';

/** The options of every page, each for the types that have it. */
export interface PageShape extends HashOptions {
  /** ribbon, binary-fuse: bits of a fingerprint, 1 to 32; default 8. One key in 2^bits that is not listed gets `true`. */
  readonly fingerprintBits?: number;
  /** binary-fuse: places of a key, 3 or 4; default 3. */
  readonly arity?: number;
  /** exact: the rate of false positives outside both lists. */
  readonly fpr?: number;
  /** bloomier: bits of a value, 1 to 32; needed. */
  readonly valueBits?: number;
  /** bloomier: bits that tell a key of the map from another, 0 to 32; default 8. */
  readonly checkBits?: number;
}

/** Keys that were hashed already: by `hashKeys`, with the same secret `key` where there is one. */
export interface HashedKeys {
  readonly hashes: BigUint64Array;
  /** bloomier: the value of each key. */
  readonly values?: Uint32Array | undefined;
}

/** A key, or many of them at once. For bloomier an entry, or hashes with their values. */
export type PagesItem = Key | PackedKeys | HashedKeys | readonly [key: Key, value: number];

/** Keys in any order, which may come more than once; each is read one time. */
export type PagesSource =
  | PackedKeys
  | Iterable<PagesItem>
  | AsyncIterable<PagesItem>
  | ReadableStream<PagesItem>;

/** How far `buildPages` is. */
export interface PagesProgress extends Progress {
  /**
   * What is done: first `reading`, `counting` where `pages` was not given, and `building`, of which `done` and `total` are
   * keys. Then `writing`, of which they are bytes. `waiting` is for another process, and `resuming` is a run that was killed.
   */
  readonly step: 'waiting' | 'resuming' | 'reading' | 'counting' | 'building' | 'writing';
  /** The file that is waited for, or the folder of what the killed run left. */
  readonly path?: string;
}

/** Options of `buildPages`. */
export interface BuildPagesOptions extends PageShape {
  /** The set's name, which clients give too: 1 to 64 of A-Z a-z 0-9 - _ and ., the first no dot. */
  readonly name: string;
  /** The type of each page; default `'ribbon'`. */
  readonly type?: PageType;
  /** exact: keys that are certainly absent; needed. */
  readonly exclude?: PagesSource;
  /** The number of pages, 1 to 2^31 and at most one for each key; default: about one for each 12,000 distinct keys. */
  readonly pages?: number;
  /** Memory for keys, in bytes, at least 1,000,000; default 200,000,000. The others wait on disk, 8 bytes each, or 12 of a map. */
  readonly memoryBytes?: number;
  /** About how many keys the sources have, where that is known: few keys are sooner done. The files do not depend on it. */
  readonly expectedKeys?: number;
  /** What signs the manifest, by Ed25519; without it nobody does, and clients must say so. */
  readonly sign?: SigningKeys;
  /** Other keys that may have signed the manifest in the folder, at most 16: to change keys. */
  readonly publicKeys?: readonly PublicKey[];
  /** How long clients may believe the manifest, in milliseconds; default 7 days. */
  readonly lifetimeMs?: number;
  /** What is a file: a part of many pages, up to 16 MiB, or a page, for a host that knows no ranges; default `'part'`. */
  readonly files?: 'part' | 'page';
  /**
   * Names what the sources hold, such as a version of theirs. Then a call that failed leaves what it did in the folder, 8
   * bytes a key, and so does one that was killed. The next with the same options goes on there. A source that was
   * read to its end is not read again.
   */
  readonly resume?: string;
  readonly signal?: AbortSignal;
  /** Told how far it is. */
  readonly onProgress?: (progress: PagesProgress) => void;
}

/** What `buildPages` wrote. */
export interface BuiltPages {
  /** The path of manifest.json, which `RemoteFilter.open` reads. */
  readonly manifestPath: string;
  /** What it says: `keys` (distinct ones), `pages`, `stride`, `root` and others. */
  readonly manifest: PagesManifest;
  /** The paths of the files that it names. */
  readonly parts: readonly string[];
  /** Bytes of all these files. */
  readonly bytes: number;
}
