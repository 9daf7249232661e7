import type { Key, PackedKeys } from '../core/key-types.js';
import type { HashOptions } from '../core/keys/hashing.js';
import type { Progress } from '../core/options.js';
import type { PublicKey, SigningKeys } from '../core/signed/keys.js';
import type { PagesManifest, PageType } from './manifest.js';

/** The options of the pages. Each comment begins with the types that have the option. */
export interface PageShape extends HashOptions {
  /** ribbon, binary-fuse: the bits of a fingerprint, 1 to 32; default 8. One in 2^bits absent keys gets `true`. */
  readonly fingerprintBits?: number;
  /** binary-fuse: the number of places that a look-up reads, 3 or 4; default 3. */
  readonly arity?: number;
  /** exact: the false-positive rate for keys that are in neither list. */
  readonly fpr?: number;
  /** bloomier: the bits of a value, 1 to 32; required. */
  readonly valueBits?: number;
  /** bloomier: the bits that detect an absent key, 0 to 32; default 8. */
  readonly checkBits?: number;
}

/** Keys as the hashes that `hashKeys` returns, with the same `secret` if there is one. */
export interface HashedKeys {
  readonly hashes: BigUint64Array;
  /** bloomier: the value of each key. */
  readonly values?: Uint32Array | undefined;
}

/** A key, or a batch of keys. For bloomier: an entry, or hashes with their values. */
export type PagesItem = Key | PackedKeys | HashedKeys | readonly [key: Key, value: number];

/** Keys in any order, which may repeat. The source is read once. */
export type PagesSource =
  | PackedKeys
  | Iterable<PagesItem>
  | AsyncIterable<PagesItem>
  | ReadableStream<PagesItem>;

/** The progress of `buildPages`. */
export interface PagesProgress extends Progress {
  /**
   * The current step. `reading`, `counting` (only without `pages`) and `building` count keys in `done` and `total`;
   * `writing` counts bytes. `waiting` waits for another process, and `resuming` continues a killed run.
   */
  readonly step: 'waiting' | 'resuming' | 'reading' | 'counting' | 'building' | 'writing';
  /** The lock file for `waiting`, or the folder of the killed run for `resuming`. */
  readonly path?: string;
}

/** The options of `buildPages`. */
export interface BuildPagesOptions extends PageShape {
  /** The set's name, which clients pass too: 1 to 64 of A-Z a-z 0-9 - _ and dots, but no dot at the start. */
  readonly name: string;
  /** The type of each page; default `'ribbon'`. */
  readonly type?: PageType;
  /** exact: the keys that must be certainly absent; required. */
  readonly exclude?: PagesSource;
  /** The number of pages, 1 to 2^31, and at most one per key; default: about one per 12,000 distinct keys. */
  readonly pages?: number;
  /** The memory for keys in bytes, 1,000,000 or more; default 200,000,000. On disk a key takes 8 bytes, 12 in a map. */
  readonly memoryBytes?: number;
  /** The approximate number of keys, if known. It makes builds of few keys faster, and does not change the files. */
  readonly expectedKeys?: number;
  /** The Ed25519 keys that sign the manifest. Without them it is unsigned, and clients must accept that explicitly. */
  readonly signingKeys?: SigningKeys;
  /** At most 16 more public keys that are accepted on the manifest in the folder, for a change of signing keys. */
  readonly publicKeys?: readonly PublicKey[];
  /** The lifetime of the manifest in milliseconds; default 7 days. */
  readonly lifetimeMs?: number;
  /** `'part'`, the default: up to 16 MiB of pages in a file. `'page'`: one page, for hosts without range requests. */
  readonly files?: 'part' | 'page';
  /**
   * A name for the content of the sources, such as a version. With it, a call that failed or was killed leaves its work
   * in the folder, 8 bytes per key. The next call with the same options continues, and does not read a source again
   * that was read to its end.
   */
  readonly resume?: string;
  readonly signal?: AbortSignal;
  /** Called with the progress. */
  readonly onProgress?: (progress: PagesProgress) => void;
}

/** The result of `buildPages`. */
export interface BuiltPages {
  /** The path of manifest.json, which `RemoteFilter.open` reads. */
  readonly manifestPath: string;
  /** The manifest's content: `keys` (distinct), `pages`, `stride`, `root` and others. */
  readonly manifest: PagesManifest;
  /** The paths of all page files. */
  readonly parts: readonly string[];
  /** The size of these files in bytes. */
  readonly bytes: number;
}
