"""Writes the golden folders of pages: python3 make_pages.py FOLDER. It shares no code with the package: retrievals
are built by section 5.12 of FORMAT.md, pages and manifests by section 10."""
import hashlib, json, math, os, struct, sys
from hashes import crc32c, siphash_2_4, xxh3_64
from pages import PAGE, proof_of, route, sha256, tree
from read_format import retrieval_hash, retrieval_place
from read_pages import KINDS, Pages
from read_published import BASE, ORDER, P, canonical, times

class Echelon:
    """Equations over GF(2), each at the slot where its first coefficient stands."""
    def __init__(self):
        self.rows = {}

    def insert(self, slot, mask, row):  # its slot; None: it depends on those that are there
        while slot in self.rows:
            mask, row = mask ^ self.rows[slot][0], row ^ self.rows[slot][1]
            if mask == 0:
                return None
            zeros = (mask & -mask).bit_length() - 1
            mask, slot = mask >> zeros, slot + zeros
        self.rows[slot] = mask, row
        return slot

    def solve(self, m):
        slots = [0] * (m + 64)
        for slot in sorted(self.rows, reverse=True):
            mask, row = self.rows[slot]
            for k in range(1, mask.bit_length()):
                row ^= slots[slot + k] * (mask >> k & 1)
            slots[slot] = row
        return slots[:m]

class Retrieval:
    def __init__(self, values, seed, v, r):  # values by hash
        self.values, self.seed, self.w, self.r = values, seed, v + r, r
        self.levels, left = [], list(values)
        while True:
            bumps = len(left) >= 4096
            left = (self.bump if bumps else self.finish)(left)
            if not bumps:
                break

    def place(self, h, attempt, m):
        first, mask, check = retrieval_place(h, self.seed, len(self.levels), attempt, m)
        return first, mask & (1 << m) - 1, self.values[h] << self.r | check % 2**self.r

    def bump(self, left):
        m = len(left) - len(left) // 16
        for attempt in range(16):
            echelon, thresholds, gone = Echelon(), [3] * ((max(m - 63, 1) + 127) // 128), []
            buckets = [[] for _ in thresholds]
            for h in sorted(left, key=lambda h: -retrieval_hash(h, self.seed, len(self.levels), attempt)):
                place = self.place(h, attempt, m)
                buckets[place[0] // 128].append((h, place))
            for i, bucket in enumerate(buckets):
                gone += self.fill(echelon, thresholds, i, bucket)
            if len(gone) <= len(left) // 8:
                self.levels.append((m, attempt, thresholds, echelon.solve(m)))
                return gone
        raise RuntimeError('no attempt at a level that bumps succeeds')

    def fill(self, echelon, thresholds, i, bucket):  # the keys of a bucket that go on
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
        for attempt in range(512 if n else 1):
            m = n + (6 * n + n * n // 1000) // 900 + attempt // 64 * (1 + n // 256) if n else 0
            echelon = Echelon()
            if all(echelon.insert(*self.place(h, attempt, m)) is not None for h in left):
                self.levels.append((m, attempt, None, echelon.solve(m)))
                return []
        raise RuntimeError('no attempt at the last level succeeds')

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

def page_file(kind, secret, seed, values, v, r):
    record = struct.pack('<2I', v, r) if kind == 'bloomier' else b''
    payload = record + Retrieval(values, seed, v, r).payload()
    key_id = siphash_2_4(b'tamis-key-id', secret) if secret else 0
    header = b'\x89TMS\r\n\x1a\n' + struct.pack(
        '<HBBI5QI', 1, KINDS[kind], 2 if secret else 1, 0, seed, key_id, len(values), len(values), len(payload),
        crc32c(payload))
    return header + struct.pack('<I', crc32c(header)) + payload

def expected_bytes(n, w):  # of the levels of so many keys
    total = 0
    while n >= 4096:
        m = n - n // 16
        total += ((m - 63 + 127) // 128 + 3) // 4 + (m * w + 7) // 8
        n = n // 16 + n // 5000
    return total + ((n + (6 * n + n * n // 1000) // 900) * w + 7) // 8

def stride_of(kind, keys, pages, w):
    mean = -(-keys // pages)
    most = math.ceil(mean + 8 * math.sqrt(mean))
    size = {'ribbon': 128, 'bloomier': 136}[kind] + expected_bytes(most, w)
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

def write(root_folder, one):
    """Writes a folder of pages, and gives what is expected of it."""
    kind, secret, seed, pages, v, r = (one[name] for name in ('type', 'secret', 'seed', 'pages', 'v', 'r'))
    hashes = [siphash_2_4(key, secret) if secret else xxh3_64(key)
              for key in (b'key%d' % i for i in range(one['keys']))]
    by_page = [{} for _ in range(pages)]
    for i, h in enumerate(hashes):
        by_page[route(PAGE, h, seed, pages)][h] = i % 2**v
    stride = stride_of(kind, one['keys'], pages, v + r)
    room = stride - 32 * (pages - 1).bit_length()
    leaves = [page_file(kind, secret, seed, values, v, r).ljust(room, b'\0') for values in by_page]
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
        files['%s.%s.%d.%s' % (one['name'], root[:16], part, 'pages' if per_part > 1 else 'page')] = b''.join(
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
    {'name': 'map', 'type': 'bloomier', 'keys': 300, 'pages': 7, 'seed': 2**64 - 1, 'v': 10}]

def main(folder):
    defaults = {'seed': 0, 'secret': None, 'v': 0, 'r': 8, 'signs': False, 'per_part': 0}
    sets = [write(folder, {**defaults, **one}) for one in SETS]
    with open(os.path.join(folder, 'sets.json'), 'w') as file:
        file.write('[\n  %s\n]\n' % ',\n  '.join(json.dumps(one) for one in sets))

if __name__ == '__main__':
    main(*sys.argv[1:])
