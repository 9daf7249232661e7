import type { Key } from '../core/key-types.js';
import { BloomierMap, type MapLookup } from '../read/bloomier.js';
import { liveOf } from '../read/filter.js';
import { Host } from './host.js';
import { type LookUpOptions, type RemoteOptions, readRemoteOptions } from './options.js';
import { RemotePages } from './remote-pages.js';

/**
 * Looks up the values of keys in a map that is too large to download. `tamis shard --type bloomier` cuts it into pages
 * for a static host. A look-up fetches one page and verifies it.
 */
export class RemoteMap extends RemotePages {
  /**
   * Fetches and verifies the manifest. Rejects as `RemoteFilter.open` does, and with ERR_TAMIS_UNSUPPORTED if the pages
   * are not maps.
   *
   * @example
   * import { RemoteMap } from 'tamis/remote';
   * const opening = RemoteMap.open('https://lists.example/ranks/manifest.json', {
   *   name: 'ranks', // of tamis shard --name
   *   publicKeys: null, // whatever the host says is believed
   *   retries: 0,
   *   fetch: async () => new Response(null, { status: 503 }), // a host that is down
   * });
   * await opening.catch(({ code }) => code); // => 'ERR_TAMIS_UNAVAILABLE'
   */
  static async open(manifestUrl: string | URL, options: RemoteOptions): Promise<RemoteMap> {
    const config = await readRemoteOptions(manifestUrl, options, 'RemoteMap.open', [BloomierMap]);
    // `this` and not the name: bundlers rename a class that refers to itself, here to `_RemoteMap`.
    const remote = new this(new Host(config));
    await remote.update();
    return remote;
  }

  /** The key's value; `undefined` if the key is certainly not in the map. Rejects as `has` does. */
  async get(key: Key, options?: LookUpOptions): Promise<number | undefined> {
    const { values, found } = await this.getMany([key], options);
    return found[0] === 1 ? values[0] : undefined;
  }

  /**
   * Looks many keys up. If a key is probably in the map, `found` is 1 and `values` has its value; otherwise both are 0.
   * Rejects as `hasMany` does.
   */
  async getMany(
    keys: Iterable<Key>,
    options?: LookUpOptions,
  ): Promise<{ values: Uint32Array<ArrayBuffer>; found: Uint8Array<ArrayBuffer> }> {
    const values: number[] = [];
    const found: number[] = [];
    await this.visit(keys, options, (page, place) => {
      const value = (liveOf(page) as MapLookup).get(); // looks up the hash in `h`
      found[place] = Number(value !== undefined);
      values[place] = value ?? 0;
    });
    return { values: Uint32Array.from(values), found: Uint8Array.from(found) };
  }
}
