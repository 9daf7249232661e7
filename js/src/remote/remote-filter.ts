import { RibbonFilter } from '../read/ribbon.js';
import { Host } from './host.js';
import { type RemoteOptions, readRemoteOptions } from './options.js';
import { RemotePages } from './remote-pages.js';

/**
 * Looks keys up in a filter that is too large to download. `tamis shard` cuts it into pages for a static host. A
 * look-up fetches one page, of about 13.6 kB, and verifies it. The host sees only which page that is; about 12,000
 * listed keys share a page.
 */
export class RemoteFilter extends RemotePages {
  /**
   * Fetches and verifies the manifest. Rejects with ERR_TAMIS_UNAVAILABLE if the host or the storage fails, and with
   * ERR_TAMIS_INCOMPATIBLE if the set has another name. Rejects with ERR_TAMIS_CORRUPT, ERR_TAMIS_TOO_LARGE,
   * ERR_TAMIS_BAD_SIGNATURE, ERR_TAMIS_ROLLBACK or ERR_TAMIS_EXPIRED if the manifest cannot be trusted. Rejects with
   * ERR_TAMIS_KEY_REQUIRED, ERR_TAMIS_WRONG_KEY or ERR_TAMIS_UNSUPPORTED if the options do not fit the pages. Wrong
   * options reject with TypeError or RangeError.
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
  static async open(manifestUrl: string | URL, options: RemoteOptions): Promise<RemoteFilter> {
    const config = await readRemoteOptions(manifestUrl, options, 'RemoteFilter.open', [
      RibbonFilter,
    ]);
    // `this` and not the name: bundlers rename a class that refers to itself, here to `_RemoteFilter`.
    const remote = new this(new Host(config));
    await remote.update();
    return remote;
  }
}
