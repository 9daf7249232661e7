"""Writes the golden folders of pages: python3 make_pages.py FOLDER [NAME]...
It shares no code with the package: it builds tables by sections 5.11, 5.12 and 5.14 of FORMAT.md, and pages and
manifests by section 10. If names are given, it writes only these folders."""
import hashlib, json, math, os, struct, sys
from collections import deque
from itertools import count
from hashes import M64, crc32c, fmix64, siphash_2_4, splitmix64, xxh3_64
from pages import PAGE, proof_of, route, sha256, tree
from read_format import TYPES, File, fuse_places, retrieval_hash, retrieval_place
from read_pages import KINDS, Pages
from read_published import BASE, ORDER, P, canonical, times

class Echelon:
    """Equations over GF(2). Each is stored at the slot of its first coefficient."""
    def __init__(self):
        self.rows = {}

    def insert(self, slot, mask, row):  # returns the slot, or None if the equation depends on the others
        while slot in self.rows:
            mask, row = mask ^ self.rows[slot][0], row ^ self.rows[slot][1]
            if mask == 0:
                return None
            zeros = (mask & -mask).bit_length() - 1
            mask, slot = mask >> zeros, slot + zeros
        self.rows[slot] = mask, row
        return slot

    def solve(self, m):
        slots = [0] * m
        for slot in sorted(self.rows, reverse=True):
            mask, row = self.rows[slot]
            for k in range(mask.bit_length()):  # for k = 0 the slot is still 0
                row ^= slots[slot + k] * (mask >> k & 1)
            slots[slot] = row
        return slots

