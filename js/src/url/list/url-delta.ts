// The change from one version of a list to the next: the counterpart of cpp/include/tamis/url/url_delta.hpp.

import type { Definition, Use } from '../../core/structures/definition.js';
import {
  additionsFigure,
  figure,
  prefixBytesFigure,
  removalsFigure,
  Structure,
  type StructureClass,
  urlDeltaId,
} from '../../core/structures/structure.js';
import { url } from '../../wasm/parts/url.js';

/**
 * The change from one version of a UrlList to the next. It applies only to the version from which it was made. It takes
 * about 30 bits for each added entry and 20 bits for each removed entry.
 *
 * @example
 * import { UrlDelta, UrlListBuilder } from 'tamis/url';
 * const older = new UrlListBuilder().addHosts(['evil.example']).build();
 * const newer = new UrlListBuilder().addHosts(['bad.example']).build();
 * const bytes = newer.diff(older).toBytes(); // to be sent
 * older.apply(UrlDelta.fromBytes(bytes)).check('http://bad.example/'); // => 'maybe'
 */
export class UrlDelta extends (Structure as StructureClass<
  UrlDelta,
  'url-delta',
  Use<'UrlDelta.fromBytes(bytes)'>
>) {
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

  /** The number of entries that only the older list has. */
  get removals(): number {
    return figure(this, removalsFigure);
  }

  /** The number of entries that only the newer list has. */
  get additions(): number {
    return figure(this, additionsFigure);
  }

  /** The number of bytes of a prefix in both lists. */
  get prefixBytes(): number {
    return figure(this, prefixBytesFigure);
  }
}

/** Runs `act` with a delta, and then frees the delta's memory. */
export function withDelta<T>(delta: UrlDelta, act: (delta: UrlDelta) => T): T {
  try {
    return act(delta);
  } finally {
    delta.dispose();
  }
}
