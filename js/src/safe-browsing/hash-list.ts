// Applies the server's answers to one list.

import { hexOf } from '../core/signed/bytes.js';
import type { HostRule } from '../url/list/expressions.js';
import { decodeV5, type RiceDeltas } from '../url/list/rice.js';
import { UrlList } from '../url/list/url-list.js';
import type { HashList } from './messages.js';
import { prefixBytesOf } from './options.js';
import { corrupt } from './protobuf.js';

/** A list with its version. */
export interface VersionedList {
  readonly list: UrlList;
  /** The server's name of this version. */
  readonly version: Uint8Array;
  /** True once the server has sent the whole list. Before that, more entries may be listed. */
  readonly isWhole: boolean;
}

/** True if the server has no more for now: it names a wait, or sent nothing new. */
export function isLast(old: VersionedList | undefined, answer: HashList): boolean {
  const { version, isPartial, waitMs } = answer;
  return waitMs > 0 || (isPartial && old !== undefined && hexOf(version) === hexOf(old.version));
}

function decode(deltas: RiceDeltas): Uint8Array<ArrayBuffer> {
  const { parameter, entriesCount } = deltas;
  if (parameter < 0 || entriesCount < 0) throw corrupt('a number of a list is negative');
  return decodeV5(deltas);
}

function toIndices(deltas: RiceDeltas): Uint32Array {
  const bytes = decode(deltas);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return Uint32Array.from({ length: bytes.length / 4 }, (_, i) => view.getUint32(4 * i));
}

function checkSha256(name: string, list: UrlList, sha256: Uint8Array): void {
  if (hexOf(list.sha256) !== hexOf(sha256)) throw corrupt(`the checksum of '${name}' is wrong`);
}

/**
 * The list after an answer; `before` itself if nothing changed. `before` stays usable. Throws ERR_TAMIS_CORRUPT if the
 * answer does not fit this list, or the result has another checksum; also ERR_TAMIS_OUT_OF_MEMORY and
 * ERR_TAMIS_TOO_LARGE.
 */
export function updateList(
  name: string,
  before: VersionedList | undefined,
  answer: HashList,
  rule: HostRule,
): VersionedList {
  const { version, isPartial, additions, removals, sha256 } = answer;
  const prefixBytes = prefixBytesOf(name);
  if (answer.name !== name) throw corrupt(`expected '${name}', got '${answer.name.slice(0, 40)}'`);
  if (answer.waitMs < 0) throw corrupt(`the wait for '${name}' is negative`);
  if (additions !== undefined && additions.prefixBytes !== prefixBytes) {
    throw corrupt(`'${name}' has prefixes of ${additions.prefixBytes} bytes`);
  }
  if (isPartial && before === undefined)
    throw corrupt(`'${name}' is partial, but there is no list`);
  const old = isPartial ? before?.list : undefined;
  const isWhole = isLast(before, answer) || (isPartial && before?.isWhole === true);
  if (old !== undefined && additions === undefined && removals === undefined) {
    // The checksum, if there is one, belongs to the current list.
    if (sha256 !== undefined) checkSha256(name, old, sha256);
    return { list: old, version, isWhole };
  }
  if (sha256 === undefined) throw corrupt(`'${name}' has no checksum`);
  const prefixes = additions && decode(additions.deltas);
  if (old !== undefined) {
    const changes = {
      ...(removals && { removals: toIndices(removals) }),
      ...(prefixes && { additions: prefixes }),
      sha256,
    };
    return { list: old.update(changes), version, isWhole };
  }
  if (removals !== undefined) throw corrupt(`'${name}' is whole, but has removals`);
  const list = UrlList.fromPrefixes(prefixes ?? new Uint8Array(), { prefixBytes, rule });
  try {
    checkSha256(name, list, sha256);
  } catch (error) {
    list.dispose();
    throw error;
  }
  return { list, version, isWhole };
}
