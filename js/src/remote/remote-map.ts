// A map of any size on a static host.

import { raw, readValue } from '../core/border/memory.js';
import type { Key } from '../core/keys/key-types.js';
import { bloomierId } from '../wasm/figures.js';
import { bloomier } from '../wasm/readers/bloomier.js';
import { withBytes } from './key-bytes.js';
import type { LookUpOptions, RemoteOptions } from './options.js';
import type { Decoders } from './page-source.js';
import { openSource, RemotePages } from './remote-pages.js';

const decoders: Decoders = { bloomier: () => [bloomierId, bloomier] };

/** Outside the class: one that names itself is bundled under another name, `_RemoteMap`. */
const itself = () => RemoteMap;

/**
 * Looks the values of keys up in a map that is too large to download. `tamis shard --type bloomier` cut it into pages,
 * which lie on a static host. A look-up fetches one page and verifies it.
 *
 * @example
 * import { RemoteMap } from 'tamis/remote';
 * const opening = RemoteMap.open('https://lists.example/ranks/manifest.json', {
 *   publicKeys: null, // whatever the host says is believed
 *   retries: 0,
 *   fetch: async () => new Response(null, { status: 503 }), // a host that is down
 * });
 * await opening.catch(({ code }) => code); // => 'ERR_TAMIS_UNAVAILABLE'
 */
export class RemoteMap extends RemotePages {
  /** As RemoteFilter.open; WRONG_TYPE where the pages are no maps. */
  static async open(manifest: string | URL, options: RemoteOptions): Promise<RemoteMap> {
    return new (itself())(await openSource(manifest, options, 'RemoteMap.open', decoders));
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
    await this.visit(keys, options, ({ handle }, key, place) => {
      const get = (address: number, size: number) => raw._tamis_get(handle, address, size);
      found[place] = withBytes(key, get);
      values[place] = found[place] === 1 ? readValue() : 0;
    });
    return { values: Uint32Array.from(values), found: Uint8Array.from(found) };
  }
}
