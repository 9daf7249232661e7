/** Types that tsc checks in tamis/remote: options, answers and errors. This file never runs. */

import { RibbonFilter } from 'tamis/read';
import {
  type Fetch,
  type Key,
  type LookUpOptions,
  type PagesManifest,
  type PublicKey,
  RemoteFilter,
  RemoteMap,
  type RemoteOptions,
  type RemoteStatus,
  type RemoteStorage,
  type TamisErrorCode,
} from 'tamis/remote';

declare const storage: RemoteStorage;
declare const fetch: Fetch;
declare const publicKeys: readonly PublicKey[];
const url = 'https://host.example/manifest.json';

const options: Required<RemoteOptions> = {
  name: 'list',
  publicKeys,
  secret: new Uint8Array(16),
  types: [RibbonFilter],
  cachePages: 256,
  decoys: 0,
  requests: 6,
  fullResponses: 'use',
  timeoutMs: 10_000,
  retries: 2,
  maxAgeMs: 3_600_000,
  storage,
  fetch,
};

export async function askAll(keys: Iterable<Key>, lookUp: LookUpOptions): Promise<unknown[]> {
  // @ts-expect-error the keys are always given: null for none
  await RemoteFilter.open(url, { name: 'list' });
  // @ts-expect-error the same key may have signed other sets
  await RemoteFilter.open(url, { publicKeys: null });
  // @ts-expect-error a part is refused or used
  await RemoteFilter.open(url, { name: 'list', publicKeys: null, fullResponses: 'ignore' });
  // @ts-expect-error the time is for tests of the package
  await RemoteFilter.open(url, { name: 'list', publicKeys: null, now: () => 0 });
  using filter = await RemoteFilter.open(new URL(url), options);
  const map: RemoteMap = await RemoteMap.open(url, { name: 'list', publicKeys: null });
  // @ts-expect-error made by open alone
  new RemoteFilter('x');
  // @ts-expect-error the same
  new RemoteMap({});
  // @ts-expect-error a filter has no values
  await filter.get('a');
  const status: RemoteStatus = filter.status;
  const manifest: PagesManifest = status.manifest;
  const code: TamisErrorCode | undefined = status.error?.code;
  const has: boolean = await filter.has('a', lookUp);
  const all: Uint8Array = await filter.hasMany(keys, lookUp);
  await map.prefetch(keys, lookUp);
  const isNew: boolean = await map.update();
  const value: number | undefined = await map.get('a', lookUp);
  const { values, found } = await map.getMany(keys, lookUp);
  const numbers: Uint32Array = values;
  map.close();
  return [manifest.pages, code, has, all, isNew, value, numbers, found];
}
