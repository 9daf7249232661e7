// Publishes a new version of a list into a storage that a static host serves (cpp/FORMAT.md, section 7.1). If the
// process ends at any point, there is a complete manifest with all its files.

import { mustBe, rangeError, TamisError } from '../../core/errors.js';
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
import { withDelta } from '../list/url-delta.js';
import { UrlList, urlList } from '../list/url-list.js';
import {
  expectManifest,
  label,
  listManifest,
  type Manifest,
  type ManifestDelta,
  type ManifestFields,
  mostDeltas,
  type ShownFields,
  shownFields,
  shownReaders,
  signManifest,
} from '../signed/manifest.js';
import { inTurn, readBytes, storageReader, type UrlStorage } from '../signed/storage.js';
import {
  continueHistory,
  find,
  findAll,
  hasAny,
  jumpNames,
  jumpPrefix,
  makeFile,
  mostJumps,
  type NewFile,
  type Place,
  readNotes,
  tidy,
  tryToRead,
  writeJumps,
} from './published-files.js';

/** Options of publishList. */
export interface PublishOptions extends ShownFields {
  /** The list's name, up to 64 characters of printable ASCII: the manifest's `list`. */
  readonly name: string;
  /** The storage that is served, for example `fileStorage(folder)`. */
  readonly storage: UrlStorage;
  /** The pair that signs the manifest. Clients need its public key in their `publicKeys`. */
  readonly signingKeys: SigningKeys;
  /** At most 16 other public keys that may have signed the current manifest. They allow a change of signing keys. */
  readonly publicKeys?: readonly PublicKey[];
  /**
   * The place of the version before: its manifest.json and files. It is for a `storage` that starts empty, as in CI.
   * The new version follows the one with the higher `seq`, there or in `storage`. Files that `publishList` named are
   * copied from there.
   */
  readonly previous?: Pick<UrlStorage, 'get'>;
  /** A name of this version for people, like `name`; default: the time of publishing. */
  readonly version?: string;
  /** The time for which clients may use the list, in milliseconds; default 7 days. */
  readonly lifetimeMs?: number;
  /**
   * The number of earlier versions with a jump: one delta directly to this version; default 128, at most 1024, 0 for
   * none. The publisher computes each. They start at `previous`, or at the first version in `storage`, whose files and
   * files.json must stay.
   */
  readonly jumps?: number;
  /** The most deltas in the manifest, each to the next version; default 8, or 64 without jumps. At most 4096. */
  readonly maxDeltas?: number;
  /** Replaces `Date.now`. Its seconds are the least `seq`. @internal */
  readonly now?: () => number;
}

const manifestName = 'manifest.json';
const day = 24 * 3600 * 1000;
const longestLifetimeMs = 3660 * day;

const ownStorage: Reader<UrlStorage> = (value, name) => {
  if (typeof value === 'object') return storageReader(value, name);
  throw mustBe('an object with get and set', name, value);
};
const previousReader: Reader<Place> = (value, name) => {
  const place: Place = Object(value);
  if (typeof place.get === 'function') return place;
  throw mustBe('an object with get', name, value);
};

function settingsOf(options: PublishOptions) {
  const what = 'publishList';
  const readers = {
    name: label,
    storage: ownStorage,
    signingKeys: signingKeysReader,
    publicKeys: publicKeysReader,
    previous: previousReader,
    version: label,
    ...shownReaders(),
    lifetimeMs: integer(1, longestLifetimeMs),
    jumps: integer(0, mostJumps),
    maxDeltas: integer(0, mostDeltas),
    now: callable<() => number>(),
  };
  const values = readOptions(options, readers, what);
  need(values, what, 'name', 'storage', 'signingKeys');
  const defaults = {
    publicKeys: [],
    lifetimeMs: 7 * day,
    jumps: 128,
    maxDeltas: values.jumps === 0 ? 64 : 8,
    now: () => Date.now(),
  };
  // Own members only, so that nothing comes from Object.prototype.
  return copyOwn({ ...defaults, ...values });
}

type Settings = ReturnType<typeof settingsOf>;

