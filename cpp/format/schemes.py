"""The positions of a key in a bloom, by hash id, and in split blocks: sections 5.1 and 5.2 of FORMAT.md.
`file` has hash_id, seed and g."""
import hashlib
from hashes import (
    M32, M64, fnv1a_32, fnv1a_64_utf16, murmur2a, murmur3_x64_128, murmur64a, spark_murmur3,
    splitmix64, xxh3_64, xxh64)

MURMUR64A_SEED = 0xC6A4A7935BD1E995
SALT = (0x47B6137B, 0x44974D91, 0x8824AD5B, 0xA2B7289D,
        0x705495C7, 0x2DF1424B, 0x9EFC4947, 0x5C6BFB31)


def hi(x, m):
    return (x >> 32) * m >> 32 if m <= 2**32 else x * m >> 64


def mcg(g, m, k):
    return [hi(g * 0xF1357AEA2E62A9C5**i & M64, m) for i in range(k)]


def in_block(g, m):
    first = 256 * hi(g, m // 256)
    return [first + 32 * i + ((g & M32) * salt >> 27) % 32 for i, salt in enumerate(SALT)]


def signed(x, bits=32):
    return x - 2 * (x & 1 << bits - 1)


def flipped(x):
    """What Guava's and Spark's filters do with a negative number."""
    return ~x if x < 0 else x


def seeds(key, file, m, k):
    return [hi(xxh3_64(key, splitmix64(file.seed + i)), m) for i in range(k)]


def digest(key, file, m, k):
    number = int.from_bytes(hashlib.sha512(key).digest(), 'big')
    return [number // m**i % m for i in range(k)]


def murmur2a_fnv1a(key, file, m, k):
    return [murmur2a(key) % m, fnv1a_32(key) % m]


def guava64(key, file, m, k):
    a, b = murmur3_x64_128(key)
    return [(a + i * b & M64 >> 1) % m for i in range(k)]


def of_halves(a, b, m, k):
    return [flipped(signed(a + i * b & M32)) % m for i in range(1, k + 1)]


def guava32(key, file, m, k):
    a, _ = murmur3_x64_128(key)
    return of_halves(a & M32, a >> 32, m, k)


def spark_v1(key, file, m, k):
    a = spark_murmur3(key, 0)
    return of_halves(a, spark_murmur3(key, a), m, k)


def spark_v2(key, file, m, k):
    a = spark_murmur3(key, file.seed)
    b = spark_murmur3(key, a)
    sums = [signed(a) * (2**31 - 1) + i * signed(b) & M64 for i in range(1, k + 1)]
    return [flipped(signed(x, 64)) % m for x in sums]


def go(key, file, m, k):
    h = murmur3_x64_128(key) + murmur3_x64_128(key + b'\1')
    return [(h[i % 2] + i * h[2 + (i + i % 2) % 4 // 2] & M64) % m for i in range(k)]


def redisbloom(key, file, m, k):
    a = murmur64a(key, MURMUR64A_SEED)
    b = murmur64a(key, a)
    return [(a + i * b & M64) % m for i in range(k)]


def datasketches(key, file, m, k):
    a = xxh64(key, file.seed)
    b = xxh64(key, a)
    return [(a + i * b & M64) // 2 % m for i in range(1, k + 1)]


def npm_bloom_filters(key, file, m, k):
    a, b = (xxh64(key, file.seed + i & M32) & M32 for i in (1, 2))
    return [(a + i * b + (i**3 - i) // 6) % m for i in range(k)]


def npm_bloomfilter(key, file, m, k):
    h = fnv1a_64_utf16(key)
    a, b = signed(h >> 32) % m, signed(h & M32) % m
    found = [a]
    for i in range(1, k):
        a, b = (a + b) % m, (b + i) % m
        found.append(a)
    return found


RULES = {3: seeds, 4: digest, 5: murmur2a_fnv1a, 6: guava64, 8: guava32, 9: spark_v1, 10: spark_v2, 11: go,
         12: redisbloom, 13: datasketches, 14: npm_bloom_filters, 15: npm_bloomfilter}


def positions(key, file, m, k):
    rule = RULES.get(file.hash_id)
    return rule(key, file, m, k) if rule else mcg(file.g(key), m, k)


def is_possible(file, m, k):
    """Whether seed, bits and hashes suit the scheme."""
    if file.hash_id == 4:
        return m**k < 2**512
    if file.hash_id == 5:
        return k == 2
    if file.hash_id == 10 and file.seed > M32:
        return False
    return m % 64 == 0 or file.hash_id not in (6, 8, 9, 10, 13)
