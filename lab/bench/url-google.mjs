// The time that SafeBrowsing takes for lists that come whole, beside that of the functions that it uses.

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import protobuf from 'protobufjs';
import { root } from '../../js/scripts/run.mjs';
import { startClock, summary } from './measure.mjs';

const RUNS = 12;
const proto = join(root, 'lab/peers/programs/safe_browsing.proto');
const additionsOf = { 4: 'additionsFourBytes', 32: 'additionsThirtyTwoBytes' };

/** Sorted prefixes of the hosts, one after the other. */
function prefixesOf(hosts, width) {
  const hashes = hosts.map((host) => createHash('sha256').update(`${host}/`).digest('hex'));
  const prefixes = new Set(hashes.map((hash) => hash.slice(0, 2 * width)));
  return Buffer.from([...prefixes].sort().join(''), 'hex');
}

/** The message of Rice-coded prefixes. */
function messageOf({ firstValue, parameter, entriesCount, data }) {
  const rest = { riceParameter: parameter, entriesCount, encodedData: data };
  const view = new DataView(firstValue.buffer, firstValue.byteOffset);
  if (firstValue.length === 4) return { firstValue: view.getUint32(0), ...rest };
  const parts = ['First', 'Second', 'Third', 'Fourth'].map((name, i) => [
    `firstValue${name}Part`,
    protobuf.util.Long.fromString(String(view.getBigUint64(8 * i)), true),
  ]);
  return { ...Object.fromEntries(parts), ...rest };
}

/**
 * Milliseconds to take four lists of these hosts, three of prefixes and one of whole hashes. Three ways: `riceDecode`
 * alone, then `UrlList.fromPrefixes` after it, then a client. The client also proves checksums and stores the lists.
 */
export async function timeHashLists(hosts) {
  const { riceDecode, riceEncode, UrlList } = await import('tamis/url');
  const { SafeBrowsing } = await import('tamis/safe-browsing');
  const third = Math.floor(hosts.length / 3);
  const lists = [
    { name: 'se-4b', some: hosts, prefixBytes: 4 },
    { name: 'mw-4b', some: hosts.slice(0, third), prefixBytes: 4 },
    { name: 'uws-4b', some: hosts.slice(third, 2 * third), prefixBytes: 4 },
    { name: 'gc-32b', some: hosts.slice(0, 20_000), prefixBytes: 32 },
  ].map(({ name, some, prefixBytes }) => {
    const prefixes = prefixesOf(some, prefixBytes);
    return { name, prefixBytes, prefixes, deltas: riceEncode(prefixes, 8 * prefixBytes) };
  });
  const { root: types } = await protobuf.load(proto);
  const Answer = types.lookupType('google.security.safebrowsing.v5.BatchGetHashListsResponse');
  const answer = Answer.fromObject({
    hashLists: lists.map(({ name, prefixBytes, prefixes, deltas }) => ({
      name,
      version: Buffer.from(name),
      [additionsOf[prefixBytes]]: messageOf(deltas),
      minimumWaitDuration: { seconds: 1800 },
      sha256Checksum: createHash('sha256').update(prefixes).digest(),
    })),
  });
  const body = Answer.encode(answer).finish();
  const decode = () => lists.map(({ deltas }) => riceDecode(deltas));
  const ways = {
    riceDecode: decode,
    fromPrefixes() {
      for (const [i, prefixes] of decode().entries()) {
        UrlList.fromPrefixes(prefixes, { prefixBytes: lists[i].prefixBytes }).dispose();
      }
    },
    async client() {
      const client = await SafeBrowsing.open({
        key: 'none',
        mode: 'real-time',
        storage: 'memory',
        onSearchError: 'throw',
        autoUpdate: false,
        fetch: async () => new Response(body),
      });
      const { count, error } = client.status;
      client.close();
      const entries = lists.reduce((sum, list) => sum + list.prefixes.length / list.prefixBytes, 0);
      if (count !== entries) throw error ?? new Error(`${count} entries of ${entries}`);
    },
  };
  const times = { riceDecode: [], fromPrefixes: [], client: [] };
  const names = Object.keys(ways);
  // The first run of each warms up.
  for (let run = 0; run <= RUNS; run++) {
    for (const name of names) {
      const stop = startClock();
      await ways[name]();
      if (run > 0) times[name].push(stop());
    }
    names.reverse();
  }
  const results = names.map((name) => [name, summary(times[name])]);
  return { bytes: body.length, ...Object.fromEntries(results) };
}
