// URL measurements that are not made in rounds: feeds, a day's update, publications, and Safe Browsing lists.

import { join } from 'node:path';
import protobuf from 'protobufjs';
import { readFeed } from 'tamis/feeds';
import { SafeBrowsing } from 'tamis/safe-browsing';
import {
  memoryStorage,
  publishList,
  riceDecode,
  riceEncode,
  UrlChecker,
  UrlDelta,
  UrlList,
  UrlListBuilder,
} from 'tamis/url';
import { binomialInterval } from '../../js/examples/binomial.mjs';
import { root } from '../../js/scripts/run.mjs';
import { bytesOf, inMemory, makeKeys, prefixesOf, sha256 } from '../lists.mjs';
import { figureOf, figuresInTurn, timeOnce } from './measure.mjs';
import { alarms } from './tables.mjs';
import { timeImage, timeOpening } from './url-pages.mjs';

const FEED_RUNS = 6;
const LIST_RUNS = 12;
const BEHIND = 64;
const DAY = 24 * 3600 * 1000;

/** Measures the milliseconds of each function. The first run only warms up. */
const timeWays = (runs, ways) => {
  const timed = Object.entries(ways).map(([name, way]) => [name, () => timeOnce(way)]);
  return figuresInTurn(runs, Object.fromEntries(timed), 1);
};

/** The versions of a list in a history, one after the other. */
async function* versionsOf({ start, steps }) {
  const hosts = new Set(start);
  const listOf = () => new UrlListBuilder().addHosts(hosts).build();
  yield listOf();
  for (const { add, remove } of steps) {
    for (const host of remove) hosts.delete(host);
    for (const host of add) hosts.add(host);
    yield listOf();
  }
}

/** The cost of the deltas in a history: their mean size, and the time to apply one. */
async function replay(history) {
  const bytes = [];
  const times = [];
  let list;
  for await (const next of versionsOf(history)) {
    if (list !== undefined) {
      const delta = next.diff(list).toBytes();
      bytes.push(delta.length);
      times.push(
        await timeOnce(() => list.apply(UrlDelta.fromBytes(delta)), {
          after(applied) {
            if (Buffer.compare(applied.sha256, next.sha256) !== 0) {
              throw new Error('the delta made another list');
            }
            applied.dispose();
          },
        }),
      );
      list.dispose();
    }
    list = next;
  }
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [, applyMs] = figureOf(times);
  return {
    days: bytes.length,
    entries: list.count,
    meanBytes: mean(bytes),
    meanChanges: mean(history.steps.map(({ add, remove }) => add.length + remove.length)),
    applyMs,
  };
}

/** Makes a storage where versions are published, and clients that open a list there and update it later. */
async function makePlace(options) {
  const keys = await makeKeys();
  const storage = memoryStorage();
  let requests = 0;
  const fetch = async (url) => {
    requests++;
    const bytes = await storage.get(new URL(url).pathname.slice(1));
    return new Response(bytes ?? null, { status: bytes ? 200 : 404 });
  };
  return {
    publish: (list, now) =>
      publishList(list, { name: 'bench', storage, signingKeys: keys, now, ...options }),
    open: (now) =>
      UrlChecker.open('https://lists.example/manifest.json', {
        name: 'bench',
        publicKeys: [keys.publicKey],
        confirm: null,
        ...inMemory,
        fetch,
        now,
      }),
    /** The cost of an update: its files and their sizes, without the manifest. */
    async update(checker) {
      requests = 0;
      const { by, receivedBytes } = await checker.update();
      const manifestBytes = (await storage.get('manifest.json')).length;
      return { by, manifestBytes, files: requests - 1, bytes: receivedBytes };
    },
  };
}

