// Lists of URLs that are signed and published here, and the entries of lists.
import { createHash } from 'node:crypto';
import { memoryStorage, publishList } from 'tamis/url';

export const makeKeys = () => crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']);

/** Publishes a list. Returns its storage, and the public key as clients take it. */
export async function publish(list, name, { storage = memoryStorage(), keys } = {}) {
  const pair = keys ?? (await makeKeys());
  await publishList(list, { name, storage, signingKeys: pair });
  const raw = await crypto.subtle.exportKey('raw', pair.publicKey);
  return { storage, publicKey: Buffer.from(raw).toString('hex') };
}

/** The options of a client that keeps its lists in memory, and updates them when it is told to. */
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

/** Prefixes as the bytes of a list. */
export const bytesOf = (prefixes) => Buffer.from(prefixes.join(''), 'hex');
