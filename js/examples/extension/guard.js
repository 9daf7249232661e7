// The lists, opened once in each waking of the worker. They are in IndexedDB, where they are open again in milliseconds.
import { UrlGuard } from 'tamis/url';
import { firstLists } from './lists.js';

/** What changes the guard, one after the other: the guard, or undefined while there are no lists. */
let opening;
/** Called when the guard is opened, has newer lists, or the user says something else; without one where there are no lists. */
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
    onMissing: 'unknown',
    onConfirmError: 'unknown',
    updateEveryMs: 0, // a timer would end with the worker: an alarm wakes it
  });
  guard.onUpdate(() => tell(guard));
  guard.overrides.onChange(() => tell(guard));
  await tell(guard);
  return guard;
}

/** Rejects where the storage or the lists' options are wrong; the next call tries again. */
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

/** Takes these lists from now on. Rejects, and changes nothing, where their options are wrong. */
export async function setLists(lists) {
  const before = await openGuard().catch(() => undefined);
  const guard = await open(lists);
  await chrome.storage.local.set({ lists });
  opening = Promise.resolve(guard);
  before?.close();
}
