// The image of a list is its form in memory, for storage: it opens without decoding, and the engine's own SHA-256
// verifies it. The counterpart of cpp/include/tamis/url/list_image.hpp.

import {
  handleOrThrow,
  raw,
  read,
  statusAddress,
  withMemory,
  write,
} from '../../core/border/memory.js';
import { call, coreWith } from '../../core/border/runtime.js';
import { hexOf, sha256Hex } from '../../core/signed/bytes.js';
import { errorOf } from '../../core/statuses.js';
import { adopt } from '../../core/structures/definition.js';
import { callOrThrow } from '../../core/structures/structure.js';
import { urlImage } from '../../wasm/parts/url-image.js';
import type { HostRule } from './expressions.js';
import { UrlList } from './url-list.js';

/** The properties of the expected list, from a trusted source. */
export interface ImageOptions {
  /** The list's `identity`, in hexadecimal. */
  readonly identity: string;
  /** The number of entries, and the number of bytes of each. */
  readonly count: number;
  readonly prefixBytes: number;
  /** The rule of the list, if it is a PublicSuffixRule. */
  readonly rule?: HostRule | undefined;
}

/** Returns the image of a list, for this version of tamis. Throws ERR_TAMIS_DISPOSED and ERR_TAMIS_OUT_OF_MEMORY. */
export function imageOf(list: UrlList): Uint8Array<ArrayBuffer> {
  coreWith(urlImage);
  /** Writes the image to `address`, and returns its size. With address 0 it writes nothing. */
  const put = (address: number) =>
    callOrThrow(list, (_, handle) => raw._tamis_url_image_write(handle, address));
  const size = put(0);
  return withMemory(size, (address) => {
    put(address);
    return read(address, size);
  });
}

/**
 * Opens an untrusted image, and verifies its entries, shapes and rule by the identity. Rejects with ERR_TAMIS_CORRUPT
 * if the image is not of the expected list, with ERR_TAMIS_INCOMPATIBLE if `rule` is not the list's rule, and with
 * ERR_TAMIS_OUT_OF_MEMORY. The caller may change the bytes during the call.
 */
export async function openImage(
  image: Uint8Array,
  { identity, count, prefixBytes, rule }: ImageOptions,
): Promise<UrlList> {
  const { length } = image;
  const size = count * prefixBytes;
  // Refuses impossible sizes before it allocates memory. The head has at most 256 bytes. The first 4 bytes of an entry
  // take at most 5; the rest is stored raw.
  if (length > 256 + size + count) throw errorOf('ERR_TAMIS_CORRUPT');
  coreWith(urlImage);
  // The core writes the entries to `address`. Their digest is awaited later, after the memory is freed.
  const [list, digest] = withMemory(size + length, (address) => {
    write(address + size, length, image);
    const handle = call(() =>
      raw._tamis_url_image_open(address + size, length, address, size, statusAddress),
    );
    // The list is adopted at once, so that a failure cannot leak it.
    const list = adopt(UrlList, handleOrThrow(handle), rule);
    return [list, sha256Hex(read(address, size))] as const;
  });
  try {
    // The identity covers list.sha256, which the image states, so the digest of the entries must equal list.sha256.
    const isRight = (await digest) === hexOf(list.sha256) && hexOf(list.identity) === identity;
    if (!isRight) throw errorOf('ERR_TAMIS_CORRUPT');
    return list;
  } catch (error) {
    list.dispose();
    throw error;
  }
}
