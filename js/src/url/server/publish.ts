// Publishes a new version of a list into a storage that a static host serves (cpp/FORMAT.md, section 7.1). The storage
// always has a complete manifest and all its files, even if the process ends at any point.

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
  /** Other public keys, at most 16, that may have signed the current manifest: the old one, when you change keys. */
  readonly publicKeys?: readonly PublicKey[];
  /**
   * Where to read the previous version: its manifest.json and files. Pass it if `storage` starts empty, as in CI. If
   * `storage` contains a version too, the new version follows the version with the higher `seq`. If `previous` has the
   * higher `seq`, its snapshot and deltas are copied to `storage`, if `publishList` named them.
   */
  readonly previous?: Pick<UrlStorage, 'get'>;
  /** A name of this version for people, in the characters of `name`; default: the time of publishing. */
  readonly version?: string;
  /** How long clients may use the list, in milliseconds; default 7 days. */
  readonly lifetimeMs?: number;
  /**
   * The number of earlier versions that get a jump: one delta directly to this version. Default 128, at most 1024; 0
   * makes none. `publishList` computes the jumps from earlier files in `storage`: keep them all, with files.json. The
   * oldest version with a jump is `previous`, or the first version in `storage`.
   */
  readonly jumps?: number;
  /** The maximum number of deltas, each to the next version. Default 8, or 64 if `jumps` is 0; at most 4096. */
  readonly maxDeltas?: number;
  /** Replaces `Date.now`. `seq` is at least its time in seconds. @internal */
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
  // Only own members, so that no value comes from Object.prototype.
  return copyOwn({ ...defaults, ...values });
}

type Settings = ReturnType<typeof settingsOf>;

/** Makes the delta from the list of `last`. Resolves to undefined if that list is missing or unreadable. */
async function makeDelta(
  list: UrlList,
  last: Manifest,
  place: Place,
): Promise<NewFile | undefined> {
  const bytes = await find(place, last.snapshot);
  // A list in another release's format gives no delta.
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
 * Finds the newest deltas that lead to the list without a gap, and together are smaller than the snapshot. `added` is
 * the new delta from the list of `last`; it is not stored yet. If it is too large, `deltas` does not contain it.
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

/** Drafts the version after `last`, whose files are in `place`: the fields of its manifest, and the files to store. */
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
      `the clock says ${created}, but the last version was made ${last.created}; set the clock`,
    );
  }
  const fields: ManifestFields = {
    list: name,
    // At least the time, so that clients accept a new version even if the publisher has lost the earlier ones.
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

/** Publishes the version after the newest in `storage` and `previous`. Retries if another process publishes first. */
async function publish(list: UrlList, settings: Settings): Promise<Manifest> {
  const { name, storage, signingKeys, publicKeys, previous, jumps } = settings;
  const signer = await trustKey(signingKeys.publicKey, 'publishList: signingKeys.publicKey');
  const known = [signer, ...(await trustKeys(publicKeys))];
  /** Reads a manifest, even an expired one. Throws unless it is for this list and rule, and signed with a known key. */
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
    // The files to copy: those of `previous`, if it is newer.
    const copied = await findAll(previous ?? storage, isPreviousNewer ? ofPrevious : undefined);
    const place = { get: (key: string) => copied.get(key)?.content ?? storage.get(key) };
    const { fields, added, files } = await draftVersion(list, last, place, settings);
    // The manifest is signed before anything is written, so that a failure changes nothing.
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
    // An inherited member does not count, because it is not signed.
    const hadJumps = copyOwn({ ...last }).jumps === jumpPrefix;
    // An unchanged list keeps its jumps. If all were deleted, they are written again.
    let hasJumps = isUnchanged && hadJumps && (await hasAny(storage, jumpNames(history, jumps)));
    if (!isUnchanged || (hadJumps && !hasJumps)) {
      const { bytes } = draft.snapshot;
      hasJumps = (await writeJumps(list, history, bytes, place, storage, jumps)) > 0;
    }
    const withJumps = { ...fields, jumps: jumpPrefix };
    const manifest = hasJumps ? await signManifest(withJumps, signingKeys) : draft;
    // If another process has published in the meantime, start again after its version. Strings compare the content.
    if (String(await readBytes(storage, manifestName)) !== String(currentBytes)) continue;
    await storage.set(manifestName, jsonBytes(manifest));
    return manifest;
  }
}

/**
 * Publishes a new version of a list into a storage that a static host serves. It writes the list, the delta from the
 * previous version, the jumps from older versions, and the signed manifest.json. For an unchanged list it only renews
 * the manifest. Clients update with a jump, which is one delta. If there is none, they apply a chain of deltas that is
 * smaller than the list. Files that the manifest no longer names are deleted after a day, and old jumps after an hour.
 *
 * `seq` is the Unix time in seconds, or the previous `seq` plus one if that is larger. So clients accept this version
 * even if `storage` was empty, unless the clock was set back or both versions were made in the same second. Without the
 * previous version there is no delta, and clients download the whole list. To avoid that, pass `previous`.
 *
 * If the call fails or is killed, either the old or the new version is complete. Calls for one storage run one after
 * another. Other processes should not publish into it at the same time.
 *
 * Rejects with ERR_TAMIS_CORRUPT or ERR_TAMIS_BAD_SIGNATURE if the manifest in `storage` or `previous` is damaged, or
 * signed with none of `signingKeys` and `publicKeys`. Rejects with ERR_TAMIS_INCOMPATIBLE if that manifest is for
 * another list or rule, with ERR_TAMIS_UNAVAILABLE if `previous` has no manifest, with ERR_TAMIS_UNSUPPORTED if the
 * engine lacks Ed25519, and with the storage's own errors. Wrong options reject with TypeError or RangeError.
 * RangeError also means that the clock was set back too far: the new version would expire before the old one was made.
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
