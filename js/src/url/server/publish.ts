// Publishing: a new version of a list, into a storage that a static host serves (cpp/FORMAT.md, section 7.1).
// Wherever the process ends, there is a whole manifest, with each file that it names.

import { mustBe, rangeError, type TamisError } from '../../core/errors.js';
import {
  between,
  callable,
  copyOwn,
  integer,
  need,
  type Reader,
  readOptions,
} from '../../core/options.js';
import { unavailableError } from '../../core/requests.js';
import { hexOf, jsonBytes, jsonIn, sha256Hex } from '../../core/signed/bytes.js';
import {
  type PublicKey,
  publicKeysReader,
  type SigningKeys,
  signingKeysReader,
  trustKey,
  trustKeys,
} from '../../core/signed/keys.js';
import { openManifest } from '../../core/signed/manifest.js';
import type { UrlDelta } from '../list/url-delta.js';
import { UrlList, urlList } from '../list/url-list.js';
import { expectManifest, signManifest } from '../signed/manifest.js';
import {
  label,
  listManifest,
  type Manifest,
  type ManifestDelta,
  type ManifestFile,
  maxDeltas as mostDeltas,
} from '../signed/manifest-fields.js';
import { readBytes, storageReader, type UrlStorage } from '../signed/storage.js';

/** Options of publishList. */
export interface PublishOptions {
  /** The list's name, up to 64 characters of printable ASCII: the manifest's `list`. */
  readonly name: string;
  /** What is served: `fileStorage(fs, folder)`, for example. */
  readonly storage: UrlStorage;
  /** What signs the manifest; the public key is for the `publicKeys` of clients. */
  readonly keys: SigningKeys;
  /** Other keys that may have signed the manifest that stands, at most 16: to change keys. */
  readonly publicKeys?: readonly PublicKey[];
  /**
   * Where the version before lies: its manifest.json and the files that this names. It is for a `storage` that is made
   * anew each time, as in CI. Deltas begin at the version of the higher `seq`, there or in `storage`. What is still there
   * of its files, as `publishList` named them, is copied.
   */
  readonly previous?: Pick<UrlStorage, 'get'>;
  /** A name of this version for people, as `name`; default: the time of publishing. */
  readonly version?: string;
  /** How long clients may believe the list, in milliseconds; default 7 days. */
  readonly lifetimeMs?: number;
  /** The most deltas that are kept, of which each leads to the next version; default 64, at most 4096. */
  readonly maxDeltas?: number;
  /** In the place of `Date.now`; its seconds are the least `seq`. */
  readonly now?: () => number;
}

/** Where files of a version lie. */
type Place = Pick<UrlStorage, 'get'>;

type MayLack = 'version' | 'previous';
type Settings = Required<Omit<PublishOptions, MayLack>> & Pick<PublishOptions, MayLack>;

const manifestName = 'manifest.json';
/** When each file was last named by the manifest, in milliseconds since 1970. */
const usesName = 'files.json';
const day = 24 * 3600 * 1000;
/** How long a file stays that the manifest names no more. */
const graceMs = day;
const longestLifetimeMs = 3660 * day;

const defaults = {
  publicKeys: [],
  lifetimeMs: 7 * day,
  maxDeltas: 64,
  now: () => Date.now(),
};

const ownStorage: Reader<UrlStorage> = (value, name) => {
  if (typeof value === 'object') return storageReader(value, name);
  throw mustBe('an object with get and set', name, value);
};
const previousReader: Reader<Place> = (value, name) => {
  const { get } = Object(value) as Partial<UrlStorage>;
  if (typeof get === 'function') return value as UrlStorage;
  throw mustBe('an object with get', name, value);
};

function settingsOf(options: PublishOptions): Settings {
  const what = 'publishList';
  const readers = {
    name: label,
    storage: ownStorage,
    keys: signingKeysReader,
    publicKeys: publicKeysReader,
    previous: previousReader,
    version: label,
    lifetimeMs: integer(1, longestLifetimeMs),
    maxDeltas: integer(0, mostDeltas),
    now: callable<() => number>(),
  };
  const given = readOptions(options, readers, what);
  need(given, what, 'name', 'storage', 'keys');
  // Each member its own: what somebody put on Object.prototype nobody meant.
  return copyOwn({ ...defaults, ...given });
}

/** A file that the manifest will name. */
interface NewFile {
  readonly file: ManifestFile;
  readonly content: Uint8Array;
}

async function makeFile(kind: 'snapshot' | 'delta', content: Uint8Array): Promise<NewFile> {
  const sha256 = await sha256Hex(content);
  return { file: { url: `${kind}-${sha256}.tamis`, bytes: content.length, sha256 }, content };
}

/** The bytes of a file, if they are those that were signed. */
async function find(place: Place, file: ManifestFile): Promise<Uint8Array | undefined> {
  const bytes = await readBytes(place, file.url);
  const isIt = bytes?.length === file.bytes && (await sha256Hex(bytes)) === file.sha256;
  return isIt ? bytes : undefined;
}

