// Obtains a manifest's list: by one delta (a jump), a chain of deltas, or whole (cpp/FORMAT.md, section 7.5).

import { TamisError } from '../../core/errors.js';
import { readBody, send, unavailableError, withTimeout } from '../../core/requests.js';
import { hexOf, sha256Hex } from '../../core/signed/bytes.js';
import { UrlDelta, withDelta } from '../list/url-delta.js';
import { UrlList } from '../list/url-list.js';
import {
  findJump,
  type Manifest,
  type ManifestDelta,
  type ManifestFile,
} from '../signed/manifest.js';
import type { CheckerConfig } from './checker-options.js';
import type { UpdateResult } from './update-schedule.js';

interface Obtained {
  /** A new list, or the old list if the manifest names it. */
  readonly list: UrlList;
  readonly by: UpdateResult['by'];
}

/** True if this is the list that the manifest names. */
function isNamed(list: UrlList, manifest: Manifest): boolean {
  return (
    hexOf(list.identity) === manifest.sha256 &&
    list.rule === manifest.rule &&
    list.prefixBytes === manifest.prefixBytes &&
    list.count === manifest.n
  );
}

/** Returns `list`. If the manifest names another list, disposes of `list` and throws ERR_TAMIS_CORRUPT. */
function requireNamed(list: UrlList, manifest: Manifest): UrlList {
  if (isNamed(list, manifest)) return list;
  list.dispose();
  throw new TamisError('ERR_TAMIS_CORRUPT', 'the list differs from the manifest');
}

/** Reads the list that the manifest names. Throws ERR_TAMIS_CORRUPT, and the errors of UrlList.fromBytes. */
function readList(
  bytes: Uint8Array,
  manifest: Manifest,
  { rule, maxBytes }: Pick<CheckerConfig, 'rule' | 'maxBytes'>,
): UrlList {
  return requireNamed(UrlList.fromBytes(bytes, { rule, maxBytes }), manifest);
}

const applyBytes = (list: UrlList, bytes: Uint8Array): UrlList =>
  withDelta(UrlDelta.fromBytes(bytes), (delta) => list.apply(delta));

interface DownloadConfig
  extends Pick<CheckerConfig, 'manifest' | 'rule' | 'maxBytes' | 'downloadTimeoutMs' | 'fetch'> {
  readonly cache: RequestCache | undefined;
  /** The signatures of manifests for which the server has no jump, so that each jump is requested only once. */
  readonly jumpless: Set<string>;
  readonly signal: AbortSignal;
}

export class Downloads {
  readonly #config: DownloadConfig;
  /** Downloaded bytes, including those of jumps and deltas that failed. */
  receivedBytes = 0;

  constructor(config: DownloadConfig) {
    this.#config = config;
  }

