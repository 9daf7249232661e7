// The owners of memory on the C++ side.

import type { Handle } from '../../wasm/core.js';
import { typeError } from '../errors.js';
import { errorOf, memoryUse } from '../statuses.js';
import { call } from './runtime.js';

// The registry is only a safety net: an engine need not run it, and does not see the size of wasm memory. Workers
// with a compatibility date before 2025-05-05 have none.
let registry: FinalizationRegistry<Handle> | undefined;

/** Frees a structure's memory. Never throws. */
export function destroy(handle: Handle): void {
  try {
    call((core) => core.dispose(handle));
  } catch {
    // After a trap nothing can be freed, and a finalizer has no caller to tell.
  }
}

/** Frees a structure that an owner held. */
function release(handle: Handle): void {
  memoryUse.live--;
  destroy(handle);
}

/** What an owner owns: the handle of one structure. It frees the structure if the owner is collected. */
export class Owned {
  /** The handle; 0, for which the core answers ERR_TAMIS_DISPOSED, once the structure is disposed. */
  handle: Handle;

  constructor(handle: Handle, owner: object) {
    this.handle = handle;
    const { FinalizationRegistry: Registry } = globalThis as Partial<typeof globalThis>;
    registry ??= Registry && new Registry(release);
    registry?.register(owner, handle, this);
    memoryUse.live++;
  }

  /** Throws ERR_TAMIS_DISPOSED if the structure is disposed. */
  check(): this {
    if (this.handle === 0) throw errorOf('ERR_TAMIS_DISPOSED');
    return this;
  }

  /** The handle, never 0. Throws ERR_TAMIS_DISPOSED. */
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
 * An owner: it has an Owned in a private field. It extends WeakSet only so that structuredClone and postMessage throw:
 * without that they would turn a structure into an empty object. It is a class of its own, since a static block of
 * Structure would run at import and stay in every bundle.
 */
class Slot extends WeakSet {
  readonly #owned: Owned | undefined;

  constructor(handle?: Handle) {
    super();
    this.#owned = handle === undefined ? undefined : new Owned(handle, this);
  }

  static of(object: object): Owned {
    // Not by isIn, which would cost each look-up a few nanoseconds.
    try {
      return (object as Slot).#owned as Owned;
    } catch {
      throw typeError('call it on a filter, as in filter.has(key)');
    }
  }

  static isIn(object: object): boolean {
    return #owned in object;
  }
}

/**
 * Keeps a bare Slot, and an object of each prototype, alive, and with them the shape that V8's compiled code expects.
 * Otherwise a garbage collection drops that code: in Node 20, the next 200,000 look-ups take 1.5 to 3 times as long.
 */
const shapeKeepers = /* @__PURE__ */ new WeakMap<object, object>();

/** An object of this prototype that owns the handle. It has no members of WeakSet. */
export function makeOwner(prototype: object, handle: Handle): object {
  if (!shapeKeepers.has(prototype)) {
    shapeKeepers.set(Slot, new Slot());
    shapeKeepers.set(prototype, Object.setPrototypeOf(new Slot(), prototype));
  }
  // Not by Reflect.construct, which takes ten times as long in V8 once it has made an object of a base class.
  return Object.setPrototypeOf(new Slot(handle), prototype);
}

/** What the owner of a structure owns; internal to this package. Throws TypeError for another value. */
export const ownedOf = (structure: object): Owned => Slot.of(structure);

export function isOwner(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Slot.isIn(value);
}
