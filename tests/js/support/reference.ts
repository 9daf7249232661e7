/**
 * The hashes and the position schemes of cpp/FORMAT.md, written a second time in BigInt from their
 * descriptions: the oracle of hash.test.ts. Slow on purpose.
 */
import { createHash } from 'node:crypto';
import type { BloomSchemeName } from 'tamis';

import { xxh3 } from './xxh3.js';

const MASK = (1n << 64n) - 1n;
const MASK32 = 0xffffffffn;

const word = (bytes: Uint8Array, at: number, size: number): bigint => {
  let value = 0n;
  for (let i = size - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[at + i] ?? 0);
  return value;
};
const rotl = (x: bigint, n: bigint): bigint => ((x << n) | (x >> (64n - n))) & MASK;

/** MurmurHash3's 64-bit finalizer (Austin Appleby, public domain description). */
export function fmix64(x: bigint): bigint {
  x = ((x ^ (x >> 33n)) * 0xff51afd7ed558ccdn) & MASK;
  x = ((x ^ (x >> 33n)) * 0xc4ceb9fe1a85ec53n) & MASK;
  return x ^ (x >> 33n);
}

/** One number of SplitMix64 (Steele, Lea and Flood 2014), from the state `x`. */
export function splitmix64(x: bigint): bigint {
  x = (x + 0x9e3779b97f4a7c15n) & MASK;
  x = ((x ^ (x >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK;
  x = ((x ^ (x >> 27n)) * 0x94d049bb133111ebn) & MASK;
  return x ^ (x >> 31n);
}

/** SipHash-2-4 (Aumasson and Bernstein 2012), 64-bit output. */
export function sipHash24(data: Uint8Array, key: Uint8Array): bigint {
  const k0 = word(key, 0, 8);
  const k1 = word(key, 8, 8);
  let [v0, v1, v2, v3] = [
    k0 ^ 0x736f6d6570736575n,
    k1 ^ 0x646f72616e646f6dn,
    k0 ^ 0x6c7967656e657261n,
    k1 ^ 0x7465646279746573n,
  ];
  const rounds = (n: number): void => {
    for (let i = 0; i < n; i++) {
      v0 = (v0 + v1) & MASK;
      v1 = rotl(v1, 13n) ^ v0;
      v0 = rotl(v0, 32n);
      v2 = (v2 + v3) & MASK;
      v3 = rotl(v3, 16n) ^ v2;
      v0 = (v0 + v3) & MASK;
      v3 = rotl(v3, 21n) ^ v0;
      v2 = (v2 + v1) & MASK;
      v1 = rotl(v1, 17n) ^ v2;
      v2 = rotl(v2, 32n);
    }
  };
  const whole = data.length - (data.length % 8);
  for (let at = 0; at <= whole; at += 8) {
    let m = word(data, at, Math.min(8, data.length - at));
    if (at === whole) m |= BigInt(data.length % 256) << 56n;
    v3 ^= m;
    rounds(2);
    v0 ^= m;
  }
  v2 ^= 0xffn;
  rounds(4);
  return v0 ^ v1 ^ v2 ^ v3;
}

/** MurmurHash2A (Appleby), 32 bits, seed 0. */
export function murmur2a(data: Uint8Array): bigint {
  const M = 0x5bd1e995n;
  const mix = (h: bigint, k: bigint): bigint => {
    k = (k * M) & MASK32;
    k ^= k >> 24n;
    k = (k * M) & MASK32;
    return ((h * M) & MASK32) ^ k;
  };
  let h = 0n;
  let at = 0;
  for (; at + 4 <= data.length; at += 4) h = mix(h, word(data, at, 4));
  h = mix(h, word(data, at, data.length - at));
  h = mix(h, BigInt(data.length));
  h = ((h ^ (h >> 13n)) * M) & MASK32;
  return h ^ (h >> 15n);
}

/** FNV-1a, 32 bits, over unsigned bytes. */
export function fnv1a(data: Uint8Array): bigint {
  let h = 0x811c9dc5n;
  for (const byte of data) h = ((h ^ BigInt(byte)) * 0x01000193n) & MASK32;
  return h;
}

/** MurmurHash3 x64 128, seed 0: the two 64-bit halves. */
export function murmur3(data: Uint8Array): readonly [bigint, bigint] {
  const C1 = 0x87c37b91114253d5n;
  const C2 = 0x4cf5ad432745937fn;
  const mix1 = (k: bigint): bigint => (rotl((k * C1) & MASK, 31n) * C2) & MASK;
  const mix2 = (k: bigint): bigint => (rotl((k * C2) & MASK, 33n) * C1) & MASK;
  let [h1, h2] = [0n, 0n];
  let at = 0;
  for (; at + 16 <= data.length; at += 16) {
    h1 ^= mix1(word(data, at, 8));
    h1 = (((rotl(h1, 27n) + h2) & MASK) * 5n + 0x52dce729n) & MASK;
    h2 ^= mix2(word(data, at + 8, 8));
    h2 = (((rotl(h2, 31n) + h1) & MASK) * 5n + 0x38495ab5n) & MASK;
  }
  const tail = data.length - at;
  if (tail > 8) h2 ^= mix2(word(data, at + 8, tail - 8));
  if (tail > 0) h1 ^= mix1(word(data, at, Math.min(8, tail)));
  const length = BigInt(data.length);
  h1 ^= length;
  h2 ^= length;
  h1 = (h1 + h2) & MASK;
  h2 = (h2 + h1) & MASK;
  h1 = fmix64(h1);
  h2 = fmix64(h2);
  h1 = (h1 + h2) & MASK;
  h2 = (h2 + h1) & MASK;
  return [h1, h2];
}

/** The inputs of a position beside the key's bytes. */
export interface Geometry {
  readonly scheme: BloomSchemeName;
  readonly bits: number;
  readonly hashes: number;
  readonly seed?: bigint;
  readonly key?: Uint8Array;
}

/** The bits of `data`, in probe order, as cpp/FORMAT.md defines them (bits <= 2^32). */
export function positions(data: Uint8Array, geometry: Geometry): number[] {
  const m = BigInt(geometry.bits);
  const seed = geometry.seed ?? 0n;
  const out: bigint[] = [];
  const high = (x: bigint): bigint => ((x >> 32n) * m) >> 32n;
  switch (geometry.scheme) {
    case 'mcg': {
      const h = geometry.key === undefined ? xxh3(data) : sipHash24(data, geometry.key);
      let x = fmix64((h + seed) & MASK);
      for (let i = 0; i < geometry.hashes; i++) {
        out.push(high(x));
        x = (x * 0xf135_7aea_2e62_a9c5n) & MASK;
      }
      break;
    }
    case 'seeds':
      for (let i = 0; i < geometry.hashes; i++) {
        out.push(high(xxh3(data, splitmix64((seed + BigInt(i)) & MASK))));
      }
      break;
    case 'digest': {
      let number = BigInt(`0x${createHash('sha512').update(data).digest('hex')}`);
      for (let i = 0; i < geometry.hashes; i++) {
        out.push(number % m);
        number /= m;
      }
      break;
    }
    case 'murmur2a-fnv1a':
      out.push(murmur2a(data) % m, fnv1a(data) % m);
      break;
    case 'guava64': {
      const [a, b] = murmur3(data);
      let c = a;
      for (let i = 0; i < geometry.hashes; i++) {
        out.push((c & (MASK >> 1n)) % m);
        c = (c + b) & MASK;
      }
      break;
    }
  }
  return out.map(Number);
}

/** The id that a container stores instead of its key. */
export const keyId = (key: Uint8Array): bigint =>
  sipHash24(new TextEncoder().encode('tamis-key-id'), key);

/** The 64-bit hash that `hashKey` returns for a key, before any filter's seed. */
export const keyHash = (data: Uint8Array, key?: Uint8Array): bigint =>
  key === undefined ? xxh3(data) : sipHash24(data, key);
