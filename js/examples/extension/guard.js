// The lists, opened each time that the worker wakes. They are stored in IndexedDB, and open again in milliseconds.
import { UrlGuard } from 'tamis/url';
import { firstLists } from './lists.js';

/** The changes of the guard, one after the other. The result is the guard, or undefined without lists. */
let opening;
/** Functions that get the guard when it opens, has newer lists, or the user decides. Without lists: undefined. */
const listeners = [];

export async function readLists() {
  const { lists = firstLists } = await chrome.storage.local.get('lists');
  return lists;
}

const tell = (guard) => Promise.all(listeners.map((listener) => listener(guard))).catch(() => {});

async function open(lists) {
  if (Object.keys(lists).length === 0) {
    await tell(undefined);
    return undefined;
  }
  const guard = await UrlGuard.open({
    lists,
    storage: 'indexeddb',
    whenMissing: 'unknown',
    whenUnconfirmed: 'unknown',
    updateEveryMs: 0, // a timer would end with the worker: an alarm wakes it
  });
  guard.onUpdate(() => tell(guard));
  guard.overrides.onChange(() => tell(guard));
  await tell(guard);
  return guard;
}

/** The guard. Rejects if the storage or the options of the lists are wrong, and the next call tries again. */
export function openGuard() {
  if (opening === undefined) {
    const mine = readLists().then(open);
    opening = mine;
    mine.catch(() => {
      if (opening === mine) opening = undefined;
    });
  }
  return opening;
}

export const onGuardChange = (listener) => listeners.push(listener);

/** Uses these lists from now on. If their options are wrong, rejects and changes nothing. */
export async function setLists(lists) {
  const before = await openGuard().catch(() => undefined);
  const guard = await open(lists);
  await chrome.storage.local.set({ lists });
  opening = Promise.resolve(guard);
  before?.close();
}