/** Makes the delta from the list of `last`; undefined if that list is missing or unreadable. */
async function makeDelta(
  list: UrlList,
  last: Manifest,
  place: Place,
): Promise<NewFile | undefined> {
  const bytes = await find(place, last.snapshot);
  // A list in the format of another release gives no delta.
  const base = bytes && tryToRead(() => UrlList.fromBytes(bytes));
  if (base === undefined) return undefined;
  try {
    const content = withDelta(list.diff(base), (delta) => delta.toBytes());
    return await makeFile('delta', content);
  } finally {
    base.dispose();
  }
}

/**
 * Finds the deltas that lead to the list: the newest, without a gap, that together are smaller than the snapshot.
 * `added` is the delta from the list of `last`, which is not stored yet. It may be too large for the chain.
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
    const isEnough = sum >= snapshotBytes || deltas.length === maxDeltas;
    const exists = delta.url === added?.file.url || (await find(place, delta)) !== undefined;
    if (isEnough || !exists) break;
    deltas.unshift(delta);
  }
  return { deltas, added };
}

/** Drafts the version after `last`, whose files are in `place`. Returns its fields, and the `files` to store. */
async function draftVersion(
  list: UrlList,
  last: Manifest | undefined,
  place: Place,
  settings: Settings,
) {
  const { name, lifetimeMs, maxDeltas, now } = settings;
  const snapshot = await makeFile('snapshot', list.toBytes());
  const { deltas, added } = await findChain(list, last, snapshot.file.bytes, place, maxDeltas);
  const nowMs = between(0, 8.64e15 - lifetimeMs)(now(), 'publishList: now()');
  const created = new Date(nowMs).toISOString();
  const notAfter = new Date(nowMs + lifetimeMs).toISOString();
  if (last && Date.parse(notAfter) <= Date.parse(last.created)) {
    throw rangeError(
      `the clock says ${created}: this would expire before the version of ${last.created}`,
    );
  }
  const fields: ManifestFields = {
    list: name,
    // At least the time, so that clients accept a publisher that lost its earlier versions.
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
    ...shownFields(settings),
  };
  // The delta is stored if the manifest names it, or if jumps may be computed from it later.
  const needsDelta = deltas.length > 0 || settings.jumps > 0;
  return { fields, added, files: added && needsDelta ? [snapshot, added] : [snapshot] };
}

/** Publishes the version after the newer one of `storage` and `previous`; again if another process does meanwhile. */
async function publish(list: UrlList, settings: Settings): Promise<Manifest> {
  const { name, storage, signingKeys, publicKeys, previous, jumps } = settings;
  const signer = await trustKey(signingKeys.publicKey, 'publishList: signingKeys.publicKey');
  const known = [signer, ...(await trustKeys(publicKeys))];
  /** Reads a manifest, even if it has expired. Throws unless it is of this list and rule, and signed by a known key. */
  const read = async (bytes: Uint8Array | undefined) => {
    const manifest = bytes && (await openManifest(listManifest, bytes, known));
    if (manifest === undefined) return undefined;
    expectManifest(manifest, { name, nowMs: -Infinity });
    if (manifest.rule === list.rule) return manifest;
    const what = `'${name}' is published with the rule '${manifest.rule}', and this list has '${list.rule}'`;
    const cure = 'build it with the published rule, or publish it under another name';
    throw new TamisError('ERR_TAMIS_INCOMPATIBLE', `${what}: ${cure}`);
  };
  const ofPrevious = previous && (await read(await readBytes(previous, manifestName)));
  if (previous && !ofPrevious) throw unavailableError(`previous has no ${manifestName}`);
  for (;;) {
    const currentBytes = await readBytes(storage, manifestName);
    const current = await read(currentBytes);
    const isPreviousNewer = ofPrevious !== undefined && ofPrevious.seq > (current?.seq ?? 0);
    const last = isPreviousNewer ? ofPrevious : current;
    // The files to copy from `previous`: none, unless it is newer.
    const copied = await findAll(previous ?? storage, isPreviousNewer ? ofPrevious : undefined);
    const place = { get: (key: string) => copied.get(key)?.content ?? storage.get(key) };
    const { fields, added, files } = await draftVersion(list, last, place, settings);
    // Signed before anything is written, so that a failure changes nothing.
    const draft = await signManifest(fields, signingKeys);
    const notes = await readNotes(storage);
    const delta = added?.file.sha256;
    const history = continueHistory(notes.history, last, draft.sha256, delta, jumps);
    const isUnchanged = [current, last].every((manifest) => manifest?.sha256 === draft.sha256);
    const inUse = [...files.map(({ file }) => file.url), ...jumpNames(history, jumps)];
    await tidy(storage, notes, [current, last, draft], inUse, history, Date.parse(draft.created));
    for (const { file, content } of [...copied.values(), ...files]) {
      if ((await find(storage, file)) === undefined) await storage.set(file.url, content);
    }
    // An own member only, because no other is signed.
    const hadJumps = copyOwn({ ...last }).jumps === jumpPrefix;
    // An unchanged list keeps its jumps. They are written again if all were deleted.
    let hasJumps = isUnchanged && hadJumps && (await hasAny(storage, jumpNames(history, jumps)));
    if (!isUnchanged || (hadJumps && !hasJumps)) {
      const { bytes } = draft.snapshot;
      hasJumps = (await writeJumps(list, history, bytes, place, storage, jumps)) > 0;
    }
    const withJumps = { ...fields, jumps: jumpPrefix };
    const manifest = hasJumps ? await signManifest(withJumps, signingKeys) : draft;
    // If another process published in the meantime, start again after its version. Strings compare the content.
    if (String(await readBytes(storage, manifestName)) !== String(currentBytes)) continue;
    await storage.set(manifestName, jsonBytes(manifest));
    return manifest;
  }
}

