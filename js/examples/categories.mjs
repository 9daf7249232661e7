// A category for each host, in some bits per host and without the hosts. A firewall or a parental control
// ships such a map to its devices.
import { strict as assert } from 'node:assert';
import { BloomierMap } from 'tamis';
import { legitimateHosts, lists } from './blocklist-lists.mjs';

const categories = ['phishing', 'throw-away mail', 'legitimate'];
const [phishing, disposable] = lists;

// A host of several lists keeps its first category: a map has one value for each key.
const categoryOf = new Map();
for (const [category, hosts] of [phishing.keys, disposable.keys, legitimateHosts].entries()) {
  for (const host of hosts) if (!categoryOf.has(host)) categoryOf.set(host, category);
}

// 2 bits name one of the three categories. 10 more bits recognise a host on no list, except for one in 1,024.
const map = BloomierMap.from(categoryOf, { valueBits: 2, checkBits: 10 });
const bytes = map.toBytes();

const onDevice = BloomierMap.fromBytes(bytes);
for (const [host, category] of categoryOf) assert.equal(onDevice.get(host), category, host);

const absentKeys = Array.from({ length: 100_000 }, (_, i) => `no-such-host-${i}.example`);
const { found } = onDevice.getMany(absentKeys);
const taken = found.filter((is) => is === 1).length;
assert.ok(
  taken > 0 && taken < 200,
  `about 98 absent keys in 100,000 are taken for known, got ${taken}`,
);

const [host] = phishing.keys;
console.log(`categories: ${categoryOf.size} hosts in ${bytes.length} bytes, all of them right`);
console.log(`categories: ${host} is ${categories[onDevice.get(host)]}`);
