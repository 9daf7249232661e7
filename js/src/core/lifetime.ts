// Who owns the memory on the C++ side, and until when.

import type { Handle } from '../wasm/core.js';
import { TamisError } from './errors.js';
import { call } from './runtime.js';

// Only a safety net: an engine need not run it, and wasm memory is invisible to its heuristics. Workers
// have none before the compatibility date 2025-05-05.
let registry: FinalizationRegistry<Handle> | undefined;

function destroy(handle: Handle): void {
  try {
    call((core) => core.dispose(handle));
  } catch {
    // After a trap nothing can be given back, and a finalizer has nobody to tell.
  }
}

/** The owned object of one structure. */
export class Owned {
  /** 0 once disposed of, which no structure has. */
  handle: Handle;

  constructor(handle: Handle, owner: object) {
    this.handle = handle;
    const { FinalizationRegistry: Registry } = globalThis as Partial<typeof globalThis>;
    registry ??= Registry && new Registry(destroy);
    registry?.register(owner, handle, this);
  }

  get isDisposed(): boolean {
    return this.handle === 0;
  }

  /** Throws DISPOSED. */
  check(): void {
    if (this.isDisposed) throw new TamisError('ERR_TAMIS_DISPOSED');
  }

  /** The handle of a structure that must be there. Throws DISPOSED. */
  get live(): Handle {
    this.check();
    return this.handle;
  }

  dispose(): void {
    if (this.isDisposed) return;
    registry?.unregister(this);
    const { handle } = this;
    this.handle = 0;
    destroy(handle);
  }
}
