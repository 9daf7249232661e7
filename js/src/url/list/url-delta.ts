// The change from one version of a list to the next: the mirror of cpp/include/tamis/url/url_delta.hpp.

import { type LoadOptions, load } from '../../core/loading.js';
import { Adopted, copyOf, figure, handleOf, type Loader, Structure } from '../../core/structure.js';

export const urlDeltaType: Loader<UrlDelta> = {
  type: 'url-delta',
  name: 'UrlDelta',
  adopt: (handle) => new UrlDelta(new Adopted(handle)),
};

/**
 * What makes the next version of a UrlList of an earlier one, and of that one only: some 30 bits for each
 * entry that came and 20 for each that went.
 *
 * @example
 * import { UrlDelta, UrlListBuilder } from 'tamis/url';
 * const older = new UrlListBuilder().addHosts(['evil.example']).build();
 * const newer = new UrlListBuilder().addHosts(['bad.example']).build();
 * const bytes = newer.diff(older).toBytes(); // to be sent
 * older.apply(UrlDelta.fromBytes(bytes)).check('http://bad.example/'); // => 'maybe'
 */
export class UrlDelta extends Structure {
  /** Deltas are made by `UrlList.diff` and `fromBytes`. */
  constructor(made: Adopted) {
    super(handleOf(made, 'UrlDelta'));
  }

  /** The delta in the bytes of `toBytes`; throws rather than give a wrong one. */
  static fromBytes(bytes: ArrayBuffer | Uint8Array, options?: Omit<LoadOptions, 'key'>): UrlDelta {
    return load([urlDeltaType], bytes, options);
  }

  get type(): 'url-delta' {
    return 'url-delta';
  }

  get [Symbol.toStringTag](): string {
    return 'UrlDelta';
  }

  /** Entries of the older list that the newer does not have. */
  get removals(): number {
    return figure(this, 'removals');
  }

  /** Entries of the newer list that the older does not have. */
  get additions(): number {
    return figure(this, 'additions');
  }

  /** Bytes of a prefix in both lists. */
  get prefixBytes(): number {
    return figure(this, 'prefixBytes');
  }

  clone(): UrlDelta {
    return urlDeltaType.adopt(copyOf(this));
  }

  toJSON(): Record<string, unknown> {
    return {
      type: this.type,
      removals: this.removals,
      additions: this.additions,
      prefixBytes: this.prefixBytes,
      sizeBytes: this.sizeBytes,
    };
  }
}
