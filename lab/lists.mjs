// Signs and publishes URL lists in memory, and makes the entries of lists.
import { createHash } from 'node:crypto';
import { memoryStorage, publishList } from 'tamis/url';

export const makeKeys = () => crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']);

/** Publishes a list. Returns its storage, and the public key in the form that clients need. */
export async function publish(list, name, { storage = memoryStorage(), keys } = {}) {
  const pair = keys ?? (await makeKeys());
  await publishList(list, { name, storage, signingKeys: pair });
  const raw = await crypto.subtle.exportKey('raw', pair.publicKey);
  return { storage, publicKey: Buffer.from(raw).toString('hex') };
}

/** Options for a client that keeps its lists in memory, and updates them only on request. */
export const inMemory = {
  storage: 'memory',
  whenMissing: 'throw',
  whenUnconfirmed: 'throw',
  updateEveryMs: 0,
};

export const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** The sorted prefixes of hosts, in hexadecimal. */
export const prefixesOf = (hosts, prefixBytes = 4) =>
  [...new Set(hosts.map((host) => sha256(`${host}/`).slice(0, 2 * prefixBytes)))].sort();

/** Converts prefixes to the bytes of a list. */
export const bytesOf = (prefixes) => Buffer.from(prefixes.join(''), 'hex');
