/**
 * Which structures are alive: what the package tells the engine's FinalizationRegistry, whose callback gives
 * back what was forgotten, and takes back when a structure is disposed of.
 */

import { BitArray } from 'tamis';

const alive = new Map<WeakKey, number>();

// The package makes its registry with the first structure, which is after this.
let collected = 0;
const Original = FinalizationRegistry;
globalThis.FinalizationRegistry = class<T> extends Original<T> {
  constructor(cleanup: (held: T) => void) {
    super((held) => {
      collected++;
      cleanup(held);
    });
  }
};

const { register, unregister } = FinalizationRegistry.prototype;
FinalizationRegistry.prototype.register = function (owner, handle, token) {
  if (typeof handle === 'number' && token !== undefined) alive.set(token, handle);
  return register.call(this, owner, handle, token);
};
FinalizationRegistry.prototype.unregister = function (token) {
  alive.delete(token);
  return unregister.call(this, token);
};

/** Which place of the core's table a structure would take now: it gives the last one back first. */
function nextPlace(): number {
  const before = new Set(alive.keys());
  const probe = new BitArray(1);
  const [token] = [...alive.keys()].filter((key) => !before.has(key));
  const handle = alive.get(token as WeakKey) as number;
  probe.dispose();
  return handle % 2 ** 20;
}

/** Runs `act`; how many structures it made and left alive, on this side of the border and on the other. */
export async function leftBehind(act: () => unknown): Promise<number> {
  const before = new Set(alive.keys());
  const place = nextPlace();
  const collectedBefore = collected;
  await act();
  const left = [...alive.keys()].filter((token) => !before.has(token)).length;
  if (left > 0) return left;
  // What the collector gave back meanwhile lies on top of the free places, and hides the one from before.
  return collected === collectedBefore && nextPlace() !== place ? 1 : 0;
}
