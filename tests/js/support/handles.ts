/**
 * Which structures are alive: what the package tells the engine's FinalizationRegistry, whose callback gives
 * back what was forgotten, and takes back when a structure is disposed of.
 */

import { BitArray } from 'tamis';

const alive = new Map<WeakKey, number>();
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
  await act();
  const left = [...alive.keys()].filter((token) => !before.has(token)).length;
  // The registry may have given old ones back, whose places come first; only then the second look says nothing.
  return left + (left === 0 && nextPlace() > place ? 1 : 0);
}
