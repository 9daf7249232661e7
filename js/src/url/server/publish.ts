// Publishing: a new version of a list, into a storage that a static host serves (cpp/FORMAT.md, section 7.1).
// Wherever the process ends, there is a whole manifest, with each file that it names.

import { mustBe, rangeError } from '../../core/errors.js';
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
import { hexOf, jsonBytes } from '../../core/signed/bytes.js';
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
  type ManifestFields,
  maxDeltas as mostDeltas,
  type ShownFields,
} from '../signed/manifest-fields.js';
import { shownReaders } from '../signed/shown-fields.js';
import { readBytes, storageReader, type UrlStorage } from '../signed/storage.js';
import {
  extendHistory,
  type History,
  jumpNames,
  mostJumps,
  stepsTo,
  writeJumps,
} from './list-history.js';
import { readNotes, tidy } from './publish-notes.js';
import {
  find,
  findAll,
  hasAny,
  jumpPrefix,
  makeFile,
  type NewFile,
  type Place,
  tryToRead,
} from './published-files.js';

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
  /** The list's name for users, as `name`. Clients show this and the next two, and do nothing else by them. */
  readonly label?: string;
  /** How bad its entries are, from 0 to 10. */
  readonly severity?: number;
  /** Where to report a wrong entry: a URL of https with `{url}` in its path or query, in the place of the URL. */
  readonly report?: string;
  /** How long clients may believe the list, in milliseconds; default 7 days. */
  readonly lifetimeMs?: number;
  /**
   * From how many versions before this one there are jumps, of which each is one delta to this one; default 128, at most
   * 1024. 0: none. Each is one more delta that the publisher makes. They begin at `previous`, or at the
   * first version that was published into `storage`. For that its files must stay, and files.json.
   */
  readonly jumps?: number;
  /**
   * The most deltas that the manifest names, of which each leads to the next version; default 8, and 64 without jumps. At
   * most 4096.
   */
  readonly maxDeltas?: number;
  /** In the place of `Date.now`; its seconds are the least `seq`. */
  readonly now?: () => number;
}

type MayLack = 'version' | 'previous' | keyof ShownFields;
type Settings = Required<Omit<PublishOptions, MayLack>> & Pick<PublishOptions, MayLack>;

const manifestName = 'manifest.json';
const day = 24 * 3600 * 1000;
const longestLifetimeMs = 3660 * day;

const defaults = {
  publicKeys: [],
  lifetimeMs: 7 * day,
  jumps: 128,
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
    ...shownReaders(),
    lifetimeMs: integer(1, longestLifetimeMs),
    jumps: integer(0, mostJumps),
    maxDeltas: integer(0, mostDeltas),
    now: callable<() => number>(),
  };
  const given = readOptions(options, readers, what);
  need(given, what, 'name', 'storage', 'keys');
  const maxDeltas = given.jumps === 0 ? 64 : 8;
  // Each member its own: what somebody put on Object.prototype nobody meant.
  return copyOwn({ ...defaults, maxDeltas, ...given });
}

/** The delta from the list that `last` names; undefined where that is gone, or cannot be read. */
async function makeDelta(
  list: UrlList,
  last: Manifest,
  place: Place,
): Promise<NewFile | undefined> {
  const bytes = await find(place, last.snapshot);
  // Where another release wrote it, there is no delta.
  const base = bytes && tryToRead(() => UrlList.fromBytes(bytes));
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
 * last one, where that is not in the storage yet; it may be none of them.
 */
async function findChain(
  list: UrlList,
  last: Manifest | undefined,
  snapshotBytes: number,
  place: Place,
  maxDeltas: number,
): Promise<{ deltas: ManifestDelta[]; added?: NewFile | undefined }> {
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
  return { deltas, added };
}

/** The version after `last`, whose files are in `place`, and what must be written for it. */
async function draftVersion(
  list: UrlList,
  last: Manifest | undefined,
  place: Place,
  settings: Settings,
) {
  const { name, lifetimeMs, maxDeltas, now, label, severity, report } = settings;
  const snapshot = await makeFile('snapshot', list.toBytes());
  const { deltas, added } = await findChain(list, last, snapshot.file.bytes, place, maxDeltas);
  const nowMs = between(0, 8.64e15 - lifetimeMs)(now(), 'publishList: now()');
  const created = new Date(nowMs).toISOString();
  const notAfter = new Date(nowMs + lifetimeMs).toISOString();
  if (last && Date.parse(notAfter) <= Date.parse(last.created)) {
    throw rangeError(`the clock says ${created}, before the version of ${last.created}`);
  }
  const fields: ManifestFields = {
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
    ...(label !== undefined && { label }),
    ...(severity !== undefined && { severity }),
    ...(report !== undefined && { report }),
  };
  // The history needs it too.
  const isAdded = added && (deltas.length > 0 || settings.jumps > 0);
  return { fields, added, files: isAdded ? [snapshot, added] : [snapshot] };
}

/** The history up to the new version, which `added` makes of `last`; without one it begins there. */
function continueHistory(
  history: History,
  last: Manifest | undefined,
  { sha256: to }: Manifest,
  added: NewFile | undefined,
  jumps: number,
): History {
  if (last === undefined || jumps === 0) return { to, steps: [] };
  if (last.sha256 === to) return { to, steps: stepsTo(history, last) };
  if (added === undefined) return { to, steps: [] };
  return extendHistory(history, last, to, added.file.sha256, jumps);
}

async function publish(list: UrlList, settings: Settings): Promise<Manifest> {
  const { name, storage, keys, publicKeys, previous, jumps } = settings;
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
    const { fields, added, files } = await draftVersion(list, last, place, settings);
    // Signed before anything is written: where that fails, all stays as it is.
    const draft = await signManifest(fields, keys);
    const notes = await readNotes(storage);
    const history = continueHistory(notes.history, last, draft, added, jumps);
    const isSame = [here, last].every((manifest) => manifest?.sha256 === draft.sha256);
    const names = [...files.map(({ file }) => file.url), ...jumpNames(history, jumps)];
    const manifests = [here, last, draft];
    await tidy(storage, notes, { manifests, names, history }, Date.parse(draft.created));
    for (const { file, content } of [...brought.values(), ...files]) {
      if ((await find(storage, file)) === undefined) await storage.set(file.url, content);
    }
    // An unchanged list has those that it had, unless somebody removed them.
    const isDue = !isSame || copyOwn({ ...last }).jumps === jumpPrefix;
    const hasJumps =
      isDue &&
      ((isSame && (await hasAny(storage, jumpNames(history, jumps)))) ||
        (await writeJumps(list, history, draft.snapshot.bytes, place, storage, jumps)) > 0);
    const manifest = hasJumps ? await signManifest({ ...fields, jumps: jumpPrefix }, keys) : draft;
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
 * version before, the jumps from older versions, and the signed manifest.json. An unchanged list renews the manifest alone.
 * Clients of an older version take a jump, which is one delta. Where there is none they follow the chain of deltas, if
 * that is less than the list. Files that the manifest names no more are removed a day later, and old jumps an hour later.
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
