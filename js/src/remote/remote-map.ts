// A map of any size on a static host.

import type { Key } from '../core/key-types.js';
import { BloomierMap, type MapLookup } from '../read/bloomier.js';
import type { LookUpOptions, RemoteOptions } from './options.js';
import { openSource, RemotePages } from './remote-pages.js';

/** Outside the class: one that names itself is bundled under another name, `_RemoteMap`. */
const itself = () => RemoteMap;

/**
 * Looks the values of keys up in a map that is too large to download. `tamis shard --type bloomier` cut it into pages,
 * which lie on a static host. A look-up fetches one page and verifies it.
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
export class RemoteMap extends RemotePages {
  /** As RemoteFilter.open; UNSUPPORTED where the pages are no maps. */
  static async open(manifest: string | URL, options: RemoteOptions): Promise<RemoteMap> {
    return new (itself())(await openSource(manifest, options, 'RemoteMap.open', [BloomierMap]));
  }

  /** The key's value; `undefined` where the key is certainly not in the map. Rejects as `has`. */
  async get(key: Key, options?: LookUpOptions): Promise<number | undefined> {
    const { values, found } = await this.getMany([key], options);
    return found[0] === 1 ? values[0] : undefined;
  }

  /** 1 in `found`, and the value, for each key that is probably there; else 0 in both. Rejects as `hasMany`. */
  async getMany(
    keys: Iterable<Key>,
    options?: LookUpOptions,
  ): Promise<{ values: Uint32Array<ArrayBuffer>; found: Uint8Array<ArrayBuffer> }> {
    const values: number[] = [];
    const found: number[] = [];
    await this.visit(keys, options, (page, place) => {
      const value = (page.live as MapLookup).get();
      found[place] = Number(value !== undefined);
      values[place] = value ?? 0;
    });
    return { values: Uint32Array.from(values), found: Uint8Array.from(found) };
  }
}