/** How many bytes clients fetch if a version is published every day: with jumps, and with deltas only. */
async function publishHistory(history) {
  const places = { jumps: await makePlace(), deltas: await makePlace({ jumps: 0 }) };
  const behind = Math.min(BEHIND, history.steps.length);
  const clients = {};
  let versions = 0;
  const now = () => versions * DAY;
  for await (const list of versionsOf(history)) {
    versions++;
    for (const [way, place] of Object.entries(places)) {
      await place.publish(list, now);
      if (versions === history.steps.length + 1 - behind) clients[way] = await place.open(now);
    }
    list.dispose();
  }
  const updates = {};
  for (const [way, place] of Object.entries(places)) {
    updates[way] = await place.update(clients[way]);
    clients[way].close();
  }
  if (updates.jumps.by !== 'jump' || updates.deltas.by !== 'deltas') {
    throw new Error(`the clients took ${updates.jumps.by} and ${updates.deltas.by}`);
  }
  return { versions, behind, ...updates };
}

/** Milliseconds to add hosts, as strings and as the bytes of a hosts file. */
function timeFeeds(hosts) {
  const file = new Blob([hosts.map((host) => `0.0.0.0 ${host}\n`).join('')]);
  const expectAll = ({ count }) => {
    if (count !== hosts.length) throw new Error(`the feed has ${count} hosts`);
  };
  return timeWays(FEED_RUNS, {
    addHosts: () => expectAll(new UrlListBuilder().addHosts(hosts)),
    addFeed: async () => expectAll(await new UrlListBuilder().addFeed(readFeed(file.stream()))),
  });
}

const proto = join(root, 'lab/peers/programs/safe_browsing.proto');
const additionsOf = { 4: 'additionsFourBytes', 32: 'additionsThirtyTwoBytes' };

/** A message with Rice-coded prefixes. */
function messageOf({ firstValue, parameter, entriesCount, data }) {
  const view = new DataView(firstValue.buffer, firstValue.byteOffset);
  const first =
    firstValue.length === 4
      ? { firstValue: view.getUint32(0) }
      : Object.fromEntries(
          ['First', 'Second', 'Third', 'Fourth'].map((name, i) => [
            `firstValue${name}Part`,
            String(view.getBigUint64(8 * i)),
          ]),
        );
  return { ...first, riceParameter: parameter, entriesCount, encodedData: data };
}

/**
 * Milliseconds to load four lists of these hosts, three with prefixes and one with whole hashes, in three ways: only
 * `riceDecode`; then also `UrlList.fromPrefixes`; and in a client, which also checks checksums and stores the lists.
 */
async function timeHashLists(hosts) {
  const third = Math.floor(hosts.length / 3);
  const lists = [
    { name: 'se-4b', some: hosts, prefixBytes: 4 },
    { name: 'mw-4b', some: hosts.slice(0, third), prefixBytes: 4 },
    { name: 'uws-4b', some: hosts.slice(third, 2 * third), prefixBytes: 4 },
    { name: 'gc-32b', some: hosts.slice(0, 20_000), prefixBytes: 32 },
  ].map(({ name, some, prefixBytes }) => {
    const prefixes = bytesOf(prefixesOf(some, prefixBytes));
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
      sha256Checksum: Buffer.from(sha256(prefixes), 'hex'),
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
        apiKey: 'none',
        mode: 'real-time',
        storage: 'memory',
        whenSearchFails: 'throw',
        autoUpdate: false,
        fetch: async () => new Response(body),
      });
      const { count, error } = client.status;
      client.close();
      const entries = lists.reduce((sum, list) => sum + list.prefixes.length / list.prefixBytes, 0);
      if (count !== entries) throw error ?? new Error(`${count} entries of ${entries}`);
    },
  };
  return { bytes: body.length, ...(await timeWays(LIST_RUNS, ways)) };
}

/** Also fails if the number of false hits is not plausible by chance. */
export async function measureExtras(contenders, { hosts, history, made }) {
  const { absentKeys, falseAlarms, rate } = alarms(contenders);
  const { low, high } = binomialInterval(absentKeys, rate, 1e-9);
  if (falseAlarms < low || falseAlarms > high) {
    throw new Error(`${falseAlarms} false alarms for ${absentKeys} URLs`);
  }
  return {
    feeds: await timeFeeds(hosts),
    history: history && (await replay(history)),
    published: history && (await publishHistory(history)),
    open: await timeOpening(made),
    image: await timeImage(made),
    google: await timeHashLists(hosts),
  };
}
