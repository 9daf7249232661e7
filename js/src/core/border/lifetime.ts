/// <reference lib="esnext.disposable" preserve="true" />
// Who owns the memory on the C++ side, and until when.

import type { Handle } from '../../wasm/core.js';
import { errorOf } from '../statuses.js';
import { call } from './runtime.js';

// Only a safety net: an engine need not run it, and wasm memory is invisible to its heuristics. Workers
// have none before the compatibility date 2025-05-05.
let registry: FinalizationRegistry<Handle> | undefined;

/** Gives the memory back. Never throws. */
export function destroy(handle: Handle): void {
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

  /** Of a structure that must be there. Throws DISPOSED. */
  check(): this {
    if (this.handle === 0) throw errorOf('ERR_TAMIS_DISPOSED');
    return this;
  }

  /** Its handle. Throws DISPOSED. */
  get live(): Handle {
    return this.check().handle;
  }

  dispose(): void {
    const { handle } = this;
    if (handle === 0) return;
    registry?.unregister(this);
    this.handle = 0;
    destroy(handle);
  }
}

/**
 * Keeps what is owned where nobody else can read it. A WeakSet for its inner slot alone: structuredClone and
 * postMessage refuse what has one. Without it they would make an empty object of a structure. A class of its own,
 * since a static block of Structure runs at import and stays in every bundle.
 */
class Slot extends WeakSet {
  readonly #owned: Owned | undefined;

  constructor(handle?: Handle) {
    super();
    this.#owned = handle === undefined ? undefined : new Owned(handle, this);
  }

  static of(object: object): Owned {
    return (object as Slot).#owned as Owned;
  }

  static isIn(object: object): boolean {
    return #owned in object;
  }
}

/**
 * A bare Slot, and an object of each prototype, kept. V8 forgets a shape that no object has, the shapes that are
 * reached from it, and the code that it made for them.
 */
const kept = /* @__PURE__ */ new WeakMap<object, object>();

/** An object of this prototype that owns the handle; the members of a WeakSet it has not. */
export function makeOwner(prototype: object, handle: Handle): object {
  if (!kept.has(prototype)) {
    kept.set(Slot, new Slot());
    kept.set(prototype, Object.setPrototypeOf(new Slot(), prototype));
  }
  // Not by Reflect.construct, which takes V8 ten times as long where a base class made an object before.
  return Object.setPrototypeOf(new Slot(handle), prototype);
}

/** The handle of a structure, for this package alone. */
export const ownedOf = (structure: object): Owned => Slot.of(structure);

export function isOwner(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Slot.isIn(value);
}
