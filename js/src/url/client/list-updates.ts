// From the list in hand to the one that a manifest names: by a jump, the chain of deltas or the snapshot
// (cpp/FORMAT.md, section 7.5).

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

/** What a new list is made with. */
export interface ListSource {
  readonly rule: HostRule;
  readonly maxBytes: number;
  /** The manifest's URL, which those of its files may be relative to. */
  readonly base: string;
  readonly download: Downloader;
  /** Whether the jump to the manifest's list may be there, as far as is known. */
  readonly mayJump: boolean;
  /** Called where the server has no such jump. */
  readonly onNoJump: () => void;
  /** What `action` gives, if it ends within the time that a download may take. */
  readonly withTimeout: <T>(action: (signal: AbortSignal) => Promise<T>) => Promise<T>;
}

/** What a URL has, of at most `maxBytes`. `onMissing` is called where the server has no such file. */
type Downloader = (
  url: string,
  maxBytes: number,
  signal: AbortSignal,
  onMissing?: () => void,
) => Promise<Uint8Array>;

export interface Obtained {
  /** A list of its own, or the one that was in hand where that is it. */
  readonly list: UrlList;
  /** Bytes of the files that were downloaded for it, also of jumps and deltas that then failed. */
  readonly receivedBytes: number;
  readonly by: 'none' | 'jump' | 'deltas' | 'snapshot';
}

/** What a server has there. TOO_LARGE for more than `maxBytes`, UNAVAILABLE. */
export async function download(
  fetch: Fetch,
  url: string,
  maxBytes: number,
  init: RequestInit & { readonly signal: AbortSignal },
  onMissing?: () => void,
): Promise<Uint8Array> {
  const response = await send(fetch, url, init);
  const { ok, status } = response;
  // Some static hosts say 403 of a file that is not there.
  if ([403, 404, 410].includes(status)) onMissing?.();
  if (!ok) throw unavailableError(`${url}: the server answered ${status}`);
  return readBody(response, maxBytes, init.signal);
}

/** A file that a manifest names, each byte as it was signed. TRUNCATED, TOO_LARGE, CORRUPT, UNAVAILABLE. */
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

/** The deltas from a list of that identity to the manifest's, in order; undefined where there is no such chain. */
function chainFrom(from: string, { deltas }: Manifest): readonly ManifestDelta[] | undefined {
  // A list may have had the same content twice: the later place is the shorter way.
  const start = deltas.map((delta) => delta.from).lastIndexOf(from);
  return start < 0 ? undefined : deltas.slice(start);
}

/** The list that the bytes of a delta make of `list`. */
function applyBytes(list: UrlList, bytes: Uint8Array): UrlList {
  const delta = UrlDelta.fromBytes(bytes);
  try {
    return list.apply(delta);
  } finally {
    delta.dispose();
  }
}

/** The list after the whole chain; `list` itself stays as it is, and in use. */
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
      // For a fetch that does not heed it.
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
 * The list that the manifest names. A jump is taken where there is one, and the chain where that has fewer bytes than the
 * snapshot. The snapshot follows where neither is there, or they fail. Rejects as `source.download` and readList do.
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
  /** As one download: a way has fewer bytes than the snapshot, which may take as long. Undefined where it fails. */
  const tryWay = async (
    by: 'jump' | 'deltas',
    go: (signal: AbortSignal) => Promise<UrlList>,
  ): Promise<Obtained | undefined> => {
    try {
      const list = requireNamed(await source.withTimeout(go), manifest);
      return { list, receivedBytes, by };
    } catch {
      // Whatever was wrong with it, the other ways do not depend on it.
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
          // Nobody signed it: what it leads to is compared with what is signed.
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

/** The first 4 bytes, in hexadecimal, of `count` entries picked at random. */
export function randomPrefixes(list: UrlList, count: number, random: () => number): string[] {
  if (count === 0 || list.count === 0) return [];
  const prefixes = list.prefixes();
  return Array.from({ length: count }, () => {
    const at = Math.min(Math.floor(random() * list.count), list.count - 1) * list.prefixBytes;
    return hexOf(prefixes.subarray(at, at + 4));
  });
}
