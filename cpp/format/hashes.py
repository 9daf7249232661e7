"""The hashes of FORMAT.md, written to be read: each follows its published description, with Python's
integers. tests/js/format-reader.test.ts runs them against the vectors in tests/vectors."""

M32, M64 = 2**32 - 1, 2**64 - 1


def crc32c(data):
    """CRC-32C (Castagnoli, 1993): reflected polynomial 0x82F63B78, all ones before and after."""
    crc = M32
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (crc & 1) * 0x82F63B78
    return crc ^ M32


def u32(data, at):
    return int.from_bytes(data[at:at + 4], 'little')


def u64(data, at):
    return int.from_bytes(data[at:at + 8], 'little')


def rotl(x, bits, size=64):
    return (x << bits | x >> (size - bits)) & (1 << size) - 1


def mixed(x, *steps):
    """The steps of finalizers: x ^= x >> shift, then x *= factor, for each pair."""
    x &= M64
    for shift, factor in steps:
        x = (x ^ x >> shift) * factor & M64
    return x


def fmix64(x):
    return mixed(x, (33, 0xFF51AFD7ED558CCD), (33, 0xC4CEB9FE1A85EC53), (33, 1))


def splitmix64(x):
    """One step of SplitMix64 (Steele, Lea and Flood 2014), from the state x."""
    x += 0x9E3779B97F4A7C15
    return mixed(x, (30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1))


# XXH3-64 (Collet; xxHash 0.8, doc/xxhash_spec.md)

XXH_SECRET = bytes.fromhex(
    'b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f'
    'cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c'
    '3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8'
    'a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364'
    'eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e'
    '2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e')
P1, P2, P3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
P4, P5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
P32 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D


def xxh3_fold(a, b):
    return (a * b & M64) ^ (a * b >> 64)


def xxh3_avalanche(x):
    return mixed(x, (37, 0x165667919E3779F9), (32, 1))