  /** Tries the jump, the chain of deltas, then the snapshot. Rejects with the errors of #downloadFile and readList. */
  async obtain(manifest: Manifest, old: UrlList | undefined): Promise<Obtained> {
    if (old !== undefined && isNamed(old, manifest)) return { list: old, by: 'none' };
    const { snapshot } = manifest;
    const { maxBytes } = this.#config;
    if (snapshot.bytes > maxBytes) {
      const message = `the list has ${snapshot.bytes} bytes, over maxBytes ${maxBytes}`;
      throw new TamisError('ERR_TAMIS_TOO_LARGE', message);
    }
    const changed = old && (await this.#change(old, manifest));
    if (changed) return changed;
    const bytes = await this.#inTime((signal) => this.#downloadFile(snapshot, signal));
    return { list: readList(bytes, manifest, this.#config), by: 'snapshot' };
  }

  /** Makes the list from an older list, with the jump or the chain of deltas; undefined if neither works. */
  async #change(old: UrlList, manifest: Manifest): Promise<Obtained | undefined> {
    if (old.rule !== manifest.rule || old.prefixBytes !== manifest.prefixBytes) return undefined;
    const from = hexOf(old.identity);
    const snapshotBytes = manifest.snapshot.bytes;
    const { manifest: base, jumpless } = this.#config;
    const jump = jumpless.has(manifest.sig) ? undefined : findJump(manifest, from);
    if (jump !== undefined) {
      const list = await this.#tryWay(manifest, async (signal) => {
        // The file is not signed, but the list that it leads to is compared with the signed manifest.
        const url = new URL(jump, base).href;
        const onMissing = () => jumpless.add(manifest.sig);
        const bytes = await this.#download(url, snapshotBytes, signal, onMissing);
        signal.throwIfAborted();
        return applyBytes(old, bytes);
      });
      if (list !== undefined) return { list, by: 'jump' };
    }
    // If the list has returned to earlier content, the last match gives the shortest chain.
    const start = manifest.deltas.map((delta) => delta.from).lastIndexOf(from);
    if (start < 0) return undefined;
    const chain = manifest.deltas.slice(start);
    if (chain.reduce((sum, { bytes }) => sum + bytes, 0) >= snapshotBytes) return undefined;
    const list = await this.#tryWay(manifest, (signal) => this.#follow(old, chain, signal));
    return list && { list, by: 'deltas' };
  }

  /** Makes the list in one way, with the time limit of one download; undefined if that fails. */
  async #tryWay(
    manifest: Manifest,
    make: (signal: AbortSignal) => Promise<UrlList>,
  ): Promise<UrlList | undefined> {
    try {
      return requireNamed(await this.#inTime(make), manifest);
    } catch {
      // The failure of one way is not final: the caller tries the next.
      this.#config.signal.throwIfAborted();
      return undefined;
    }
  }

  /** Applies the whole chain, and disposes of the lists in between. `list` itself stays usable. */
  async #follow(
    list: UrlList,
    chain: readonly ManifestDelta[],
    signal: AbortSignal,
  ): Promise<UrlList> {
    let latest = list;
    for (const file of chain) {
      let next: UrlList;
      try {
        const bytes = await this.#downloadFile(file, signal);
        // A custom `fetch` may ignore the signal.
        signal.throwIfAborted();
        next = applyBytes(latest, bytes);
      } finally {
        if (latest !== list) latest.dispose();
      }
      latest = next;
    }
    return latest;
  }

  #inTime<T>(action: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return withTimeout(this.#config.downloadTimeoutMs, this.#config.signal, action);
  }

  /** Downloads a file; calls `onMissing` if it is missing. Rejects with ERR_TAMIS_TOO_LARGE or _UNAVAILABLE. */
  async #download(
    url: string,
    maxBytes: number,
    signal: AbortSignal,
    onMissing?: () => unknown,
  ): Promise<Uint8Array> {
    const { fetch, cache } = this.#config;
    const response = await send(fetch, url, { ...(cache && { cache }), signal });
    const { ok, status } = response;
    // Some static hosts answer 403 for a missing file.
    if ([403, 404, 410].includes(status)) onMissing?.();
    if (!ok) throw unavailableError(`${url}: the server answered ${status}`);
    const bytes = await readBody(response, maxBytes, signal);
    this.receivedBytes += bytes.length;
    return bytes;
  }

  /** Downloads a file of the manifest. Rejects also with ERR_TAMIS_TRUNCATED or ERR_TAMIS_CORRUPT. */
  async #downloadFile(
    { url: name, bytes: size, sha256 }: ManifestFile,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    const url = new URL(name, this.#config.manifest).href;
    const bytes = await this.#download(url, size, signal);
    if (bytes.length < size) {
      const message = `${url}: expected ${size} bytes, got ${bytes.length}`;
      throw new TamisError('ERR_TAMIS_TRUNCATED', message);
    }
    if ((await sha256Hex(bytes)) !== sha256) {
      throw new TamisError('ERR_TAMIS_CORRUPT', `${url}: the file differs from the manifest`);
    }
    return bytes;
  }
}
