// Follows a list for many days, with clients of the Safe Browsing server in Python. Run by `npm run test:peers`.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { domainToASCII } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { memoryStorage } from 'tamis/url';
import { randomBelow } from '../../js/examples/random.mjs';
import { hostsOf, START_MS, skip, startForTests } from './safe-browsing-clients.mjs';

// The history of a real list, not part of the project. Without it, the test uses only the generated history.
const data = new URL('../../../shared/data/phishing-history.json.gz', import.meta.url);

const DAY_MS = 24 * 3600 * 1000;

/** Hosts in the form that is hashed, without texts that are not hosts. */
const asBrowsersDo = (hosts) =>
  hosts.map((host) => domainToASCII(host).replace(/\.$/, '')).filter(Boolean);

/** 60 days on which hosts come and go, sometimes many at once, and sometimes all. */
function madeUp() {
  const next = randomBelow(7);
  let hosts = hostsOf(0, 4000);
  const start = hosts;
  const steps = Array.from({ length: 60 }, (_, day) => {
    const isLarge = day % 12 === 5;
    const add = hostsOf(0, next(isLarge ? 4000 : 40), `day-${day}`);
    const remove = hosts.filter(() => next(100) < (day === 40 ? 100 : isLarge ? 50 : 1));
    const gone = new Set(remove);
    hosts = [...hosts.filter((host) => !gone.has(host)), ...add];
    return { add, remove };
  });
  return { start, steps };
}

/** The list as a full build makes it. */
class FullBuild {
  #prefixes = new Map();
  hosts = new Set();

  #of(host) {
    if (!this.#prefixes.has(host)) {
      const digest = createHash('sha256').update(`${host}/`).digest();
      this.#prefixes.set(host, digest.readUInt32BE());
    }
    return this.#prefixes.get(host);
  }

  change({ add = [], remove = [] }) {
    for (const host of remove) this.hosts.delete(host);
    for (const host of add) this.hosts.add(host);
  }

  /** The number of entries, and the checksum. */
  describe() {
    const entries = [...new Set([...this.hosts].map((host) => this.#of(host)))];
    const sorted = Uint32Array.from(entries).sort();
    const bytes = Buffer.from(sorted.buffer).swap32();
    return { count: sorted.length, sha256: createHash('sha256').update(bytes).digest('hex') };
  }

  /** True if the host or a domain above it is listed. */
  has(host) {
    const labels = host.split('.');
    return labels.some((_, i) => this.hosts.has(labels.slice(i).join('.')));
  }
}

describe('the history of a list', { skip }, () => {
  const server = startForTests();

  async function follow({ start, steps }) {
    await server.control({ reset: true, lists: { 'se-4b': [{ hosts: start }] } });
    server.clock.ms = START_MS;
    const full = new FullBuild();
    full.change({ add: start });
    const next = randomBelow(31);

    /** Fails unless the client has the list of the full build, and its answers agree with it. */
    const compare = (client, { count, sha256 }, touched, what) => {
      const { status } = client;
      assert.deepEqual(
        [status.version, status.count, status.stale],
        [`se-4b ${sha256.slice(0, 8)}`, count, false],
        what,
      );
      const answers = client.checkMany(touched.map((host) => `https://${host}/`));
      for (const [i, host] of touched.entries()) {
        assert.equal(answers[i], full.has(host) ? 'maybe' : 'safe', `${what}: ${host}`);
      }
    };
    /** Updates until the server has nothing newer, which may take more than one update. */
    const catchUp = async (client, { sha256 }) => {
      const first = await client.update();
      for (let i = 0; client.status.version !== `se-4b ${sha256.slice(0, 8)}`; i++) {
        assert(i < 10 && first.changed, 'the client does not come to the end of the list');
        server.clock.ms += 60_000;
        await client.update();
      }
      return first;
    };

    const storage = memoryStorage();
    const split = { maxUpdateEntries: 1024 };
    const daily = await server.open();
    const skipping = await server.open();
    const splitting = await server.open(split);
    let reopened = await server.open({ storage });
    await catchUp(splitting, full.describe());
    const ways = { none: 0, deltas: 0, snapshot: 0 };
    const { length: asked } = await server.log();
    for (const [day, step] of steps.entries()) {
      full.change(step);
      await server.control({ push: { 'se-4b': step } });
      const expected = full.describe();
      const all = [...full.hosts];
      const touched = [
        ...step.add,
        ...step.remove,
        ...Array.from({ length: all.length && 100 }, () => all[next(all.length)]),
        ...hostsOf(100 * day, 100 * day + 100, 'absent'),
      ];
      server.clock.ms += DAY_MS;
      ways[(await daily.update()).by]++;
      compare(daily, expected, touched, `day ${day}`);

      reopened.close();
      reopened = await server.open({ storage });
      assert.equal(reopened.status.source, 'storage');
      await reopened.update();
      compare(reopened, expected, touched, `day ${day}, from the storage`);

      if (next(6) === 0) {
        await skipping.update();
        compare(skipping, expected, touched, `day ${day}, after some that were skipped`);
      }
      if (day % 30 === 29 || next(12) === 0) {
        await catchUp(splitting, expected);
        compare(splitting, expected, touched, `day ${day}, in parts`);
      }
    }
    assert.equal(ways.snapshot, 0);
    // Each list is sent completely once, at first. After that only changes are sent.
    const answers = (await server.log()).slice(asked);
    assert(answers.every(({ isPartial }) => isPartial));
    return { ways, split: answers.filter(({ hasMore }) => hasMore).length };
  }

  test('60 days that are made up: each list is that of a full build', async () => {
    const { ways, split } = await follow(madeUp());
    assert.equal(ways.deltas, 60);
    assert(split > 5);
  });

  const isThere = existsSync(data) || 'the history is not at hand';
  test('180 days of a real list', { skip: isThere !== true && isThere }, async () => {
    const { start, steps } = JSON.parse(gunzipSync(readFileSync(data)).toString());
    assert.equal(steps.length, 180);
    const { ways } = await follow({
      start: asBrowsersDo(start),
      steps: steps.map(({ add, remove }) => ({
        add: asBrowsersDo(add),
        remove: asBrowsersDo(remove),
      })),
    });
    assert(ways.deltas > 100);
  });
});