def xxh3_64(key, seed=0):
    n = len(key)

    def secret(at):
        return u64(XXH_SECRET, at)

    def mix(at, secret_at):
        low, high = secret(secret_at) + seed & M64, secret(secret_at + 8) - seed & M64
        return xxh3_fold(u64(key, at) ^ low, u64(key, at + 8) ^ high)

    if n == 0:
        return mixed(seed ^ secret(56) ^ secret(64), (33, P2), (29, P3), (32, 1))
    if n <= 3:
        word = key[0] << 16 | key[n >> 1] << 24 | key[-1] | n << 8
        flip = (u32(XXH_SECRET, 0) ^ u32(XXH_SECRET, 4)) + seed
        return mixed(word ^ flip, (33, P2), (29, P3), (32, 1))
    if n <= 8:
        swapped = int.from_bytes((seed & M32).to_bytes(4, 'little'), 'big')
        flip = (secret(8) ^ secret(16)) - (seed ^ swapped << 32) & M64
        x = u32(key, n - 4) + (u32(key, 0) << 32) ^ flip
        x = (x ^ rotl(x, 49) ^ rotl(x, 24)) * 0x9FB21C651E98DF25 & M64
        return mixed((x ^ (x >> 35) + n) * 0x9FB21C651E98DF25, (28, 1))
    if n <= 16:
        low = u64(key, 0) ^ (secret(24) ^ secret(32)) + seed & M64
        high = u64(key, n - 8) ^ (secret(40) ^ secret(48)) - seed & M64
        swapped = int.from_bytes(low.to_bytes(8, 'little'), 'big')
        return xxh3_avalanche(n + swapped + high + xxh3_fold(low, high))
    if n <= 128:
        pairs = range((n + 31) // 32)
        total = sum(mix(16 * i, 32 * i) + mix(n - 16 - 16 * i, 32 * i + 16) for i in pairs)
        return xxh3_avalanche(n * P1 + total)
    if n <= 240:
        first = xxh3_avalanche(n * P1 + sum(mix(16 * i, 16 * i) for i in range(8)))
        rest = sum(mix(16 * i, 16 * i - 125) for i in range(8, n // 16))
        return xxh3_avalanche(first + rest + mix(n - 16, 119))
    return xxh3_long(key, seed)


def xxh3_long(key, seed):
    lanes = b''.join(((u64(XXH_SECRET, at) + (seed if at % 16 == 0 else -seed)) & M64)
                     .to_bytes(8, 'little') for at in range(0, 192, 8))
    sums = [P32[2], P1, P2, P3, P4, P32[1], P5, P32[0]]

    def stripe(at, secret_at):
        for i in range(8):
            word = u64(key, at + 8 * i)
            keyed = word ^ u64(lanes, secret_at + 8 * i)
            sums[i ^ 1] = sums[i ^ 1] + word & M64
            sums[i] = sums[i] + (keyed & M32) * (keyed >> 32) & M64

    for number in range((len(key) - 1) // 64):
        stripe(64 * number, 8 * (number % 16))
        if number % 16 == 15:
            for i in range(8):
                sums[i] = (sums[i] ^ sums[i] >> 47 ^ u64(lanes, 128 + 8 * i)) * P32[0] & M64
    stripe(len(key) - 64, 121)
    folded = sum(xxh3_fold(sums[2 * i] ^ u64(lanes, 11 + 16 * i),
                           sums[2 * i + 1] ^ u64(lanes, 19 + 16 * i)) for i in range(4))
    return xxh3_avalanche(len(key) * P1 + folded)


def siphash_2_4(data, key):
    """SipHash-2-4 (Aumasson and Bernstein 2012), 64-bit output, 16-byte key."""
    k0, k1 = u64(key, 0), u64(key, 8)
    a, b = k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D
    c, d = k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573

    def rounds(count):
        nonlocal a, b, c, d
        for _ in range(count):
            a, c = a + b & M64, c + d & M64
            b, d = rotl(b, 13) ^ a, rotl(d, 16) ^ c
            a, c = rotl(a, 32) + d & M64, c + b & M64
            b, d, c = rotl(b, 17) ^ c, rotl(d, 21) ^ a, rotl(c, 32)

    padded = data + bytes(7 - len(data) % 8) + bytes([len(data) & 255])
    for at in range(0, len(padded), 8):
        d ^= u64(padded, at)
        rounds(2)
        a ^= u64(padded, at)
    c ^= 255
    rounds(4)
    return a ^ b ^ c ^ d


def murmur2a(data, seed=0):
    """MurmurHash2A (Appleby; SMHasher), 32 bits."""
    def merge(h, word):
        word = word * 0x5BD1E995 & M32
        return (h * 0x5BD1E995 ^ (word ^ word >> 24) * 0x5BD1E995) & M32

    h, whole = seed, len(data) // 4 * 4
    for at in range(0, whole, 4):
        h = merge(h, u32(data, at))
    h = merge(merge(h, u32(data, whole)), len(data))
    h = (h ^ h >> 13) * 0x5BD1E995 & M32
    return h ^ h >> 15


def fnv1a_32(data):
    """FNV-1a, 32 bits, on unsigned bytes (RFC 9923)."""
    h = 0x811C9DC5
    for byte in data:
        h = (h ^ byte) * 0x01000193 & M32
    return h


def murmur3_x64_128(data):
    """MurmurHash3 x64 128 (Appleby; SMHasher), seed 0: its two 64-bit halves."""
    c1, c2 = 0x87C37B91114253D5, 0x4CF5AD432745937F
    a = b = 0
    whole = len(data) // 16 * 16
    for at in range(0, len(data), 16):
        a ^= rotl(u64(data, at) * c1 & M64, 31) * c2 & M64
        if at < whole:
            a = ((rotl(a, 27) + b) * 5 + 0x52DCE729) & M64
        b ^= rotl(u64(data, at + 8) * c2 & M64, 33) * c1 & M64  # 0 after the end of the data
        if at < whole:
            b = ((rotl(b, 31) + a) * 5 + 0x38495AB5) & M64
    a, b = a ^ len(data), b ^ len(data)
    a = a + b & M64
    a, b = fmix64(a), fmix64(b + a)
    a = a + b & M64
    return a, b + a & M64


def murmur64a(data, seed):
    """MurmurHash64A (Appleby; SMHasher), 64 bits, with a 64-bit seed."""
    factor = 0xC6A4A7935BD1E995
    h, whole = seed ^ len(data) * factor & M64, len(data) // 8 * 8
    for at in range(0, whole, 8):
        word = u64(data, at) * factor & M64
        h = (h ^ (word ^ word >> 47) * factor & M64) * factor & M64
    if whole < len(data):
        h = (h ^ u64(data, whole)) * factor & M64
    h = (h ^ h >> 47) * factor & M64
    return h ^ h >> 47


def xxh64(data, seed):
    """XXH64 (Collet; xxHash 0.8, doc/xxhash_spec.md), with a 64-bit seed."""
    def lane(total, word):
        return rotl(total + word * P2 & M64, 31) * P1 & M64

    at = len(data) // 32 * 32
    if at == 0:
        h = seed + P5
    else:
        lanes = [seed + P1 + P2 & M64, seed + P2 & M64, seed, seed - P1 & M64]
        for start in range(0, at, 8):
            lanes[start // 8 % 4] = lane(lanes[start // 8 % 4], u64(data, start))
        h = sum(rotl(one, bits) for one, bits in zip(lanes, (1, 7, 12, 18))) & M64
        for one in lanes:
            h = ((h ^ lane(0, one)) * P1 + P4) & M64
    h = h + len(data) & M64
    while len(data) - at >= 8:
        h = (rotl(h ^ lane(0, u64(data, at)), 27) * P1 + P4) & M64
        at += 8
    if len(data) - at >= 4:
        h = (rotl(h ^ u32(data, at) * P1 & M64, 23) * P2 + P3) & M64
        at += 4
    for byte in data[at:]:
        h = rotl(h ^ byte * P5 & M64, 11) * P1 & M64
    return mixed(h, (33, P2), (29, P3), (32, 1))


def spark_murmur3(data, seed):
    """MurmurHash3 x86 32 with Apache Spark's tail: each byte after the last whole word is hashed as a
    signed word of its own."""
    whole = len(data) // 4 * 4
    words = [u32(data, at) for at in range(0, whole, 4)]
    words += [byte - 256 * (byte > 127) & M32 for byte in data[whole:]]
    h = seed
    for word in words:
        h ^= rotl(word * 0xCC9E2D51 & M32, 15, 32) * 0x1B873593 & M32
        h = (rotl(h, 13, 32) * 5 + 0xE6546B64) & M32
    h ^= len(data)
    h = (h ^ h >> 16) * 0x85EBCA6B & M32
    h = (h ^ h >> 13) * 0xC2B2AE35 & M32
    return h ^ h >> 16


def utf16_units(data):
    """The UTF-16 code units of bytes, by the bit patterns of UTF-8 only: a byte that does not begin a
    complete sequence is a unit with its own value."""
    at = 0
    while at < len(data):
        lead = data[at]
        more = next((more for low, high, more in ((0xC0, 0xE0, 1), (0xE0, 0xF0, 2), (0xF0, 0xF8, 3))
                     if low <= lead < high), 0)
        tail = data[at + 1:at + 1 + more]
        if len(tail) < more or any(byte >> 6 != 2 for byte in tail):
            more, tail = 0, b''
        code = lead & 0x3F >> more if more else lead
        for byte in tail:
            code = code << 6 | byte & 0x3F
        if code < 0x10000:
            yield code
        else:
            yield 0xD800 + (code - 0x10000 >> 10)
            yield 0xDC00 + (code & 0x3FF)
        at += 1 + more


def fnv1a_64_utf16(data):
    """FNV-1a, 64 bits (RFC 9923), over UTF-16 code units, one step for each unit."""
    h = 0xCBF29CE484222325
    for unit in utf16_units(data):
        h = (h ^ unit) * 0x100000001B3 & M64
    return h
