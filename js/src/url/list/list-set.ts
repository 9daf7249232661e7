// Checks one URL against several lists. Lists of the rule labels5 share one canonical form and one hashing.

import { ownedOf } from '../../core/border/lifetime.js';
import { hashesAddress, raw, readValue, writeNumbers } from '../../core/border/memory.js';
import { withKey } from '../../core/keys/keys.js';
import { urlLists } from '../../wasm/parts/url-lists.js';
import { checkUrlText } from './canonicalize.js';
import { toEncodable, type UrlList } from './url-list.js';

/**
 * The number of the next set. Under it the core caches hosts that are on none of its lists. It is larger than any
 * handle.
 */
let nextNumber = 2 ** 52;

/** Up to 32 lists. They must live as long as the set. */
export class ListSet {
  readonly #lists: readonly (UrlList | undefined)[];
  /** The places of lists that are checked together, and of the others. */
  readonly #shared: readonly number[];
  readonly #apart: readonly number[];
  readonly #handles: Float64Array;
  readonly #number = nextNumber++;

  /** An undefined member is a place without a list. */
  constructor(lists: readonly (UrlList | undefined)[]) {
    const places = lists.flatMap((list, i) => (list === undefined ? [] : [i]));
    const shared = places.filter((i) => lists[i]?.rule === 'labels5');
    this.#lists = lists;
    // A single list has a faster path.
    this.#shared = shared.length > 1 ? shared : [];
    this.#apart = places.filter((i) => !this.#shared.includes(i));
    this.#handles = Float64Array.from(this.#shared, (i) => ownedOf(lists[i] as UrlList).live);
  }

  /**
   * The lists for which `check` says 'maybe', as bits from bit 0. Undefined if there is none, and one says 'invalid'.
   * Throws as `check` does.
   */
  check(url: string): number | undefined {
    const shared = this.#shared;
    if (shared.length === 0) return this.#checkEach(this.#apart, url);
    const handles = this.#handles;
    const act = (address: number, size: number) => {
      writeNumbers(hashesAddress, handles);
      return raw._tamis_url_check_lists(this.#number, handles.length, address, size);
    };
    const answer = withKey(toEncodable(checkUrlText(url)), act, urlLists);
    // The core could not decide: each list checks for itself.
    if (answer > 1) return this.#checkEach([...shared, ...this.#apart], url);
    // Read now, because other look-ups overwrite it.
    const bits = answer && readValue();
    const apart = this.#checkEach(this.#apart, url);
    if (bits === 0) return apart;
    const mask = shared.reduce((sum, place, i) => sum | (((bits >>> i) & 1) << place), apart ?? 0);
    return mask >>> 0;
  }

  #checkEach(places: readonly number[], url: string): number | undefined {
    let mask = 0;
    let isSure = true;
    for (const i of places) {
      const answer = this.#lists[i]?.check(url);
      if (answer === 'maybe') mask |= 1 << i;
      else if (answer === 'invalid') isSure = false;
    }
    return mask !== 0 || isSure ? mask >>> 0 : undefined;
  }
}
