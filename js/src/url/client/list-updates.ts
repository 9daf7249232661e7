// From the list in hand to the one that a manifest names: by its chain of deltas or by the snapshot
// (cpp/FORMAT.md, section 7.5).

import { TamisError } from '../../core/errors.js';
import { type Fetch, readBody, send, unavailableError } from '../../core/requests.js';
import { hexOf, sha256Hex } from '../../core/signed/bytes.js';
import type { HostRule } from '../list/expressions.js';
import { UrlDelta } from '../list/url-delta.js';
import { UrlList } from '../list/url-list.js';
import type { Manifest, ManifestDelta, ManifestFile } from '../signed/manifest-fields.js';

/** What a new list is made with. */
export interface ListSource {
  readonly rule: HostRule;
  readonly maxBytes: number;
  /** The file's bytes, as they were signed. */
  readonly fetchFile: FileFetcher;
  /** What `action` gives, if it ends within the time that a download may take. */
  readonly withTimeout: <T>(action: (signal: AbortSignal) => Promise<T>) => Promise<T>;
}

type FileFetcher = (file: ManifestFile, signal: AbortSignal) => Promise<Uint8Array>;

export interface Obtained {
  /** A list of its own, or the one that was in hand where that is it. */
  readonly list: UrlList;
  /** Bytes of the files that were downloaded for it, also of deltas that then failed. */
  readonly receivedBytes: number;
  readonly by: 'none' | 'deltas' | 'snapshot';
}

/** A file that a manifest names, each byte as it was signed. TRUNCATED, TOO_LARGE, CORRUPT, UNAVAILABLE. */
export async function fetchFile(
  fetch: Fetch,
  file: ManifestFile,
  base: string,
  init: RequestInit & { readonly signal: AbortSignal },
): Promise<Uint8Array> {
  const url = new URL(file.url, base).href;
  const response = await send(fetch, url, init);
  if (!response.ok) throw unavailableError(`${url}: the server answered ${response.status}`);
  const bytes = await readBody(response, file.bytes, init.signal);
  if (bytes.length < file.bytes) {
    const message = `${url}: expected ${file.bytes} bytes, got ${bytes.length}`;
    throw new TamisError('ERR_TAMIS_TRUNCATED', message);
  }
  if ((await sha256Hex(bytes)) !== file.sha256) {
    throw new TamisError('ERR_TAMIS_CORRUPT', `${url}: not the file that the manifest names`);
  }
  return bytes;
}

/** Whether the list is the one that the manifest names, entry for entry. */
function isNamed(list: UrlList, manifest: Manifest): boolean {
  return (
    hexOf(list.identity) === manifest.sha256 &&
    list.rule === manifest.rule &&
    list.prefixBytes === manifest.prefixBytes &&
    list.count === manifest.n
  );
}

/** `list`, or CORRUPT where the manifest names another one. */
function requireNamed(list: UrlList, manifest: Manifest): UrlList {
  if (isNamed(list, manifest)) return list;
  list.dispose();
  throw new TamisError('ERR_TAMIS_CORRUPT', 'not the list that the manifest names');
}

/** The list in `bytes`, if it is the one that the manifest names. CORRUPT, or as UrlList.fromBytes. */
export function readList(
  bytes: Uint8Array,
  manifest: Manifest,
  { rule, maxBytes }: Pick<ListSource, 'rule' | 'maxBytes'>,
): UrlList {
  return requireNamed(UrlList.fromBytes(bytes, { rule, maxBytes }), manifest);
}

/** The deltas from the list to the manifest's, in order; undefined where there is no such chain. */
function chainFrom(list: UrlList, manifest: Manifest): readonly ManifestDelta[] | undefined {
  const from = hexOf(list.identity);
  const isSameKind = list.rule === manifest.rule && list.prefixBytes === manifest.prefixBytes;
  // A list may have had the same content twice: the later place is the shorter way.
  const start = manifest.deltas.map((delta) => delta.from).lastIndexOf(from);
  return isSameKind && start >= 0 ? manifest.deltas.slice(start) : undefined;
}

/** The list after the whole chain; `list` itself stays as it is, and in use. */
async function follow(
  list: UrlList,
  chain: readonly ManifestDelta[],
  fetchFile: FileFetcher,
  signal: AbortSignal,
): Promise<UrlList> {
  let latest = list;
  for (const file of chain) {
    let next: UrlList;
    try {
      const bytes = await fetchFile(file, signal);
      // For a fetch that does not heed it.
      signal.throwIfAborted();
      const delta = UrlDelta.fromBytes(bytes);
      try {
        next = latest.apply(delta);
      } finally {
        delta.dispose();
      }
    } finally {
      if (latest !== list) latest.dispose();
    }
    latest = next;
  }
  return latest;
}

/**
 * The list that the manifest names. The chain is taken where it has fewer bytes than the snapshot, and
 * the snapshot where there is no chain or it fails. Rejects as `source.fetchFile` and readList do.
 */
export async function obtainList(
  manifest: Manifest,
  inHand: UrlList | undefined,
  source: ListSource,
  signal: AbortSignal,
): Promise<Obtained> {
  if (inHand !== undefined && isNamed(inHand, manifest)) {
    return { list: inHand, receivedBytes: 0, by: 'none' };
  }
  const { snapshot } = manifest;
  if (snapshot.bytes > source.maxBytes) {
    const message = `the list has ${snapshot.bytes} bytes, over maxBytes ${source.maxBytes}`;
    throw new TamisError('ERR_TAMIS_TOO_LARGE', message);
  }
  let receivedBytes = 0;
  const fetchFile: FileFetcher = async (file, signal) => {
    const found = await source.fetchFile(file, signal);
    receivedBytes += found.length;
    return found;
  };
  const chain = inHand && chainFrom(inHand, manifest);
  const chainBytes = chain?.reduce((sum, { bytes }) => sum + bytes, 0) ?? Infinity;
  if (inHand && chain && chainBytes < snapshot.bytes) {
    try {
      // As one download: it has fewer bytes than the snapshot, which may take as long.
      const list = await source.withTimeout((signal) => follow(inHand, chain, fetchFile, signal));
      return { list: requireNamed(list, manifest), receivedBytes, by: 'deltas' };
    } catch {
      // Whatever was wrong with the deltas, the snapshot does not depend on them.
      signal.throwIfAborted();
    }
  }
  const file = await source.withTimeout((signal) => fetchFile(snapshot, signal));
  return { list: readList(file, manifest, source), receivedBytes, by: 'snapshot' };
}

/** The first 4 bytes, in hexadecimal, of `count` entries picked at random. */
export function randomPrefixes(list: UrlList, count: number, random: () => number): string[] {
  if (count === 0 || list.count === 0) return [];
  const prefixes = list.prefixes();
  return Array.from({ length: count }, () => {
    const at = Math.min(Math.floor(random() * list.count), list.count - 1) * list.prefixBytes;
    return hexOf(prefixes.subarray(at, at + 4));
  });
}
