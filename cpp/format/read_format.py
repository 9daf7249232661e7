"""Reads a tamis file: python3 read_format.py FILE [HEX_OF_THE_SECRET_KEY] < KEYS
Each line of KEYS is a key in hex (for a bit-array an index). For each it prints 1 (probably in) or 0 (not in); for an
iblt 1 (listed as added), -1 (listed as removed) or 0 (not listed)."""
import struct, sys
from functools import reduce
from hashes import M64, crc32c, fmix64, siphash_2_4, splitmix64, xxh3_64, xxh64
from rates import blocked_rate, bloom_rate
from schemes import hi, in_block, is_possible, mcg, positions

SCHEMES = {*range(1, 7), *range(8, 16)}
ALLOWED = {1: SCHEMES, 2: {1, 2, 16}, 15: {0}, 32: {7}, 33: {7}}  # by type; all other types allow 1 and 2
SEEDED = {1, 2, 3, 10, 13, 14}

def need(holds, code='CORRUPT'):
    if not holds:
        sys.exit('ERR_TAMIS_' + code)

class File:
    """Checks the container."""
    def __init__(self, data, secret):
        need(data[:8] == b'\x89TMS\r\n\x1a\n', 'NOT_TAMIS')
        need(len(data) >= 10, 'TRUNCATED')
        need(data[8:10] == b'\1\0', 'UNSUPPORTED_VERSION')
        need(len(data) >= 64, 'TRUNCATED')
        (self.kind, self.hash_id, zero, self.seed, key_id, self.capacity, self.count, size, crc,
         header_crc) = struct.unpack('<BBI5Q2I', data[10:64])
        need(crc32c(data[:60]) == header_crc)
        need(self.kind in TYPES, 'UNKNOWN_TYPE')
        need(self.hash_id < 17, 'UNSUPPORTED_VERSION')
        self.secret, self.is_keyed = secret, self.hash_id == 2
        need(zero == 0 and self.hash_id in ALLOWED.get(self.kind, {1, 2}))
        need(self.seed == 0 or self.hash_id in SEEDED or self.kind == 33)
        need(key_id == 0 or self.is_keyed)
        need(max(self.capacity, self.count) < 2**53 and size <= 2**28 - 64, 'TOO_LARGE')
        need(len(data) >= 64 + size, 'TRUNCATED')
        self.payload, self.at = data[64:], 0
        need(len(self.payload) == size and crc32c(self.payload) == crc)
        need(secret is not None or not self.is_keyed, 'KEY_REQUIRED')
        of_secret = siphash_2_4(b'tamis-key-id', secret) if self.is_keyed else 0
        need(of_secret == key_id and self.is_keyed == (secret is not None), 'WRONG_KEY')

    def take(self, size):
        need(size <= len(self.payload) - self.at)
        self.at += size
        return self.payload[self.at - size:self.at]

    def record(self, form):
        return struct.unpack('<' + form, self.take(struct.calcsize('<' + form)))

    def array(self, bits):  # as one number; bit i of it is bit i of the array
        number = int.from_bytes(self.take((bits + 63) // 64 * 8), 'little')
        need(number >> bits == 0)
        return number

    def h(self, key):
        return siphash_2_4(key, self.secret) if self.is_keyed else xxh3_64(key)

    def g(self, key, part=0):
        if self.hash_id == 16:
            return xxh64(key, 0)
        seed = splitmix64(self.seed + (part << 32)) if part else self.seed
        return fmix64(self.h(key) + seed)

def bloom(file):
    m, k, zero = file.record('QII')
    need(m > 0 and 1 <= k <= 64 and zero == 0 and file.capacity > 0)
    need(is_possible(file, m, k))
    bits = file.array(m)
    need(file.count > 0 or bits == 0)
    has_empty = file.hash_id != 13
    return lambda key: (has_empty or key != b'') and all(bits >> i & 1 for i in positions(key, file, m, k))

# A file of at most 2**28 bytes is too small for some limits of section 5, so they are not checked: 2**32 bits of a
# deletable-bloom, 2**27 buckets of a d-left-counting, 2**32 slots of a binary-fuse, 2**30 prefixes of a url-list.

class Subfilter:
    """The bits of a blocked-bloom, or of a composite's subfilter; k is 0 for split blocks."""
    def __init__(self, file, m, k, capacity, count, number=0):
        need(m > 0 and k <= 64 and 0 < capacity < 2**53 and count < 2**53)
        self.m, self.k, self.capacity, self.count, self.number = m, k, capacity, count, number
        self.file, self.bits = file, file.array(m)
        need(count > 0 or self.bits == 0)
        if k == 0:
            lanes = [self.bits >> i & 2**32 - 1 for i in range(0, m, 32)]
            need(m % 256 == 0 and (count == 0 or self.bits != 0))
            need(all(lanes[i:i + 8].count(0) in (0, 8) for i in range(0, len(lanes), 8)))

    def has(self, key):
        g = self.file.g(key, self.number)
        where = mcg(g, self.m, self.k) if self.k else in_block(g, self.m)
        return all(self.bits >> i & 1 for i in where)

    def rate(self):  # the rate at capacity
        return bloom_rate(self.m, self.k, self.capacity) if self.k else blocked_rate(self.m // 256, self.capacity)

def subfilters(file, number):
    records = [file.record('3Q2I') for _ in range(number)]
    found = []
    for m, capacity, count, k, zero in records:
        need(zero == 0)
        found.append(Subfilter(file, m, k, capacity, count, len(found)))
    return found

def total(subfilters):
    return min(sum(one.count for one in subfilters), 2**53 - 1)

def blocked_bloom(file):
    blocks, = file.record('Q')
    return Subfilter(file, 256 * blocks, 0, file.capacity, file.count).has

def counting_bloom(file):
    m, k, width = file.record('QII')
    need(m > 0 and 1 <= k <= 64 and 2 <= width <= 16 and file.capacity > 0)
    counters = file.array(m * width)
    return lambda key: all(counters >> i * width & 2**width - 1 for i in mcg(file.g(key), m, k))

def tombstone_bloom(file):
    added, deleted = subfilters(file, 2)
    need(added.capacity == file.capacity and file.count == max(0, added.count - deleted.count))
    return lambda key: added.has(key) and not deleted.has(key)

def deletable_bloom(file):
    m, k, zero, regions = file.record('QIIQ')
    need(1 <= k <= 64 and zero == 0 and 0 < regions <= m and file.capacity > 0)
    bits, locks = file.array(m), file.array(regions)
    in_use = {i * regions // m for i in range(m) if bits >> i & 1}
    need(all(i in in_use for i in range(regions) if locks >> i & 1))
    return lambda key: all(bits >> i & 1 for i in mcg(file.g(key), m, k))

def scalable_bloom(file):
    growth, number, *words = file.record('2I2Q')
    need(1 <= growth <= 16 and 1 <= number <= 64 and words[0] >= 2**32)
    need(2**63 <= words[1] <= int(0.99 * 2**64) and all(int(float(word)) == word for word in words))
    layers, (p, t) = subfilters(file, number), (word / 2**64 for word in words)
    for i, layer in enumerate(layers):
        need(layer.rate() <= p * (1 - t) * t**i * (1 + 1e-9))
        # Too large capacities need no check: no layer in a file keeps its rate for 2**53 - 1 keys.
        need(layer.capacity == file.capacity * growth**i >= layer.count)
        need(layer.count == layer.capacity or i == number - 1)
    need((layers[-1].count > 0 or number == 1) and file.count == total(layers))
    return lambda key: any(layer.has(key) for layer in layers)

def rotating_bloom(file):
    number, current, period, started, start = file.record('2I2Qq')
    need(2 <= number <= 64 and current < number and period < 2**53 and abs(start) < 2**53)
    need(started == 0 and start == 0 or started == 1 and period > 0)
    ring = subfilters(file, number)
    need({one.capacity for one in ring} == {file.capacity} and len({(one.m, one.k) for one in ring}) == 1)
    need(file.count == total(ring))
    return lambda key: any(one.has(key) for one in ring)

def d_left_places(g, buckets, r):  # the remainder, and the bucket in each sub-table
    first, rest = hi(g, buckets), g % 2**r
    mixed = splitmix64(rest)
    shifts = [0] + [hi(mixed << skip & M64, buckets) for skip in (0, 21, 42)]
    return rest, [(first + shift) % buckets for shift in shifts]

def d_left_counting(file):
    buckets, r, zero = file.record('QII')
    number = 32 * buckets  # the number of cells
    need(5 <= r <= 30 and zero == 0 and 0 < file.capacity <= number)
    array = file.array(number * (r + 2))
    cells = [divmod(array >> i * (r + 2) & 2**(r + 2) - 1, 2**r) for i in range(number)]
    used = [(i // 8, rest) for i, (counter, rest) in enumerate(cells) if counter]
    need(len(used) == len(set(used)) and all(counter or rest == 0 for counter, rest in cells))
    counters = [counter for counter, rest in cells]
    need(3 in counters or sum(counters) == file.count)

    def has(key):
        rest, places = d_left_places(file.g(key), buckets, r)
        return any((i * buckets + bucket, rest) in used for i, bucket in enumerate(places))
    return has

def cuckoo_places(g, m, f):  # the fingerprint and its two buckets
    mark, first = 1 + ((g & 2**32 - 1) * (2**f - 1) >> 32), hi(g, m)
    x = mark * 0x94D049BB133111EB & M64
    y = ((x ^ x >> 32) * 0xC4CEB9FE1A85EC53 & M64) >> 32
    return mark, first, (2 * (((mark << 32 | y) >> f) * (m // 2) >> 32) + 1 - first) % m

def cuckoo(file):
    m, b, f, zero = file.record('4I')
    need(m % 2 == 0 and b in (1, 2, 4, 8) and 4 <= f <= 32 and zero == 0)
    array = file.array(m * b * f)
    slots = [array >> i * f & 2**f - 1 for i in range(m * b)]
    need(0 < file.capacity <= m * b and file.count == sum(slot != 0 for slot in slots))

    def has(key):
        mark, *buckets = cuckoo_places(file.g(key), m, f)
        return any(mark in slots[i * b:i * b + b] for i in buckets)
    return has

def fuse_places(g, segments, log, arity):  # the fingerprint before it is cut to r bits, and the slots
    first, spread = (g >> 32) * (segments << log) >> 32, g * 0x9E3779B97F4A7C15 & M64
    return (g ^ g >> 32) & 2**32 - 1, [first] + [
        (first + (i << log)) ^ (spread >> 64 - 18 * i & 2**log - 1) for i in range(1, arity)]

def binary_fuse(file):
    segments, log, arity, r, zero = file.record('I4B')
    need(arity in (3, 4) and 1 <= r <= 32 and zero == 0 and file.capacity == file.count)
    need((segments > 0) == (file.count > 0) and log <= (18 if segments else 0))
    slots = segments + arity - 1 << log if segments else 0
    need(file.count <= slots)
    array = file.array(slots * r)
    digits = format(array, '0%db' % (slots * r))  # the last slot comes first
    need(sum('1' in digits[i:i + r] for i in range(0, slots * r, r)) <= file.count)

    def has(key):
        if segments == 0:
            return False
        total, places = fuse_places(file.g(key), segments, log, arity)
        for i in places:
            total ^= array >> i * r
        return total & 2**r - 1 == 0
    return has

def retrieval_hash(h, seed, part, attempt):
    return fmix64(h + splitmix64(splitmix64(seed) + (part << 32) + attempt & M64) & M64)

def retrieval_place(h, seed, part, attempt, m):  # first slot, coefficients and check bits
    g = retrieval_hash(h, seed, part, attempt)
    x = g * 0x9E3779B97F4A7C15 & M64
    return hi(g, max(m - 63, 1)), x ^ x >> 32 | 1, (g * 0xD1342543DE82EF95 & M64) >> 32

class Level:
    def __init__(self, file, m, w, bumps):
        p, q = w // 8, w % 8
        buckets = (m + 64) // 128 if bumps else 0  # there are m - 63 starts
        pairs = int.from_bytes(file.take((buckets + 3) // 4), 'little')
        need(pairs >> 2 * buckets == 0)
        self.thresholds = [pairs >> 2 * i & 3 for i in range(buckets)]
        planes = [file.take(m) for _ in range(p)]
        bits = file.take((q * m + 7) // 8)
        need(int.from_bytes(bits, 'little') >> q * m == 0)
        self.rows = [sum(plane[i] << 8 * j for j, plane in enumerate(planes)) for i in range(m)]
        for i in range(m):
            block, size = i - i % 64, min(64, m - (i - i % 64))
            for j in range(q):
                at = q * block + j * size + i % 64
                self.rows[i] |= (bits[at // 8] >> at % 8 & 1) << 8 * p + j

    def row(self, first, mask):
        row = 0
        for k, slot in enumerate(self.rows[first:first + 64]):
            row ^= slot * (mask >> k & 1)
        return row

def retrieval(file, count, v, r, first_part=0):
    records = [file.record('IHBB')]
    need(records[0][3] < 8)
    records += [file.record('IHBB') for _ in range(records[0][3])]
    slots = [m for m, *_ in records]
    for i, (m, attempt, w, follow) in enumerate(records):
        need(w == v + r and follow == len(records) - 1 - i and (m > 0) == (count > 0))
        need((follow == 0 or m >= 64) and (i == 0 or m < slots[i - 1]) and (count or attempt == 0))
    need(len(records) == 1 or slots[0] == count - count // 16)
    need(count <= sum(slots) <= 2 * count + 64)
    levels = [Level(file, m, w, follow > 0) for m, _, w, follow in records]

    def find(key):
        for part, (level, (m, attempt, *_)) in enumerate(zip(levels, records), first_part):
            first, mask, check = retrieval_place(file.h(key), file.seed, part, attempt, m)
            if level.thresholds and first % 128 < (128, 38, 17, 0)[level.thresholds[first // 128]]:
                continue
            row = level.row(first, mask)
            return row >> r if count and (row ^ check) % 2**r == 0 else None
    return find

def ribbon(file):
    r = int.from_bytes(file.payload[6:7], 'little')  # the width of the first level: the check bits
    need(file.capacity == file.count and 1 <= r <= 32)
    find = retrieval(file, file.count, 0, r)
    return lambda key: find(key) is not None

def exact(file):
    excluded, passing, r, zero = file.record('2Q2I')
    need(passing <= excluded < 2**53 and r <= 32 and zero == 0 and file.capacity == file.count)
    need(r == passing == 0 if file.count == 0 else r > 0 or passing == excluded)
    first = retrieval(file, file.count, 0, r) if r else None
    second = retrieval(file, file.count + passing, 1, 0, 16)
    return lambda key: (r == 0 or first(key) is not None) and second(key) == 1 - file.g(key) % 2

def bloomier_value(file):
    v, c = file.record('2I')
    need(1 <= v <= 32 and c <= 32 and file.capacity == file.count)
    return retrieval(file, file.count, v, c)

def bloomier(file):
    value_of = bloomier_value(file)
    return lambda key: value_of(key) is not None

def iblt_places(g, width):  # the cell in each partition, and the checksum
    return [j * width + hi(splitmix64(g + j), width) for j in range(4)], splitmix64(g + 4)

def iblt_list(file):  # the keys with their signs, and if the list is complete
    size, zero = file.record('2I')
    need(4 <= size <= 64 and zero == 0 and file.capacity > 0 and file.count == 0)
    width = (7 * file.capacity + 139) // 20  # the number of cells in a partition
    number = 4 * width
    cells = list(zip(file.record('%dI' % number), file.record('%dQ' % number), (
        int.from_bytes(file.take(size), 'little') for _ in range(number))))
    need(not any(file.take(file.at % 8)))  # 4 bytes of padding or none, since all parts are multiples of 4

    def plus(cell, counts, sign=1):
        return (cell[0] + sign * counts[0]) % 2**32, cell[1] + sign * counts[1] & M64, cell[2] ^ counts[2]
    need(len({reduce(plus, cells[j * width:(j + 1) * width]) for j in range(4)}) == 1)

    listed, work, done = {}, list(range(number)), set()
    while work:
        i = work.pop()
        sign = {1: 1, 2**32 - 1: -1}.get(cells[i][0])
        if sign is None or i in done:
            continue
        key = cells[i][2].to_bytes(size, 'little')
        where, check = iblt_places(file.g(key), width)
        alone = (1, check, cells[i][2])
        if cells[i] == plus((0, 0, 0), alone, sign) and i in where and not done & {*where}:
            listed[key] = sign
            for j in where:
                cells[j] = plus(cells[j], alone, -sign)
            done.add(i)
            work += where
    return listed, not any(any(cell) for cell in cells)

def iblt(file):
    listed, _ = iblt_list(file)
    return lambda key: listed.get(key, 0)

def bit_array(file):
    bits = file.array(file.capacity)
    need(bits.bit_count() == file.count)
    return lambda index: bits >> index & 1

def sorted_list(file, count, width, k):  # integers of `width` bytes, in ascending order
    parameters, values = range(8 * width - 29, 8 * width - 1), []
    need(k in parameters)
    if count > 0:
        values.append(int.from_bytes(file.take(width), 'big'))
    stream = int.from_bytes(file.payload[file.at:], 'little')
    at, gaps = 0, []
    for _ in range(count - 1):
        ones = 0
        while stream >> at & 1:
            ones, at = ones + 1, at + 1
        gaps.append(ones << k | stream >> at + 1 & 2**k - 1)
        need(gaps[-1] > 0)  # after the end of the data, all bits are 0
        values.append(values[-1] + gaps[-1])
        at += 1 + k
    need(count == 0 or values[-1] < 2**(8 * width))
    used = int.from_bytes(file.take((at + 7) // 8), 'little')
    need(used >> at == 0)
    need(k == min(parameters, key=lambda k: sum((gap >> k) + k for gap in gaps)))
    return values

def url_list(file):
    width, k, size, shapes = file.record('4I')
    rule = file.take(64)
    need(width in (4, 8, 16, 32) and 1 <= size <= 64 and file.capacity == file.count)
    need(shapes < 64 and (shapes or file.count == 0))
    need(all(32 <= byte < 127 for byte in rule[:size]) and not any(rule[size:]))
    prefixes = set(sorted_list(file, file.count, width, k))
    return lambda sha256: int.from_bytes(sha256[:width], 'big') in prefixes

def url_delta(file):
    result, width, removals_k, additions_k, shapes = file.record('I4B')
    need(width in (4, 8, 16, 32) and shapes < 64 and (shapes or file.count == 0))
    sorted_list(file, file.capacity, 4, removals_k)
    additions = sorted_list(file, file.count, width, additions_k)
    return lambda sha256: int.from_bytes(sha256[:width], 'big') in additions

TYPES = {1: bloom, 2: blocked_bloom, 3: counting_bloom, 4: tombstone_bloom, 5: deletable_bloom,
         6: scalable_bloom, 7: rotating_bloom, 8: d_left_counting, 9: cuckoo, 10: binary_fuse, 11: ribbon,
         12: exact, 13: bloomier, 14: iblt, 15: bit_array,
         32: url_list, 33: url_delta}

def main(path, secret=None):
    file = File(open(path, 'rb').read(), secret and bytes.fromhex(secret))
    answer = TYPES[file.kind](file)
    need(file.at == len(file.payload))
    key_of = int if file.kind == 15 else bytes.fromhex
    print(*(int(answer(key_of(line.strip()))) for line in sys.stdin), sep='\n')

if __name__ == '__main__':
    main(*sys.argv[1:])
