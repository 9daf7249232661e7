/** A wrong first argument to everything of every entry: a value, or an error that has a code. */
import { describe, expect, test } from '@jest/globals';
import * as tamis from 'tamis';
import * as feeds from 'tamis/feeds';
import * as interop from 'tamis/interop';
import * as pages from 'tamis/pages';
import * as read from 'tamis/read';
import * as redis from 'tamis/redis';
import * as remote from 'tamis/remote';
import * as safeBrowsing from 'tamis/safe-browsing';
import * as schemes from 'tamis/schemes';
import * as url from 'tamis/url';

import { ofEachType, structureCases } from '../js/classes.js';
import { expectOption, isDocumented } from '../js/support/errors.js';
import { FakeRedis } from '../js/support/fake-redis.js';
import { BASE, FakeHost, makePages } from '../js/support/pages.js';
import { pairOf, readable } from '../js/support/readable.js';
import { FakeGoogle, openClient } from '../js/support/safe-browsing.js';
import { common, network, openGuard } from '../js/support/url-guard.js';

const entries = {
  tamis,
  feeds,
  interop,
  pages,
  read,
  redis,
  remote,
  safeBrowsing,
  schemes,
  url,
};
const wrong = [undefined, null, {}, 'x', 1];

type Function = (...args: unknown[]) => unknown;
const isFunction = (value: unknown): value is Function => typeof value === 'function';
const isClass = (value: unknown): value is new (...args: unknown[]) => object =>
  isFunction(value) && /^class\b/.test(String(value));

/** Calls, and reads what is given to its end; disposes of what was made. */
async function settle(call: () => unknown): Promise<void> {
  const value: unknown = await call();
  if (typeof value !== 'object' || value === null) return;
  if (Symbol.asyncIterator in value) {
    for await (const _ of value as AsyncIterable<unknown>) break;
  }
  if ('next' in value && isFunction(value.next)) value.next();
  if ('dispose' in value && isFunction(value.dispose)) value.dispose();
}

/** What `call` throws that is no error of the package, for each wrong argument. */
async function faultsOf(name: string, call: (argument: unknown) => unknown): Promise<string[]> {
  const faults: string[] = [];
  for (const argument of wrong) {
    await settle(() => call(argument)).catch((error) => {
      if (!isDocumented(error)) faults.push(`${name}(${JSON.stringify(argument)}): ${error}`);
    });
  }
  return faults;
}

/** Members that are not in the types of the package. */
const isInternal = (object: unknown, member: string): boolean =>
  member === 'define' ||
  (member === 'read' && 'kind' in Object(object)) ||
  (member === 'check' && 'part' in Object(object));

/** The functions that an object has or inherits from a class, by their names. */
function functionsOf(object: object): [string, Function][] {
  const found = new Map<string, Function>();
  for (let from = object; from && from !== Object.prototype; from = Object.getPrototypeOf(from)) {
    if (from === Function.prototype) break;
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(from))) {
      if (!isFunction(value) || name === 'constructor' || isInternal(object, name)) continue;
      if (!found.has(name)) found.set(name, value);
    }
  }
  return [...found];
}

test.each(Object.entries(entries))(
  '%s: functions, classes and their static methods',
  async (_, entry) => {
    const faults: string[] = [];
    let count = 0;
    const check = async (name: string, call: Function) => {
      faults.push(...(await faultsOf(name, call)));
      count++;
    };
    for (const [name, exported] of Object.entries(entry)) {
      if (name === 'TamisError' || name === 'init') continue;
      const isOne = isClass(exported);
      if (isOne) await check(`new ${name}`, (argument) => new exported(argument));
      else if (isFunction(exported)) await check(name, (argument) => exported(argument));
      if (typeof exported === 'string' || (isFunction(exported) && !isOne)) continue;
      for (const [member, call] of functionsOf(exported as object)) {
        await check(`${name}.${member}`, (argument) => call.call(exported, argument));
      }
    }
    expect(faults).toEqual([]);
    expect(count > 0 || entry === schemes).toBe(true);
  },
);

describe('methods', () => {
  const redisOf = async () => {
    const client = new FakeRedis();
    return redis.RedisFilter.open(client as never, 'seen', { capacity: 9 });
  };
  const remoteOf = async () => {
    const set = makePages(['ant', 'bee']);
    const { fetch } = new FakeHost().publish(set);
    const options = { publicKeys: null, fetch, retries: 0, name: set.fields.name };
    return remote.RemoteFilter.open(`${BASE}manifest.json`, options);
  };
  const guardOf = async () => {
    const { hosts, fetch } = network(1);
    await hosts[0]?.publish(['evil.example/']);
    const lists = Object.fromEntries(hosts.map((one) => [one.name, one.as('block')]));
    return openGuard({ ...common(fetch), lists });
  };
  const urls = () => new url.UrlListBuilder().addHosts(['evil.example']).build();
  const makers: [string, () => unknown][] = [
    ...ofEachType(structureCases).map(({ label, make }) => [label, () => make(5)] as const),
    ...ofEachType(readable).map(
      (one) => [`read: ${one.label}`, () => pairOf(one, 5).reader] as const,
    ),
    ['BitArray of read', () => read.BitArray.fromBytes(new tamis.BitArray(5).toBytes())],
    ['ForeignFilter', () => interop.goCuckoo.decode(new Uint8Array(64))],
    ['UrlList', urls],
    ['UrlDelta', () => urls().diff(urls())],
    ['UrlListBuilder', () => new url.UrlListBuilder()],
    ['UrlGuard', guardOf],
    ['memoryStorage', () => url.memoryStorage()],
    ['RedisFilter', redisOf],
    ['RemoteFilter', remoteOf],
    ['SafeBrowsing', () => openClient(new FakeGoogle())],
    [
      'withFunnel',
      () => tamis.withFunnel(new tamis.CuckooFilter({ capacity: 9 }), tamis.key.int32),
    ],
  ].map(([name, make]) => [name as string, make as () => unknown]);

  test.each(makers)('%s', async (_, make) => {
    const faults: string[] = [];
    for (const [member] of functionsOf((await make()) as object)) {
      const ask = async (argument: unknown) => {
        const object = (await make()) as Record<string, Function>;
        return object[member]?.(argument);
      };
      faults.push(...(await faultsOf(member, ask)));
    }
    expect(faults).toEqual([]);
  });
});

test('tamis/read: methods and getters on another object', () => {
  let count = 0;
  for (const Class of Object.values(read).filter(isClass)) {
    if (Object.is(Class, read.TamisError)) continue;
    for (
      let from = Class.prototype;
      from !== Object.prototype;
      from = Object.getPrototypeOf(from)
    ) {
      for (const [name, { get, value }] of Object.entries(Object.getOwnPropertyDescriptors(from))) {
        const borrowed: unknown = get ?? value;
        if (!isFunction(borrowed) || /^(constructor|kind|read|type)$/.test(name)) continue;
        for (const thief of [undefined, null, {}, 'x', Object.create(Class.prototype)]) {
          const { message } = expectOption(() => borrowed.call(thief, ['x']), TypeError);
          expect(message).toBe("expected a filter of 'tamis/read'");
          count++;
        }
      }
    }
  }
  expect(count).toBeGreaterThan(13 * 5);
});
