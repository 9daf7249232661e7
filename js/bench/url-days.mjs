// What a day's update of a real list costs: bytes of each delta, and the time to apply it.

import { UrlDelta, UrlListBuilder } from 'tamis/url';
import { startClock } from './clock.mjs';

const listOf = (hosts) => new UrlListBuilder().addHosts(hosts).build();
const same = (one, other) => Buffer.compare(one.sha256, other.sha256) === 0;

/** A history of `{ start, steps: [{ add, remove }] }`: bytes and milliseconds of each step. */
export function replay({ start, steps }, most = steps.length) {
  const hosts = new Set(start);
  let list = listOf(hosts);
  const days = [];
  for (const { add, remove } of steps.slice(0, most)) {
    for (const host of remove) hosts.delete(host);
    for (const host of add) hosts.add(host);
    const next = listOf(hosts);
    const bytes = next.diff(list).toBytes();
    const stop = startClock();
    const applied = list.apply(UrlDelta.fromBytes(bytes));
    const ms = stop();
    if (!same(applied, next)) throw new Error('the delta made another list');
    days.push({
      bytes: bytes.length,
      ms,
      entries: next.count,
      changes: add.length + remove.length,
    });
    list.dispose();
    next.dispose();
    list = applied;
  }
  return days;
}
