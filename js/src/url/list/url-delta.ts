// The change from one version of a list to the next: the mirror of cpp/include/tamis/url/url_delta.hpp.

import type { Adopted, Definition } from '../../core/structures/definition.js';
import {
  additionsFigure,
  figure,
  prefixBytesFigure,
  removalsFigure,
  Structure,
  urlDeltaId,
} from '../../core/structures/structure.js';
import { url } from '../../wasm/parts/url.js';

/**
 * What makes the next version of a UrlList of an earlier one, and of that one only. It takes some 30 bits for each
 * entry that came and 20 for each that went.
 *
 * @example
 * import { UrlDelta, UrlListBuilder } from 'tamis/url';
 * const older = new UrlListBuilder().addHosts(['evil.example']).build();
 * const newer = new UrlListBuilder().addHosts(['bad.example']).build();
 * const bytes = newer.diff(older).toBytes(); // to be sent
 * older.apply(UrlDelta.fromBytes(bytes)).check('http://bad.example/'); // => 'maybe'
 */
export class UrlDelta extends Structure<'url-delta', Adopted> {
  /** @internal */
  static define(): Definition {
    return {
      type: 'url-delta',
      id: urlDeltaId,
      part: url,
      name: 'UrlDelta',
      shown: ['removals', 'additions', 'prefixBytes'],
    };
  }

  /** Entries of the older list that the newer does not have. */
  get removals(): number {
    return figure(this, removalsFigure);
  }

  /** Entries of the newer list that the older does not have. */
  get additions(): number {
    return figure(this, additionsFigure);
  }

  /** Bytes of a prefix in both lists. */
  get prefixBytes(): number {
    return figure(this, prefixBytesFigure);
  }
}
