// One URL and several lists: one canonical form and one hashing for those of the rule labels5.

import { ownedOf } from '../../core/border/lifetime.js';
import { hashesAddress, raw, readValue, writeNumbers } from '../../core/border/memory.js';
import { withKey } from '../../core/keys/with-key.js';
import { urlLists } from '../../wasm/parts/url-lists.js';
import { checkText } from './canonicalize.js';
import { toEncodable, type UrlList } from './url-list.js';

/** Of the next set, by which the core remembers hosts that none of its lists has. No handle is as large. */
let nextNumber = 2 ** 52;

/** Up to 32 lists that stay as long as this is used. */
export class ListSet {
  readonly #lists: readonly (UrlList | undefined)[];
  /** The places of those that are asked at once, and of the others. */
  readonly #shared: readonly number[];
  readonly #apart: readonly number[];
  readonly #handles: Float64Array;
  readonly #number = nextNumber++;

  /** Undefined is a place without a list. */
  constructor(lists: readonly (UrlList | undefined)[]) {
    const places = lists.flatMap((list, i) => (list === undefined ? [] : [i]));
    const shared = places.filter((i) => lists[i]?.rule === 'labels5');
    this.#lists = lists;
    // One alone has a shorter way.
    this.#shared = shared.length > 1 ? shared : [];
    this.#apart = places.filter((i) => !this.#shared.includes(i));
    this.#handles = Float64Array.from(this.#shared, (i) => ownedOf(lists[i] as UrlList).live);
  }

  /**
   * The lists of which `check` says 'maybe', as bits: the first is bit 0. Undefined where none does, and one says
   * 'invalid'. Throws as `check`.
   */
  check(url: string): number | undefined {
    const shared = this.#shared;
    if (shared.length === 0) return this.#checkEach(this.#apart, url);
    const handles = this.#handles;
    const act = (address: number, size: number) => {
      writeNumbers(hashesAddress, handles);
      return raw._tamis_url_check_lists(this.#number, handles.length, address, size);
    };
    const answer = withKey(toEncodable(checkText(url)), act, urlLists);
    // Each list must say itself what no core can, and what is 'invalid'.
    if (answer > 1) return this.#checkEach([...shared, ...this.#apart], url);
    // Read before others are asked, who may write there.
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
      const answer = (this.#lists[i] as UrlList).check(url);
      if (answer === 'maybe') mask |= 1 << i;
      else if (answer === 'invalid') isSure = false;
    }
    return mask !== 0 || isSure ? mask >>> 0 : undefined;
  }
}
