/** Reads dumps of RedisBloom. */
import type { LoadChunk } from 'tamis/interop';

import { textOf } from './interop.js';

/** The replies of SCANDUMP in a file of tests/vectors/interop/redisbloom. */
export function chunksOf(name: string): LoadChunk[] {
  const replies: { iter: number; b64: string }[] = JSON.parse(
    textOf(`redisbloom/${name}.chunks.json`),
  );
  return replies.map(({ iter, b64 }) => [iter, new Uint8Array(Buffer.from(b64, 'base64'))]);
}

/** The header and the tables, joined. */
export const joinedOf = (chunks: readonly LoadChunk[]): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.concat(chunks.map(([, bytes]) => bytes)));

/** Splits joined bytes into two chunks, of which the first is the header. */
export const splitAt = (bytes: Uint8Array<ArrayBuffer>, header: number): LoadChunk[] => [
  [1, bytes.slice(0, header)],
  [1 + Math.max(0, bytes.length - header), bytes.slice(header)],
];
