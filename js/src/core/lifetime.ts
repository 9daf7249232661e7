// Who owns the memory on the C++ side, and until when.

import type { NativeStructure } from '../wasm/core.js';
import { TamisError } from './errors.js';
import { trapped } from './runtime.js';

// Only a safety net: an engine need not run it, and wasm memory is invisible to its heuristics.
let registry: FinalizationRegistry<NativeStructure> | undefined;

function destroy(native: NativeStructure): void {
  try {
    native.delete();
  } catch (cause) {
    trapped(cause);
  }
}

/** The owned object of one structure. */
export class Owned {
  /** For the raw exports; 0 once disposed of, which no structure has. */
  handle: number;
  #native: NativeStructure | undefined;

  constructor(native: NativeStructure, owner: object) {
    this.#native = native;
    this.handle = native.handle() >>> 0;
    registry ??= new FinalizationRegistry(destroy);
    registry.register(owner, native, this);
  }

  get isDisposed(): boolean {
    return this.#native === undefined;
  }

  /** Throws DISPOSED. */
  check(): void {
    if (this.isDisposed) throw new TamisError('ERR_TAMIS_DISPOSED');
  }

  /** Throws DISPOSED. */
  get native(): NativeStructure {
    this.check();
    return this.#native as NativeStructure;
  }

  dispose(): void {
    if (this.#native === undefined) return;
    registry?.unregister(this);
    const native = this.#native;
    this.#native = undefined;
    this.handle = 0;
    destroy(native);
  }
}