const filesOf = (manifest: Manifest | undefined): readonly ManifestFile[] =>
  manifest ? [manifest.snapshot, ...manifest.deltas] : [];

/** The names that publishList gives: what else a manifest names lies in no storage. */
const ownName = /^(snapshot|delta)-[0-9a-f]{64}\.tamis$/;

/** Those files of a version that are there. */
async function findAll(
  place: Place,
  manifest: Manifest | undefined,
): Promise<ReadonlyMap<string, NewFile>> {
  const found = new Map<string, NewFile>();
  for (const file of filesOf(manifest)) {
    const content = ownName.test(file.url) ? await find(place, file) : undefined;
    if (content !== undefined) found.set(file.url, { file, content });
  }
  return found;
}

/** The list in the bytes; undefined for one that a release of another format wrote: then there is no delta. */
function loadBase(bytes: Uint8Array): UrlList | undefined {
  try {
    return UrlList.fromBytes(bytes);
  } catch (error) {
    if ((error as Partial<TamisError>).code === 'ERR_TAMIS_OUT_OF_MEMORY') throw error;
    return undefined;
  }
}

/** The delta from the list that `last` names; undefined where that is gone, or cannot be read. */
async function makeDelta(
  list: UrlList,
  last: Manifest,
  place: Place,
): Promise<NewFile | undefined> {
  const bytes = await find(place, last.snapshot);
  const base = bytes && loadBase(bytes);
  if (base === undefined) return undefined;
  let delta: UrlDelta | undefined;
  try {
    delta = list.diff(base);
    return await makeFile('delta', delta.toBytes());
  } finally {
    delta?.dispose();
    base.dispose();
  }
}

/**
 * The deltas that lead to the list: the newest that together are less than the snapshot, without a gap. `added` is the
 * last one, where that is not in the storage yet.
 */
async function findChain(
  list: UrlList,
  last: Manifest | undefined,
  snapshotBytes: number,
  place: Place,
  maxDeltas: number,
) {
  if (last === undefined || last.prefixBytes !== list.prefixBytes) return { deltas: [] };
  const isSame = last.sha256 === hexOf(list.identity);
  const added = isSame ? undefined : await makeDelta(list, last, place);
  if (!isSame && added === undefined) return { deltas: [] };
  const chain = added ? [...last.deltas, { ...added.file, from: last.sha256 }] : last.deltas;
  const deltas: ManifestDelta[] = [];
  let sum = 0;
  for (const delta of [...chain].reverse()) {
    sum += delta.bytes;
    const isThere = delta.url === added?.file.url || (await find(place, delta)) !== undefined;
    if (sum >= snapshotBytes || deltas.length === maxDeltas || !isThere) break;
    deltas.unshift(delta);
  }
  return deltas.length > 0 && added ? { deltas, added } : { deltas };
}

/** The version after `last`, whose files are in `place`, and what must be written for it. */
async function draftVersion(
  list: UrlList,
  last: Manifest | undefined,
  place: Place,
  settings: Settings,
) {
  const { name, keys, lifetimeMs, maxDeltas, now } = settings;
  const snapshot = await makeFile('snapshot', list.toBytes());
  const { deltas, added } = await findChain(list, last, snapshot.file.bytes, place, maxDeltas);
  const nowMs = between(0, 8.64e15 - lifetimeMs)(now(), 'publishList: now()');
  const created = new Date(nowMs).toISOString();
  const notAfter = new Date(nowMs + lifetimeMs).toISOString();
  if (last && Date.parse(notAfter) <= Date.parse(last.created)) {
    throw rangeError(`the clock says ${created}, before the version of ${last.created}`);
  }
  const manifest = await signManifest(
    {
      list: name,
      // The time too, so that a publisher without its earlier versions locks no client out.
      seq: Math.max((last?.seq ?? 0) + 1, Math.floor(nowMs / 1000)),
      version: settings.version ?? created,
      n: list.count,
      hash: 'sha256',
      rule: list.rule,
      prefixBytes: list.prefixBytes as Manifest['prefixBytes'],
      created,
      notAfter,
      sha256: hexOf(list.identity),
      snapshot: snapshot.file,
      deltas,
    },
    keys,
  );
  return { manifest, files: added ? [snapshot, added] : [snapshot] };
}

/** What files.json says; nothing where it is damaged: it is not signed, and only costs room. */
async function readUses(storage: UrlStorage): Promise<Map<string, number>> {
  const uses = new Map<string, number>();
  // Files that nobody knows of any more stay.
  for (const [name, lastMs] of Object.entries(jsonIn(await readBytes(storage, usesName)))) {
    if (ownName.test(name) && typeof lastMs === 'number') uses.set(name, lastMs);
  }
  return uses;
}