class Retrieval:
    def __init__(self, values, seed, v, r, first_part=0):  # values: hash to value
        self.values, self.seed, self.w, self.r, self.first_part = values, seed, v + r, r, first_part
        self.levels, left = [], list(values)
        while True:
            bumps = len(left) >= 4096
            left = (self.bump if bumps else self.finish)(left)
            if not bumps:
                break

    def part(self):  # the part number of the next level
        return self.first_part + len(self.levels)

    def place(self, h, attempt, m):
        first, mask, check = retrieval_place(h, self.seed, self.part(), attempt, m)
        return first, mask & (1 << m) - 1, self.values[h] << self.r | check % 2**self.r

    def bump(self, left):
        m = len(left) - len(left) // 16
        for attempt in count():
            echelon, thresholds, gone = Echelon(), [3] * -(-(m - 63) // 128), []
            buckets = [[] for _ in thresholds]
            for h in sorted(left, key=lambda h: -retrieval_hash(h, self.seed, self.part(), attempt)):
                place = self.place(h, attempt, m)
                buckets[place[0] // 128].append((h, place))
            for i, bucket in enumerate(buckets):
                gone += self.fill(echelon, thresholds, i, bucket)
            if len(gone) <= len(left) // 8:
                self.levels.append((m, attempt, thresholds, echelon.solve(m)))
                return gone

    def fill(self, echelon, thresholds, i, bucket):  # returns the keys of a bucket that are bumped
        kinds = [2 if first % 128 < 17 else 1 if first % 128 < 38 else 0 for _, (first, _, _) in bucket]
        taken = []
        for kind, (h, place) in zip(kinds, bucket):
            slot = echelon.insert(*place)
            if slot is None:
                thresholds[i] = kind
                for other, used in taken:
                    if other >= kind:
                        del echelon.rows[used]
                return [h for other, (h, _) in zip(kinds, bucket) if other >= kind]
            taken.append((kind, slot))
        return []

    def finish(self, left):
        n = len(left)
        for attempt in count():
            m = n + (6 * n + n * n // 1000) // 900 + attempt // 64 * (1 + n // 256)
            echelon = Echelon()
            if all(echelon.insert(*self.place(h, attempt, m)) is not None for h in left):
                self.levels.append((m, attempt, None, echelon.solve(m)))
                return []

    def payload(self):
        last, p, q = len(self.levels) - 1, self.w // 8, self.w % 8
        data = b''.join(struct.pack('<IHBB', m, attempt, self.w, last - i)
                        for i, (m, attempt, _, _) in enumerate(self.levels))
        for m, _, thresholds, slots in self.levels:
            if thresholds is not None:
                pairs = sum(one << 2 * i for i, one in enumerate(thresholds))
                data += pairs.to_bytes((len(thresholds) + 3) // 4, 'little')
            for j in range(p):
                data += bytes(slot >> 8 * j & 255 for slot in slots)
            bits, at = 0, 0
            for block in range(0, m, 64):
                for j in range(q):
                    for slot in slots[block:block + 64]:
                        bits, at = bits | (slot >> 8 * p + j & 1) << at, at + 1
            data += bits.to_bytes((q * m + 7) // 8, 'little')
        return data

def file_of(kind, secret, seed, keys, payload):
    key_id = siphash_2_4(b'tamis-key-id', secret) if secret else 0
    header = b'\x89TMS\r\n\x1a\n' + struct.pack(
        '<HBBI5QI', 1, KINDS[kind], 2 if secret else 1, 0, seed, key_id, keys, keys, len(payload), crc32c(payload))
    return header + struct.pack('<I', crc32c(header)) + payload

def fuse_shape(n, a, attempt):  # the number of segments, and the log2 of a segment's slots
    log = math.log2(max(n, 2))
    s = min(18, int(0.625 * log))
    f = max(1.125, 0.97 + 3.15 / log) if a == 3 else max(1.075, 0.865 + 4.05 / log)
    c = -(-math.ceil(n * f) // 2**s) - (a - 1)  # at least 1 for every n
    return c + attempt // 3 * max(1, c // 64), s

def peeled(where, m):  # m slots; where: key to (fingerprint, slots); None if some keys are never alone
    keys_of, queue, order, searched = [set() for _ in range(m)], deque(), [], 0
    for key, (_, places) in enumerate(where):
        for p in places:
            keys_of[p].add(key)
    while queue or searched < m:
        if not queue:
            queue += [p for p in range(searched, min(searched + 64, m)) if len(keys_of[p]) == 1]
            searched += 64
            continue
        own = queue.popleft()
        if len(keys_of[own]) == 1:
            key, = keys_of[own]
            order.append((key, own))
            for p in where[key][1]:
                keys_of[p].remove(key)
                if len(keys_of[p]) == 1:
                    queue.append(p)
    slots = [0] * m
    for key, own in reversed(order):
        total, places = where[key]
        for p in places:
            total ^= slots[p]
        slots[own] = total
    return slots if len(order) == len(where) else None

def fuse_file(secret, seed, hashes, arity, r):
    n = len(hashes)
    a = arity or arity_of(n)
    if n == 0:
        return file_of('binary-fuse', secret, seed, 0, struct.pack('<I4B', 0, 0, a, r, 0))
    for attempt in count():
        own = splitmix64(splitmix64(seed) + attempt & M64) if attempt else seed
        segments, s = fuse_shape(n, a, attempt)
        m = segments + a - 1 << s
        slots = peeled([fuse_places(g, segments, s, a) for g in sorted(fmix64(h + own & M64) for h in hashes)], m)
        if slots is not None:
            bits = sum(slot % 2**r << i * r for i, slot in enumerate(slots))
            payload = struct.pack('<I4B', segments, s, a, r, 0) + bits.to_bytes(-(-m * r // 64) * 8, 'little')
            return file_of('binary-fuse', secret, own, n, payload)

def exact_file(secret, seed, included, excluded):  # included: hash to 0; excluded: hashes
    r, first, passes = check_bits(len(included), len(excluded)), b'', lambda key: len(included) > 0
    if r:
        first = Retrieval(included, seed, 0, r).payload()
        passes = TYPES[11](File(file_of('ribbon', secret, seed, len(included), first), secret))
    passing = [h for h, key in excluded.items() if passes(key)]
    low = lambda h: fmix64(h + seed & M64) % 2
    second = Retrieval({**{h: low(h) ^ 1 for h in included}, **{h: low(h) for h in passing}}, seed, 1, 0, 16)
    record = struct.pack('<2Q2I', len(excluded), len(passing), r, 0)
    return file_of('exact', secret, seed, len(included), record + first + second.payload())

def page_file(one, values, excluded):  # values: hash to value; excluded: hashes
    kind, secret, seed, v, r = (one[name] for name in ('type', 'secret', 'seed', 'v', 'r'))
    if kind == 'binary-fuse':
        return fuse_file(secret, seed, values, one['arity'], r)
    if kind == 'exact':
        return exact_file(secret, seed, values, excluded)
    record = struct.pack('<2I', v, r) if kind == 'bloomier' else b''
    return file_of(kind, secret, seed, len(values), record + Retrieval(values, seed, v, r).payload())

def arity_of(n):
    return 3 if n < 100000 else 4

def check_bits(included, excluded):  # the least r with floor(excluded / 2^r) < 2 included, at most 32
    return min(32, (excluded // (2 * included)).bit_length()) if included else 0

def retrieval_bytes(n, w):  # the expected size of all levels for n keys
    total = 0
    while n >= 4096:
        m = n - n // 16
        total += -(-(m - 63) // 512) - (-m * w // 8)
        n = n // 16 + n // 5000
    return total - (-(n + (6 * n + n * n // 1000) // 900) * w // 8)

def exact_bytes(n, excluded):
    r = check_bits(n, excluded)
    passing = (2 * excluded >> r) + 1 >> 1
    return (retrieval_bytes(n, r) if r else 0) + retrieval_bytes(n + passing, 1)

def fuse_bytes(n, arity, r):
    a = arity or arity_of(n)
    segments, s = fuse_shape(n, a, 0)
    return -(-(segments + a - 1 << s) * r // 64) * 8

def stride_of(kind, keys, excluded, pages, w, arity):
    n, x = (math.ceil(mean + 8 * math.sqrt(mean)) for mean in (-(-keys // pages), -(-excluded // pages)))
    size = (216 + exact_bytes(n, x) if kind == 'exact' else 72 + fuse_bytes(n, arity, w) if kind == 'binary-fuse' else
            {'ribbon': 128, 'bloomier': 136}[kind] + retrieval_bytes(n, w))
    return -(-(size + 32 * (pages - 1).bit_length()) // 64) * 64

def packed(point):  # a point of Ed25519 as 32 bytes
    x, y = (one * pow(point[2], -1, P) % P for one in point[:2])
    return (y | (x & 1) << 255).to_bytes(32, 'little')

def sign(secret_key, message):  # RFC 8032, section 5.1.6
    digest = hashlib.sha512(secret_key).digest()
    scalar = int.from_bytes(digest[:32], 'little') & (1 << 254) - 8 | 1 << 254
    number = int.from_bytes(hashlib.sha512(digest[32:] + message).digest(), 'little') % ORDER
    public, start = packed(times(scalar, BASE)), packed(times(number, BASE))
    challenge = hashlib.sha512(start + public + message).digest()
    total = (number + int.from_bytes(challenge, 'little') * scalar) % ORDER
    return public, start + total.to_bytes(32, 'little')

def crowded(n, first_half, seed):  # n key numbers, first_half of which start in the first half of a level
    room, numbers = [first_half, n - first_half], []
    for i in count():
        half = retrieval_hash(xxh3_64(b'key%d' % i), seed, 0, 0) >> 63
        if room[half] > 0:
            room[half] -= 1
            numbers.append(i)
        if len(numbers) == n:
            return numbers

def write(root_folder, one):
    """Writes a folder of pages, and returns the expected answers."""
    kind, secret, seed, pages, v, r = (one[name] for name in ('type', 'secret', 'seed', 'pages', 'v', 'r'))
    numbers = crowded(one['keys'], one['first_half'], seed) if one['first_half'] else range(one['keys'])
    by_page, excluded = ([{} for _ in range(pages)] for _ in range(2))
    for folder_of, name, some in (by_page, b'key%d', numbers), (excluded, b'other%d', range(one['excluded'])):
        for i in some:
            h = siphash_2_4(name % i, secret) if secret else xxh3_64(name % i)
            folder_of[route(PAGE, h, seed, pages)][h] = i % 2**v if folder_of is by_page else name % i
    stride = stride_of(kind, one['keys'], one['excluded'], pages, v + r, one['arity'])
    room = stride - 32 * (pages - 1).bit_length()
    leaves = [page_file(one, *some).ljust(room, b'\0') for some in zip(by_page, excluded)]
    assert all(len(leaf) == room for leaf in leaves)
    levels = tree([sha256(leaf) for leaf in leaves])
    root, per_part = levels[-1][0].hex(), one['per_part'] or 2**24 // stride
    manifest = {
        'name': one['name'], 'seq': 1, 'created': '2026-11-23T00:00:00.000Z',
        'notAfter': '2026-11-30T00:00:00.000Z', 'type': kind, 'hash': 'keyed' if secret else 'fast',
        'seed': str(seed), **({'keyCheck': '%016x' % siphash_2_4(b'tamis-key-id', secret)} if secret else {}),
        'keys': one['keys'], 'pages': pages, 'stride': stride, 'pagesPerPart': per_part,
        'parts': -(-pages // per_part), 'root': root}
    public = None
    if one['signs']:
        public = sign(SECRET_KEY, b'')[0]
        manifest['keyId'] = sha256(public).hex()[:16]
        text = canonical(json.loads(json.dumps(manifest), parse_int=float))
        manifest['sig'] = sign(SECRET_KEY, b'tamis-pages-1\n' + text.encode())[1].hex()
    files = {'manifest.json': json.dumps(manifest, separators=(',', ':')).encode()}
    for part in range(manifest['parts']):
        some = range(part * per_part, min(pages, (part + 1) * per_part))
        files['%s.%s.%d.%s' % (one['name'], root[:16], part, 'page' if per_part == 1 else 'pages')] = b''.join(
            leaves[page] + proof_of(levels, page) for page in some)
    folder = os.path.join(root_folder, one['name'])
    os.makedirs(folder)
    for name, data in files.items():
        with open(os.path.join(folder, name), 'wb') as file:
            file.write(data)
    found = Pages(folder, public and [public], secret)
    answers = [found.get(b'absent%d' % i) for i in range(1000)]
    return {
        'name': one['name'], 'keys': one['keys'], 'valueBits': v, 'checkBits': r,
        **{name: one[name] for name in ('excluded', 'arity') if one[name]},
        **({'chosen': sum(1 << i for i in numbers).to_bytes(numbers[-1] // 8 + 1, 'little').hex()}
           if one['first_half'] else {}),
        **({'publicKey': public.hex()} if public else {}), **({'secret': secret.hex()} if secret else {}),
        'files': {name: sha256(data).hex() for name, data in files.items()},
        'answers': ['-' if answer is None else answer for answer in answers] if kind == 'bloomier' else
                   ''.join(str(int(answer)) for answer in answers)}

# RFC 8032, section 7.1, test 1.
SECRET_KEY = bytes.fromhex('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60')
SETS = [
    {'name': 'ribbon', 'type': 'ribbon', 'keys': 13000, 'pages': 3, 'seed': 7, 'signs': True},
    {'name': 'few', 'type': 'ribbon', 'keys': 5, 'pages': 6},
    {'name': 'keyed', 'type': 'ribbon', 'keys': 600, 'pages': 1, 'r': 16, 'secret': bytes(range(16))},
    {'name': 'map', 'type': 'bloomier', 'keys': 300, 'pages': 7, 'seed': 2**64 - 1, 'v': 10},
    {'name': 'none', 'type': 'ribbon', 'keys': 0, 'pages': 1},
    {'name': 'one', 'type': 'ribbon', 'keys': 1, 'pages': 1},
    {'name': 'apart', 'type': 'ribbon', 'keys': 30, 'pages': 5, 'seed': 12345, 'per_part': 1},
    {'name': 'fuse', 'type': 'binary-fuse', 'keys': 400, 'pages': 3},
    {'name': 'fuse-4', 'type': 'binary-fuse', 'keys': 300, 'pages': 2, 'arity': 4, 'r': 11},
    {'name': 'fuse-attempts', 'type': 'binary-fuse', 'keys': 90, 'pages': 1, 'seed': 40},
    {'name': 'fuse-few', 'type': 'binary-fuse', 'keys': 5, 'pages': 5},
    {'name': 'exact', 'type': 'exact', 'keys': 200, 'pages': 3, 'seed': 5, 'excluded': 3000},
    {'name': 'exact-even', 'type': 'exact', 'keys': 20, 'pages': 2, 'excluded': 25},
    {'name': 'exact-few', 'type': 'exact', 'keys': 5, 'pages': 5, 'excluded': 9},
    # Last levels that need more than 64 attempts, with slightly fewer and slightly more than 256 keys.
    {'name': 'attempts-255', 'type': 'ribbon', 'keys': 255, 'pages': 1, 'seed': 22, 'r': 7},
    {'name': 'attempts-256', 'type': 'bloomier', 'keys': 256, 'pages': 1, 'seed': 32, 'v': 3, 'r': 12},
    # Sizes of last levels at which the formula for their slots jumps.
    {'name': 'slots-1024', 'type': 'ribbon', 'keys': 1024, 'pages': 1, 'r': 1},
    {'name': 'slots-1025', 'type': 'ribbon', 'keys': 1025, 'pages': 1, 'r': 1},
    {'name': 'level', 'type': 'ribbon', 'keys': 4096, 'pages': 1, 'r': 1},
    # Levels that bump exactly an eighth of their keys, or more, so that another attempt is needed.
    {'name': 'crowded', 'type': 'ribbon', 'keys': 4572, 'pages': 1, 'seed': 8, 'r': 1, 'first_half': 2736},
    {'name': 'overcrowded', 'type': 'ribbon', 'keys': 4573, 'pages': 1, 'r': 1, 'first_half': 2750}]

def main(folder, *names):
    defaults = {'seed': 0, 'secret': None, 'v': 0, 'r': 8, 'arity': 0, 'excluded': 0, 'first_half': 0, 'signs': False,
                'per_part': 0}
    sets = [write(folder, {**defaults, **one}) for one in SETS if not names or one['name'] in names]
    with open(os.path.join(folder, 'sets.json'), 'w') as file:
        file.write('[\n  %s\n]\n' % ',\n  '.join(json.dumps(one) for one in sets))

if __name__ == '__main__':
    main(*sys.argv[1:])
