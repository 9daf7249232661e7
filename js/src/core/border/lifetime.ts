// The JavaScript objects that own memory on the C++ side.

import type { Handle } from '../../wasm/core.js';
import { typeError } from '../errors.js';
import { errorOf, memoryUse } from '../statuses.js';
import { call } from './runtime.js';

// The registry is only a safety net: an engine need not run it, and does not see the size of wasm memory. Cloudflare
// Workers with a compatibility date before 2025-05-05 have none.
let registry: FinalizationRegistry<Handle> | undefined;

/** Frees a structure's memory. Never throws. */
export function destroy(handle: Handle): void {
  try {
    call((core) => core.dispose(handle));
  } catch {
    // After a trap nothing can be freed, and no caller of a finalizer could handle an error.
  }
}

/** Frees the structure of an owner, which then no longer counts as live. */
function release(handle: Handle): void {
  memoryUse.live--;
  destroy(handle);
}

/** The handle of one structure, kept by an owner object. The structure is freed if the owner is collected. */
export class Owned {
  /** The handle, or 0 once the structure is disposed of. The core answers ERR_TAMIS_DISPOSED for 0. */
  handle: Handle;

  constructor(handle: Handle, owner: object) {
    this.handle = handle;
    const { FinalizationRegistry: Registry } = globalThis as Partial<typeof globalThis>;
    registry ??= Registry && new Registry(release);
    registry?.register(owner, handle, this);
    memoryUse.live++;
  }

  /** Throws ERR_TAMIS_DISPOSED if the structure is disposed of. */
  check(): this {
    if (this.handle === 0) throw errorOf('ERR_TAMIS_DISPOSED');
    return this;
  }

  /** The handle, which is never 0. Throws ERR_TAMIS_DISPOSED. */
  get live(): Handle {
    return this.check().handle;
  }

  dispose(): void {
    const { handle } = this;
    if (handle === 0) return;
    registry?.unregister(this);
    this.handle = 0;
    release(handle);
  }
}

/**
 * An owner object, with an Owned in a private field. It extends WeakSet only so that structuredClone and postMessage
 * throw; otherwise they would turn a structure into an empty object. Structure itself has no such field, because the
 * static block for it would run at import and stay in every bundle.
 */
class Slot extends WeakSet {
  readonly #owned: Owned | undefined;

  constructor(handle?: Handle) {
    super();
    this.#owned = handle === undefined ? undefined : new Owned(handle, this);
  }

  static of(object: object): Owned {
    // Calling isIn first would cost each look-up a few nanoseconds.
    try {
      return (object as Slot).#owned as Owned;
    } catch {
      throw typeError('call methods on a filter, as in filter.has(key)');
    }
  }

  static isIn(object: object): boolean {
    return #owned in object;
  }
}

/**
 * Keeps a bare Slot and one object of each prototype alive, because V8's compiled code expects their shape. Otherwise a
 * garbage collection drops that code: in Node 20, the next 200,000 look-ups take 1.5 to 3 times as long.
 */
const shapeKeepers = /* @__PURE__ */ new WeakMap<object, object>();

/** Makes an object with this prototype that owns the handle. The object lacks the members of WeakSet. */
export function makeOwner(prototype: object, handle: Handle): object {
  if (!shapeKeepers.has(prototype)) {
    shapeKeepers.set(Slot, new Slot());
    shapeKeepers.set(prototype, Object.setPrototypeOf(new Slot(), prototype));
  }
  // Reflect.construct is not used: in V8 it takes ten times as long once it has made an object of a base class.
  return Object.setPrototypeOf(new Slot(handle), prototype);
}

/** Returns the Owned of a structure; internal to this package. Throws TypeError for any other value. */
export const ownedOf = (structure: object): Owned => Slot.of(structure);

export function isOwner(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Slot.isIn(value);
}