/** Notes that the files named are of use now, also those not yet written, and removes what long is not. */
async function tidy(storage: UrlStorage, named: readonly string[], nowMs: number): Promise<void> {
  const uses = await readUses(storage);
  for (const name of named) uses.set(name, nowMs);
  for (const [name, lastMs] of uses) {
    // Not from the future, where a clock went wrong.
    uses.set(name, Math.min(lastMs, nowMs));
    if (nowMs - lastMs < graceMs) continue;
    try {
      await storage.set(name, undefined);
      uses.delete(name);
    } catch {
      // Nothing depends on it, and the next version tries again.
    }
  }
  await storage.set(usesName, jsonBytes(Object.fromEntries(uses)));
}

async function publish(list: UrlList, settings: Settings): Promise<Manifest> {
  const { name, storage, keys, publicKeys, previous } = settings;
  const own = await trustKey(keys.publicKey, 'publishList: keys.publicKey');
  const known = [own, ...(await trustKeys(publicKeys))];
  /** The manifest in bytes, also past its time. CORRUPT, BAD_SIGNATURE, INCOMPATIBLE for what is no version of the list. */
  const read = async (bytes: Uint8Array | undefined) => {
    const manifest = bytes && (await openManifest(listManifest, bytes, known));
    if (manifest) expectManifest(manifest, { list: name, rule: list.rule, nowMs: -Infinity });
    return manifest;
  };
  const earlier = previous && (await read(await readBytes(previous, manifestName)));
  if (previous && !earlier) throw unavailableError(`previous has no ${manifestName}`);
  for (;;) {
    const standing = await readBytes(storage, manifestName);
    const here = await read(standing);
    const isElsewhere = earlier !== undefined && earlier.seq > (here?.seq ?? 0);
    const last = isElsewhere ? earlier : here;
    const brought = await findAll(previous ?? storage, isElsewhere ? earlier : undefined);
    const place = {
      get: (key: string) => brought.get(key)?.content ?? storage.get(key),
    };
    const { manifest, files } = await draftVersion(list, last, place, settings);
    const named = [here, last, manifest].flatMap(filesOf).map(({ url }) => url);
    await tidy(storage, named, Date.parse(manifest.created));
    for (const { file, content } of [...brought.values(), ...files]) {
      if ((await find(storage, file)) === undefined) await storage.set(file.url, content);
    }
    // Where another process published meanwhile, the new version is the one after that.
    if (String(await readBytes(storage, manifestName)) !== String(standing)) continue;
    await storage.set(manifestName, jsonBytes(manifest));
    return manifest;
  }
}

/** Calls that are not done, by storage: each starts when the one before has ended. */
const turns = new WeakMap<UrlStorage, Promise<unknown>>();

/**
 * Writes a new version of a list into a storage that a static host serves. It writes the list, the delta from the
 * version before, and the signed manifest.json. An unchanged list renews the manifest alone. Clients of an older
 * version follow the chain of deltas where that is less than the list. Files that the manifest names no more are
 * removed a day later.
 *
 * The `seq` is one more than that of the version before, and at least the seconds since 1970. So clients of an earlier
 * version take this one also where `storage` was empty. They do not where the clock was put back, or both versions are
 * of one second. Without a version before there is no delta, and they fetch the whole list: give `previous`.
 *
 * What is killed or fails leaves the version that stood, or the new one. Calls for one storage follow one
 * another; other processes should not publish into it at the same time.
 *
 * Rejects with CORRUPT or BAD_SIGNATURE where `storage` or `previous` has a manifest that none of the keys signed.
 * Rejects with INCOMPATIBLE where that is of another list or rule. Rejects with UNAVAILABLE where `previous` has none, and with
 * UNSUPPORTED without Ed25519. Rejects with TypeError and RangeError for wrong options, and as the storage does. It is a
 * RangeError too where the clock was put back, and the version would be over before the version before was made.
 *
 * @example
 * import { memoryStorage, publishList, UrlListBuilder } from 'tamis/url';
 * const keys = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']);
 * const storage = memoryStorage(); // fileStorage(fs, 'public/phish') for a web server
 * const older = new UrlListBuilder().addHosts(['evil.example']).build();
 * const now = () => Date.parse('2026-11-22T00:00:00.000Z'); // in earnest leave it out
 * await publishList(older, { name: 'phish', storage, keys, now });
 * const hosts = ['evil.example', 'bad.example'];
 * const newer = new UrlListBuilder().addHosts(hosts).build();
 * const { seq, n } = await publishList(newer, { name: 'phish', storage, keys, now });
 * seq; // => 1795305601
 * n; // => 2
 */
export async function publishList(list: UrlList, options: PublishOptions): Promise<Manifest> {
  urlList(list, 'publishList: list');
  const settings = settingsOf(options);
  const before = turns.get(settings.storage) ?? Promise.resolve();
  const mine = before.then(() => publish(list, settings));
  turns.set(
    settings.storage,
    mine.catch(() => {}),
  );
  return mine;
}