/**
 * Publishes a new version of a list into a storage that a static host serves. It writes the list, the delta from the
 * version before, the jumps from older versions, and the signed manifest.json. For an unchanged list it only renews the
 * manifest. Clients update by a jump, which is one delta. Without a jump they follow the chain of deltas, if that is
 * smaller than the list. Files that the manifest no longer names are deleted after a day, old jumps after an hour.
 *
 * `seq` grows by one, and is at least the seconds since 1970. So clients accept this version even if `storage` was
 * empty, unless the clock was set back, or both versions are of one second. Without the version before there is no
 * delta, and clients download the whole list. To avoid that, give `previous`.
 *
 * If it fails or is killed, the old or the new version is complete. Calls for one storage run one after another. Other
 * processes should not publish into it at the same time.
 *
 * Rejects with ERR_TAMIS_CORRUPT or ERR_TAMIS_BAD_SIGNATURE if neither `signingKeys` nor `publicKeys` signed the
 * manifest in `storage` or `previous`. If that is of another list or rule, rejects with ERR_TAMIS_INCOMPATIBLE. Rejects
 * with ERR_TAMIS_UNAVAILABLE if `previous` has no manifest, with ERR_TAMIS_UNSUPPORTED without Ed25519, and as the
 * storage does. Wrong options reject with TypeError or RangeError. RangeError also means that the clock was set back
 * too far: the new version would expire before the old one was made.
 *
 * @example
 * import { memoryStorage, publishList, UrlListBuilder } from 'tamis/url';
 * const signingKeys = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']);
 * const storage = memoryStorage(); // fileStorage('public/phish') for a web server
 * const older = new UrlListBuilder().addHosts(['evil.example']).build();
 * const now = () => Date.parse('2026-11-22T00:00:00.000Z'); // in earnest leave it out
 * await publishList(older, { name: 'phish', storage, signingKeys, now });
 * const hosts = ['evil.example', 'bad.example'];
 * const newer = new UrlListBuilder().addHosts(hosts).build();
 * const { seq, n } = await publishList(newer, { name: 'phish', storage, signingKeys, now });
 * seq; // => 1795305601
 * n; // => 2
 */
export async function publishList(list: UrlList, options: PublishOptions): Promise<Manifest> {
  urlList(list, 'publishList: list');
  const settings = settingsOf(options);
  return inTurn(settings.storage, () => publish(list, settings));
}
