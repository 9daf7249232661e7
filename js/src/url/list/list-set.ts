// Checks one URL against several lists. Lists with the rule 'parents' or 'labels5' share a canonical form and hashes.

import { ownedOf } from '../../core/border/lifetime.js';
import { hashesAddress, raw, readValue, writeNumbers } from '../../core/border/memory.js';
import { withKey } from '../../core/keys/keys.js';
import { urlLists } from '../../wasm/parts/url-lists.js';
import { checkUrlText } from './canonicalize.js';
import { isBuiltIn } from './expressions.js';
import { toEncodable, type UrlList } from './url-list.js';

/** The next set's id, larger than any handle: the core's cache key for hosts that are on none of the set's lists. */
let nextId = 2 ** 52;

/** Up to 32 lists, which must not be disposed of before the set. */
export class ListSet {
  readonly #lists: readonly (UrlList | undefined)[];
  /** The indices of lists that the core checks together, and of lists that are checked one by one. */
  readonly #shared: readonly number[];
  readonly #apart: readonly number[];
  readonly #handles: Float64Array;
  readonly #id = nextId++;

  /** A member may be undefined, which means that there is no list at this index. */
  constructor(lists: readonly (UrlList | undefined)[]) {
    const places = lists.flatMap((list, i) => (list === undefined ? [] : [i]));
    const shared = places.filter((i) => isBuiltIn(lists[i]?.rule));
    this.#lists = lists;
    // A single list has a faster path.
    this.#shared = shared.length > 1 ? shared : [];
    this.#apart = places.filter((i) => !this.#shared.includes(i));
    this.#handles = Float64Array.from(this.#shared, (i) => ownedOf(lists[i] as UrlList).live);
  }

  /** Returns a bit for each list whose `check` says 'maybe'; undefined if none says so, but one says 'invalid'. */
  check(url: string): number | undefined {
    const shared = this.#shared;
    if (shared.length === 0) return this.#checkEach(this.#apart, url);
    const handles = this.#handles;
    const act = (address: number, size: number) => {
      writeNumbers(hashesAddress, handles); // the core reads them there
      return raw._tamis_url_check_lists(this.#id, handles.length, address, size);
    };
    // 0: no shared list hits. 1: at least one hits. Else the core could not decide, and each list checks for itself.
    const answer = withKey(toEncodable(checkUrlText(url)), act, urlLists);
    if (answer > 1) return this.#checkEach([...shared, ...this.#apart], url);
    // Bit i is for the list with index shared[i]. The bits are read now, because other look-ups overwrite them.
    const bits = answer === 1 ? readValue() : 0;
    const apart = this.#checkEach(this.#apart, url);
    if (bits === 0) return apart;
    const mask = shared.reduce((sum, place, i) => sum | (((bits >> i) & 1) << place), apart ?? 0);
    return mask >>> 0;
  }

  /** Does what `check` does for the lists with these indices, one by one. */
  #checkEach(places: readonly number[], url: string): number | undefined {
    let mask = 0;
    let isInvalid = false;
    for (const i of places) {
      const answer = this.#lists[i]?.check(url);
      if (answer === 'maybe') mask |= 1 << i;
      else if (answer === 'invalid') isInvalid = true;
    }
    return mask === 0 && isInvalid ? undefined : mask >>> 0;
  }
}
