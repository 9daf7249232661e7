/**
 * XXH3-64 written from the algorithm's description (doc/xxhash_spec.md of Cyan4973/xxHash), in
 * BigInt: slow, and sharing nothing with the library under test.
 */

const MASK = (1n << 64n) - 1n;

const PRIME32_1 = 0x9e3779b1n;
const PRIME32_2 = 0x85ebca77n;
const PRIME32_3 = 0xc2b2ae3dn;
const PRIME64_1 = 0x9e3779b185ebca87n;
const PRIME64_2 = 0xc2b2ae3d27d4eb4fn;
const PRIME64_3 = 0x165667b19e3779f9n;
const PRIME64_4 = 0x85ebca77c2b2ae63n;
const PRIME64_5 = 0x27d4eb2f165667c5n;
const PRIME_MX1 = 0x165667919e3779f9n;
const PRIME_MX2 = 0x9fb21c651e98df25n;

// The default secret: 192 bytes of the FARSH hash's constant, fixed by the algorithm.
const SECRET = Uint8Array.from(
  Buffer.from(
    'b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f' +
      'cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c' +
      '3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8' +
      'a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364' +
      'eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e' +
      '2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e',
    'hex',
  ),
);

const viewOf = ({ buffer, byteOffset }: Uint8Array, at: number, size: number): DataView =>
  new DataView(buffer, byteOffset + at, size);
const read32 = (bytes: Uint8Array, at: number): bigint =>
  BigInt(viewOf(bytes, at, 4).getUint32(0, true));
const read64 = (bytes: Uint8Array, at: number): bigint =>
  viewOf(bytes, at, 8).getBigUint64(0, true);

function swap(value: bigint, size: number): bigint {
  let out = 0n;
  for (let i = 0; i < size; i++) out = (out << 8n) | ((value >> BigInt(8 * i)) & 0xffn);
  return out;
}

const rotl = (x: bigint, n: bigint): bigint => ((x << n) | (x >> (64n - n))) & MASK;

function fold(a: bigint, b: bigint): bigint {
  const product = a * b;
  return (product & MASK) ^ (product >> 64n);
}

function xxh64Avalanche(x: bigint): bigint {
  x = ((x ^ (x >> 33n)) * PRIME64_2) & MASK;
  x = ((x ^ (x >> 29n)) * PRIME64_3) & MASK;
  return x ^ (x >> 32n);
}

function avalanche(x: bigint): bigint {
  x = ((x ^ (x >> 37n)) * PRIME_MX1) & MASK;
  return x ^ (x >> 32n);
}

function short(data: Uint8Array, seed: bigint): bigint {
  const n = data.length;
  if (n > 8) {
    const flip1 = ((read64(SECRET, 24) ^ read64(SECRET, 32)) + seed) & MASK;
    const flip2 = ((read64(SECRET, 40) ^ read64(SECRET, 48)) - seed) & MASK;
    const low = read64(data, 0) ^ flip1;
    const high = read64(data, n - 8) ^ flip2;
    return avalanche((BigInt(n) + swap(low, 8) + high + fold(low, high)) & MASK);
  }
  if (n >= 4) {
    const mixed = seed ^ (swap(seed & 0xffffffffn, 4) << 32n);
    const flip = ((read64(SECRET, 8) ^ read64(SECRET, 16)) - mixed) & MASK;
    let x = (read32(data, n - 4) | (read32(data, 0) << 32n)) ^ flip;
    x ^= rotl(x, 49n) ^ rotl(x, 24n);
    x = (x * PRIME_MX2) & MASK;
    x ^= (x >> 35n) + BigInt(n);
    x = (x * PRIME_MX2) & MASK;
    return x ^ (x >> 28n);
  }
  if (n > 0) {
    const first = BigInt(data[0] as number);
    const middle = BigInt(data[n >> 1] as number);
    const last = BigInt(data[n - 1] as number);
    const combined = last | (BigInt(n) << 8n) | (first << 16n) | (middle << 24n);
    const flip = ((read32(SECRET, 0) ^ read32(SECRET, 4)) + seed) & MASK;
    return xxh64Avalanche(combined ^ flip);
  }
  return xxh64Avalanche(seed ^ read64(SECRET, 56) ^ read64(SECRET, 64));
}

