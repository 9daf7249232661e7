/**
 * Counts live structures by the package's calls to FinalizationRegistry. The callback of that registry frees forgotten
 * structures; the package unregisters a structure when it is disposed of.
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

/** Makes a structure, which gets the place that was freed last in the core's table. Returns it with that place. */
function probe(): { made: BitArray; place: number } {
  const made = new BitArray(1);
  const handle = [...alive.values()].at(-1) as number;
  return { made, place: handle % 2 ** 20 };
}

/** True if the core would use the place again, in any order with places that were freed since. */
function isFree(place: number): boolean {
  const probes = [];
  do probes.push(probe());
  while (probes.at(-1)?.place !== place && probes.length < 2000);
  for (const { made } of probes.reverse()) made.dispose();
  return probes[0]?.place === place;
}

/** Runs `act`. Returns how many structures it left alive, or 1 if some are alive only in the core. */
export async function leftBehind(act: () => unknown): Promise<number> {
  const { made, place } = probe();
  made.dispose();
  const before = new Set(alive.keys());
  await act();
  const left = [...alive.keys()].filter((token) => !before.has(token)).length;
  return left === 0 && !isFree(place) ? 1 : left;
}

/** Makes and disposes of `count` structures, one after another. Returns their handles and places. */
export function handlesOf(count: number): { handle: number; place: number }[] {
  return Array.from({ length: count }, () => {
    const made = new BitArray(1);
    const handle = [...alive.values()].at(-1) as number;
    made.dispose();
    return { handle, place: handle % 2 ** 20 };
  });
}
