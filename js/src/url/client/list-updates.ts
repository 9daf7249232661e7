// Obtains the list that a manifest names: by a jump, a chain of deltas, or the snapshot (cpp/FORMAT.md, section 7.5).

import { TamisError } from '../../core/errors.js';
import { type Fetch, readBody, send, unavailableError } from '../../core/requests.js';
import { hexOf, sha256Hex } from '../../core/signed/bytes.js';
import type { HostRule } from '../list/expressions.js';
import { UrlDelta } from '../list/url-delta.js';
import { UrlList } from '../list/url-list.js';
import {
  findJump,
  type Manifest,
  type ManifestDelta,
  type ManifestFile,
} from '../signed/manifest-fields.js';

/** The means to obtain a list. */
export interface ListSource {
  readonly rule: HostRule;
  readonly maxBytes: number;
  /** The manifest's URL. The URLs of files are relative to it. */
  readonly base: string;
  readonly download: Downloader;
  /** False if the server is known to lack the jump to this list. */
  readonly mayJump: boolean;
  /** Called if the server lacks the jump. */
  readonly onNoJump: () => void;
  /** Runs `action` within the time limit of a download. */
  readonly withTimeout: <T>(action: (signal: AbortSignal) => Promise<T>) => Promise<T>;
}

/** Downloads a URL, at most `maxBytes`. Calls `onMissing` if the server lacks the file. */
type Downloader = (
  url: string,
  maxBytes: number,
  signal: AbortSignal,
  onMissing?: () => void,
) => Promise<Uint8Array>;

export interface Obtained {
  /** A new list, or the current one if it is the right one already. */
  readonly list: UrlList;
  /** Downloaded bytes, including those of jumps and deltas that failed. */
  readonly receivedBytes: number;
  readonly by: 'none' | 'jump' | 'deltas' | 'snapshot';
}

/** Downloads a URL. Rejects with ERR_TAMIS_TOO_LARGE above `maxBytes`, and with ERR_TAMIS_UNAVAILABLE. */
export async function download(
  fetch: Fetch,
  url: string,
  maxBytes: number,
  init: RequestInit & { readonly signal: AbortSignal },
  onMissing?: () => void,
): Promise<Uint8Array> {
  const response = await send(fetch, url, init);
  const { ok, status } = response;
  // Some static hosts answer 403 for a missing file.
  if ([403, 404, 410].includes(status)) onMissing?.();
  if (!ok) throw unavailableError(`${url}: the server answered ${status}`);
  return readBody(response, maxBytes, init.signal);
}

/**
 * Downloads a file that the manifest names, and checks its signed digest. Rejects with ERR_TAMIS_TRUNCATED,
 * ERR_TAMIS_TOO_LARGE, ERR_TAMIS_CORRUPT or ERR_TAMIS_UNAVAILABLE.
 */
async function fetchFile(
  { url: name, bytes: size, sha256 }: ManifestFile,
  { base, download }: Pick<ListSource, 'base' | 'download'>,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const url = new URL(name, base).href;
  const bytes = await download(url, size, signal);
  if (bytes.length < size) {
    const message = `${url}: expected ${size} bytes, got ${bytes.length}`;
    throw new TamisError('ERR_TAMIS_TRUNCATED', message);
  }
  if ((await sha256Hex(bytes)) !== sha256) {
    throw new TamisError('ERR_TAMIS_CORRUPT', `${url}: not the file that the manifest names`);
  }
  return bytes;
}

/** True if the list is exactly the one that the manifest names. */
function isNamed(list: UrlList, manifest: Manifest): boolean {
  return (
    hexOf(list.identity) === manifest.sha256 &&
    list.rule === manifest.rule &&
    list.prefixBytes === manifest.prefixBytes &&
    list.count === manifest.n
  );
}

/** Returns `list`. Throws ERR_TAMIS_CORRUPT if the manifest names another. */
function requireNamed(list: UrlList, manifest: Manifest): UrlList {
  if (isNamed(list, manifest)) return list;
  list.dispose();
  throw new TamisError('ERR_TAMIS_CORRUPT', 'not the list that the manifest names');
}

