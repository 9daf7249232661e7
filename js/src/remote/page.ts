// One page in the memory of the readers' wasm.

import { Owned } from '../core/border/lifetime.js';
import { allocate, own, raw, release, statusAddress, write } from '../core/border/memory.js';
import { call, coreWith } from '../core/border/runtime.js';
import { withSipKey } from '../core/keys/hashing.js';
import type { Handle } from '../wasm/core.js';
import type { Part } from '../wasm/part.js';
import { withBytes } from './key-bytes.js';

/** What decodes pages of one type: its number in the wire format, and its part of the wasm. */
export type PageDecoder = readonly [id: number, part: Part];

/** The memory of a page; look-ups throw DISPOSED when it was given back. */
export class Page {
  readonly #owned: Owned;

  /** Of the bytes of a whole tamis file, all of which wasm checks. Throws as `fromBytes` of a class. */
  constructor(file: Uint8Array, [id, part]: PageDecoder, sipKey: Uint8Array | undefined) {
    const { length } = file;
    coreWith(part);
    const address = allocate(length);
    try {
      write(address, length, file);
      const decode = (key: number) =>
        call((core) => core.decode(id, address, length, key, length, 0, statusAddress), part);
      this.#owned = new Owned(own(withSipKey(sipKey, decode)), this);
    } finally {
      release(address);
    }
  }

  get handle(): Handle {
    return this.#owned.live;
  }

  /** 1 (probably present) or 0 (certainly absent). */
  has(key: Uint8Array): number {
    const { handle } = this;
    return withBytes(key, (address, size) => raw._tamis_has(handle, address, size));
  }

  dispose(): void {
    this.#owned.dispose();
  }
}
