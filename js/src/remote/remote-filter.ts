// A filter of any size on a static host.

import { RibbonFilter } from '../read/ribbon.js';
import type { RemoteOptions } from './options.js';
import { openSource, RemotePages } from './remote-pages.js';

/** Outside the class: one that names itself is bundled under another name, `_RemoteFilter`. */
const itself = () => RemoteFilter;

/**
 * Looks keys up in a filter that is too large to download: `tamis shard` cut it into pages, which lie on a static
 * host. A look-up fetches one page, of about 13.6 kB, and verifies it. The host sees which page that is, and about
 * 12,000 listed keys share it.
 *
 * @example
 * import { RemoteFilter } from 'tamis/remote';
 * const opening = RemoteFilter.open('https://lists.example/seen/manifest.json', {
 *   name: 'seen', // of tamis shard --name
 *   publicKeys: ['d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a'],
 *   retries: 0,
 *   fetch: async () => new Response(null, { status: 503 }), // a host that is down
 * });
 * await opening.catch(({ code }) => code); // => 'ERR_TAMIS_UNAVAILABLE'
 */
export class RemoteFilter extends RemotePages {
  /**
   * Fetches and verifies the manifest. Rejects with UNAVAILABLE (the host's manifest, or the storage), CORRUPT,
   * TOO_LARGE, BAD_SIGNATURE, ROLLBACK, EXPIRED, INCOMPATIBLE (a set of another name), KEY_REQUIRED, WRONG_KEY and
   * UNSUPPORTED. Rejects with TypeError and RangeError for options that are wrong.
   */
  static async open(manifest: string | URL, options: RemoteOptions): Promise<RemoteFilter> {
    return new (itself())(await openSource(manifest, options, 'RemoteFilter.open', [RibbonFilter]));
  }
}