/** Reads the list that the manifest names. Throws ERR_TAMIS_CORRUPT, or as UrlList.fromBytes does. */
export function readList(
  bytes: Uint8Array,
  manifest: Manifest,
  { rule, maxBytes }: Pick<ListSource, 'rule' | 'maxBytes'>,
): UrlList {
  return requireNamed(UrlList.fromBytes(bytes, { rule, maxBytes }), manifest);
}

/**
 * The deltas from the list with identity `from` to the manifest's list, in order; undefined if there is no such chain.
 */
function chainFrom(from: string, { deltas }: Manifest): readonly ManifestDelta[] | undefined {
  // A list may return to earlier content. The last match gives the shorter chain.
  const start = deltas.map((delta) => delta.from).lastIndexOf(from);
  return start < 0 ? undefined : deltas.slice(start);
}

/** Applies the bytes of a delta to `list`. */
function applyBytes(list: UrlList, bytes: Uint8Array): UrlList {
  const delta = UrlDelta.fromBytes(bytes);
  try {
    return list.apply(delta);
  } finally {
    delta.dispose();
  }
}

/** Applies the whole chain. `list` itself stays usable. */
async function follow(
  list: UrlList,
  chain: readonly ManifestDelta[],
  source: Pick<ListSource, 'base' | 'download'>,
  signal: AbortSignal,
): Promise<UrlList> {
  let latest = list;
  for (const file of chain) {
    let next: UrlList;
    try {
      const bytes = await fetchFile(file, source, signal);
      // In case `fetch` ignores the signal.
      signal.throwIfAborted();
      next = applyBytes(latest, bytes);
    } finally {
      if (latest !== list) latest.dispose();
    }
    latest = next;
  }
  return latest;
}

/**
 * Obtains the list that the manifest names. It tries the jump first, then the chain of deltas if that has fewer bytes
 * than the snapshot, then the snapshot. Rejects as `source.download` and readList do.
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
  const counted = {
    base: source.base,
    download: async (...request: Parameters<Downloader>) => {
      const found = await source.download(...request);
      receivedBytes += found.length;
      return found;
    },
  };
  /** Tries a way as one download; undefined if it fails. */
  const tryWay = async (
    by: 'jump' | 'deltas',
    go: (signal: AbortSignal) => Promise<UrlList>,
  ): Promise<Obtained | undefined> => {
    try {
      const list = requireNamed(await source.withTimeout(go), manifest);
      return { list, receivedBytes, by };
    } catch {
      // The other ways do not depend on this one.
      signal.throwIfAborted();
      return undefined;
    }
  };
  const { rule, prefixBytes } = manifest;
  if (inHand !== undefined && inHand.rule === rule && inHand.prefixBytes === prefixBytes) {
    const from = hexOf(inHand.identity);
    const jump = source.mayJump ? findJump(manifest, from) : undefined;
    const chain = chainFrom(from, manifest);
    const chainBytes = chain?.reduce((sum, { bytes }) => sum + bytes, 0) ?? Infinity;
    const found =
      (jump &&
        (await tryWay('jump', async (signal) => {
          // The file itself is not signed. Its result is compared with the signed manifest.
          const url = new URL(jump, source.base).href;
          const bytes = await counted.download(url, snapshot.bytes, signal, source.onNoJump);
          signal.throwIfAborted();
          return applyBytes(inHand, bytes);
        }))) ||
      (chain &&
        chainBytes < snapshot.bytes &&
        (await tryWay('deltas', (signal) => follow(inHand, chain, counted, signal))));
    if (found) return found;
  }
  const file = await source.withTimeout((signal) => fetchFile(snapshot, counted, signal));
  return { list: readList(file, manifest, source), receivedBytes, by: 'snapshot' };
}

/** The first 4 bytes, in hexadecimal, of `count` random entries. */
export function randomPrefixes(list: UrlList, count: number, random: () => number): string[] {
  if (count === 0 || list.count === 0) return [];
  const prefixes = list.prefixes();
  return Array.from({ length: count }, () => {
    const at = Math.min(Math.floor(random() * list.count), list.count - 1) * list.prefixBytes;
    return hexOf(prefixes.subarray(at, at + 4));
  });
}
