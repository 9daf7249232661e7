// The options of lists.

import { mustBe } from '../../core/errors.js';
import { pin, tagOf } from '../../core/key-types.js';
import type { Reader } from '../../core/options.js';
import type { LoadOptions, StreamLoadOptions } from '../../core/structures/loading.js';
import type { HostRule } from './expressions.js';

interface RuleOption {
  /** The rule that the list was built by, if it is not 'labels5'. Its name must be the list's. */
  readonly rule?: HostRule;
}

/** Options of `UrlList.fromBytes`. */
export interface ListLoadOptions extends Omit<LoadOptions, 'key' | 'schemes'>, RuleOption {}

/** Options of `UrlList.fromStream`. */
export interface ListStreamOptions extends Omit<StreamLoadOptions, 'key' | 'schemes'>, RuleOption {}

/** Options of `UrlList.fromPrefixes`. */
export interface PrefixOptions {
  /** The bytes of a prefix. */
  readonly prefixBytes: 4 | 8 | 16 | 32;
  /** The rule that the expressions were made by; default 'labels5'. */
  readonly rule?: HostRule;
}

/** The changes of `UrlList.update`. */
export interface PrefixChanges {
  /** Indices of the removed entries, in increasing order. */
  readonly removals?: Uint32Array;
  /** The added prefixes, concatenated, in increasing order. */
  readonly additions?: Uint8Array;
  /** The SHA-256 that the next list must have, 32 bytes. */
  readonly sha256?: Uint8Array;
}

const arrayReader =
  <A extends Uint8Array | Uint32Array>(type: string): Reader<A> =>
  (value, name) => {
    if (tagOf(value) === type) return pin(value as A, name);
    throw mustBe(`a ${type}`, name, value);
  };

export const prefixesReader = /* @__PURE__ */ arrayReader<Uint8Array>('Uint8Array');
export const indicesReader = /* @__PURE__ */ arrayReader<Uint32Array>('Uint32Array');
