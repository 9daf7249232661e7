/**
 * Counts of live structures, by the package's calls to the engine's FinalizationRegistry. Its callback frees forgotten
 * structures. The package unregisters a structure when it is disposed of.
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

/** Makes a structure. Returns it with its place in the core's table, which is the place that was freed last. */
function probe(): { made: BitArray; place: number } {
  const made = new BitArray(1);
  const handle = [...alive.values()].at(-1) as number;
  return { made, place: handle % 2 ** 20 };
}

/** Tests if the core would assign the place again, before or after the places that were freed since. */
function isFree(place: number): boolean {
  const probes = [];
  do probes.push(probe());
  while (probes.at(-1)?.place !== place && probes.length < 2000);
  for (const { made } of probes.reverse()) made.dispose();
  return probes[0]?.place === place;
}

/** Runs `act`. Returns the number of structures that it left alive; 1 if only the core's side has some left. */
export async function leftBehind(act: () => unknown): Promise<number> {
  const { made, place } = probe();
  made.dispose();
  const before = new Set(alive.keys());
  await act();
  const left = [...alive.keys()].filter((token) => !before.has(token)).length;
  return left === 0 && !isFree(place) ? 1 : left;
}

/** The handles of `count` structures that are made and disposed of one after another, and their places. */
export function handlesOf(count: number): { handle: number; place: number }[] {
  return Array.from({ length: count }, () => {
    const made = new BitArray(1);
    const handle = [...alive.values()].at(-1) as number;
    made.dispose();
    return { handle, place: handle % 2 ** 20 };
  });
}