function mix16(data: Uint8Array, at: number, secretAt: number, seed: bigint): bigint {
  return fold(
    read64(data, at) ^ ((read64(SECRET, secretAt) + seed) & MASK),
    read64(data, at + 8) ^ ((read64(SECRET, secretAt + 8) - seed) & MASK),
  );
}

function medium(data: Uint8Array, seed: bigint): bigint {
  const n = data.length;
  let acc = (BigInt(n) * PRIME64_1) & MASK;
  if (n <= 128) {
    for (let i = (n - 1) >> 5; i >= 0; i--) {
      acc += mix16(data, 16 * i, 32 * i, seed);
      acc += mix16(data, n - 16 * (i + 1), 32 * i + 16, seed);
    }
    return avalanche(acc & MASK);
  }
  for (let i = 0; i < 8; i++) acc += mix16(data, 16 * i, 16 * i, seed);
  acc = avalanche(acc & MASK);
  for (let i = 8; i < n >> 4; i++) acc += mix16(data, 16 * i, 16 * (i - 8) + 3, seed);
  acc += mix16(data, n - 16, 136 - 17, seed);
  return avalanche(acc & MASK);
}

function long(data: Uint8Array, seed: bigint): bigint {
  const n = data.length;
  const secret = SECRET.slice();
  const view = new DataView(secret.buffer);
  for (let i = 0; i < 192; i += 16) {
    view.setBigUint64(i, (view.getBigUint64(i, true) + seed) & MASK, true);
    view.setBigUint64(i + 8, (view.getBigUint64(i + 8, true) - seed) & MASK, true);
  }
  const acc = [
    PRIME32_3,
    PRIME64_1,
    PRIME64_2,
    PRIME64_3,
    PRIME64_4,
    PRIME32_2,
    PRIME64_5,
    PRIME32_1,
  ];
  const stripe = (at: number, secretAt: number): void => {
    for (let i = 0; i < 8; i++) {
      const value = read64(data, at + 8 * i);
      const keyed = value ^ read64(secret, secretAt + 8 * i);
      acc[i ^ 1] = ((acc[i ^ 1] as bigint) + value) & MASK;
      acc[i] = ((acc[i] as bigint) + (keyed & 0xffffffffn) * (keyed >> 32n)) & MASK;
    }
  };
  const stripesPerBlock = (192 - 64) / 8;
  const blocks = Math.floor((n - 1) / (64 * stripesPerBlock));
  for (let block = 0; block < blocks; block++) {
    for (let s = 0; s < stripesPerBlock; s++) stripe((block * stripesPerBlock + s) * 64, 8 * s);
    for (let i = 0; i < 8; i++) {
      let x = acc[i] as bigint;
      x ^= x >> 47n;
      x ^= read64(secret, 192 - 64 + 8 * i);
      acc[i] = (x * PRIME32_1) & MASK;
    }
  }
  const done = blocks * stripesPerBlock * 64;
  const stripes = Math.floor((n - 1 - done) / 64);
  for (let s = 0; s < stripes; s++) stripe(done + 64 * s, 8 * s);
  stripe(n - 64, 192 - 64 - 7);

  let result = (BigInt(n) * PRIME64_1) & MASK;
  for (let i = 0; i < 4; i++) {
    result += fold(
      (acc[2 * i] as bigint) ^ read64(secret, 11 + 16 * i),
      (acc[2 * i + 1] as bigint) ^ read64(secret, 11 + 16 * i + 8),
    );
  }
  return avalanche(result & MASK);
}

/** XXH3-64 of `data` with `seed`. */
export function xxh3(data: Uint8Array, seed = 0n): bigint {
  if (data.length <= 16) return short(data, seed);
  return data.length <= 240 ? medium(data, seed) : long(data, seed);
}
