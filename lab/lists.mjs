// Lists of URLs that are signed and published here.
import { memoryStorage, publishList } from 'tamis/url';

export const makeKeys = () => crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']);

/** Publishes a list. Returns its storage, and the public key as clients take it. */
export async function publish(list, name, { storage = memoryStorage(), keys } = {}) {
  const pair = keys ?? (await makeKeys());
  await publishList(list, { name, storage, keys: pair });
  const raw = await crypto.subtle.exportKey('raw', pair.publicKey);
  return { storage, publicKey: Buffer.from(raw).toString('hex') };
}

/** The options of a client that keeps its lists in memory, and updates them when it is told to. */
export const inMemory = {
  storage: 'memory',
  onMissing: 'throw',
  onConfirmError: 'throw',
  updateEveryMs: 0,
};
