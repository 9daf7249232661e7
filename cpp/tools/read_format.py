"""A reader of tamis files: python3 read_format.py FILE [HEX_OF_THE_SECRET_KEY] < KEYS
Per line of KEYS, a key in hex (bit-array: an index), it prints 1 (probably in) or 0 (not in)."""
import hashlib, struct, sys
from hashes import (
    M64, crc32c, fmix64, fnv1a_32, murmur2a, murmur3_x64_128, siphash_2_4, splitmix64, xxh3_64)

def need(holds, code):
    if not holds:
        sys.exit('ERR_TAMIS_' + code)

def positions(data, hash_id, seed, secret, m, k):
    if hash_id == 3:
        return [(xxh3_64(data, splitmix64(seed + i)) >> 32) * m >> 32 for i in range(k)]
    if hash_id == 4:
        number = int.from_bytes(hashlib.sha512(data).digest(), 'big')
        return [number // m**i % m for i in range(k)]
    if hash_id == 5:
        return [murmur2a(data) % m, fnv1a_32(data) % m]
    if hash_id == 6:
        low, high = murmur3_x64_128(data)
        return [(low + i * high & M64 >> 1) % m for i in range(k)]
    x, found = fmix64((siphash_2_4(data, secret) if hash_id == 2 else xxh3_64(data)) + seed), []
    y = fmix64(x) | 1
    for i in range(k):
        found.append((x >> 32) * m >> 32)
        x, y = x + y & M64, y + i + 1 & M64
    return found

def read(data, secret):
    need(data[:8] == b'\x89TMS\r\n\x1a\n', 'NOT_TAMIS')
    need(len(data) >= 10, 'TRUNCATED')
    need(data[8:10] == b'\1\0', 'UNSUPPORTED_VERSION')
    need(len(data) >= 64, 'TRUNCATED')
    kind, hash_id, zero, seed, key_id, capacity, count, size, crc, header_crc = struct.unpack(
        '<BBI5Q2I', data[10:64])
    need(crc32c(data[:60]) == header_crc, 'CORRUPT')
    need(kind in (1, 15), 'UNKNOWN_TYPE')
    need(1 <= hash_id <= 6 if kind == 1 else hash_id == 0, 'CORRUPT')
    need(zero == 0 and (seed == 0 or 0 < hash_id < 4) and (key_id == 0 or hash_id == 2), 'CORRUPT')
    need(capacity < 2**53 and count < 2**53 and size <= 2**28 - 64, 'TOO_LARGE')
    need(len(data) >= 64 + size, 'TRUNCATED')
    need(len(data) == 64 + size and crc32c(data[64:]) == crc, 'CORRUPT')
    need(hash_id != 2 or secret is not None, 'KEY_REQUIRED')
    of_secret = siphash_2_4(b'tamis-key-id', secret) if hash_id == 2 else 0
    need(of_secret == key_id and (hash_id == 2 or secret is None), 'WRONG_KEY')
    record = 16 if kind == 1 else 0  # bytes of the parameter record
    need(size >= record, 'CORRUPT')
    m, k, zero = struct.unpack('<QII', data[64:80]) if kind == 1 else (capacity, 1, 0)
    bits = int.from_bytes(data[64 + record:], 'little')  # the array's bit i is this number's bit i
    need(zero == 0 and size == record + (m + 63) // 64 * 8 and bits >> m == 0, 'CORRUPT')
    if kind == 15:
        need(bits.bit_count() == count, 'CORRUPT')
        return lambda index: bits >> int(index) & 1
    need(m > 0 and 1 <= k <= 64 and capacity > 0 and (count > 0 or bits == 0), 'CORRUPT')
    need({4: m**k < 2**512, 5: k == 2, 6: m % 64 == 0}.get(hash_id, True), 'CORRUPT')
    return lambda line: int(all(
        bits >> i & 1 for i in positions(bytes.fromhex(line), hash_id, seed, secret, m, k)))

has = read(open(sys.argv[1], 'rb').read(), bytes.fromhex(sys.argv[2]) if sys.argv[2:] else None)
print(*(has(line.strip()) for line in sys.stdin), sep='\n')
