// A list as it lies in memory, which a client stores: the mirror of cpp/include/tamis/url/list_image.hpp. It is opened
// without decoding, and the engine's own SHA-256 proves which list it is.

import { own, raw, read, statusAddress, withMemory, write } from '../../core/border/memory.js';
import { call, coreWith } from '../../core/border/runtime.js';
import { hexOf, sha256Hex } from '../../core/signed/bytes.js';
import { errorOf } from '../../core/statuses.js';
import { adopt } from '../../core/structures/definition.js';
import { tell } from '../../core/structures/structure.js';
import { urlImage } from '../../wasm/parts/url-image.js';
import type { HostRule } from './expressions.js';
import { UrlList } from './url-list.js';

/** The list that is looked for, as somebody says who is trusted. */
export interface ImageOptions {
  /** In hexadecimal. */
  readonly identity: string;
  /** Entries, and bytes of each. */
  readonly count: number;
  readonly prefixBytes: number;
  /** The rule that the list was built by, where that is not 'labels5'. */
  readonly rule?: HostRule;
}

/** The image of a list. This version of the package alone opens it. Throws DISPOSED, OUT_OF_MEMORY. */
export function imageOf(list: UrlList): Uint8Array<ArrayBuffer> {
  coreWith(urlImage);
  const put = (address: number) =>
    tell(list, (_, handle) => raw._tamis_url_image_write(handle, address));
  const size = put(0);
  return withMemory(size, (address) => {
    put(address);
    return read(address, size);
  });
}

/**
 * The list in an image, whoever wrote that: entries, shapes and rule are those of the identity. Rejects with CORRUPT for any
 * other bytes, INCOMPATIBLE for another rule than the one that was given, OUT_OF_MEMORY. The bytes may change meanwhile.
 */
export async function openImage(
  image: Uint8Array,
  { identity, count, prefixBytes, rule }: ImageOptions,
): Promise<UrlList> {
  const { length } = image;
  const size = count * prefixBytes;
  // No memory for what cannot be it. An entry's first 4 bytes take 5 at most, and the others stand as they are.
  if (length > 256 + size + count) throw errorOf('ERR_TAMIS_CORRUPT');
  coreWith(urlImage);
  const [list, digest] = withMemory(size + length, (address) => {
    write(address + size, length, image);
    const handle = call(() =>
      raw._tamis_url_image_open(address + size, length, address, size, statusAddress),
    );
    // Adopted at once, so that nothing which fails can leave it behind.
    const list = adopt(UrlList, own(handle), rule);
    return [list, sha256Hex(read(address, size)).catch(() => undefined)] as const;
  });
  try {
    const found = await digest;
    // Without WebCrypto it takes longer.
    if (found === undefined) list.validate();
    else if (found !== hexOf(list.sha256)) throw errorOf('ERR_TAMIS_CORRUPT');
    // That is the checksum which the image says, and here the identity by it.
    if (hexOf(list.identity) !== identity) throw errorOf('ERR_TAMIS_CORRUPT');
    return list;
  } catch (error) {
    list.dispose();
    throw error;
  }
}
