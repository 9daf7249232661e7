"""Reads a folder of pages, by section 10 of FORMAT.md:
python3 read_pages.py FOLDER NOW_MS NAME PUBLIC_KEY|- [HEX_OF_THE_SECRET_KEY] < KEYS
NAME is the name of the set. It checks the manifest and every page; with - the manifest needs no signature. Each line of
KEYS is a key in hex, for which it prints 1 or 0; for a map it prints the value, or - if there is none."""
import os, sys
from datetime import datetime, timedelta, timezone
from hashes import siphash_2_4, xxh3_64
from pages import PAGE, climb, route, sha256, tree
from read_format import TYPES, File, bloomier_value, need
from read_published import digest, instant, integer, matches, open_signed

KINDS = {'ribbon': 11, 'binary-fuse': 10, 'exact': 12, 'bloomier': 13}
PAGES = {
    'name': matches(r'[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}'), 'seq': integer(1), 'created': instant,
    'notAfter': instant, 'type': matches('|'.join(KINDS)), 'hash': matches('fast|keyed'),
    'seed': lambda value: matches(r'0|[1-9][0-9]{0,19}')(value) and int(value) < 2**64,
    'keyCheck': lambda value: value is None or matches('[0-9a-f]{16}')(value), 'keys': integer(0),
    'pages': integer(1), 'stride': integer(64), 'pagesPerPart': integer(1), 'parts': integer(1), 'root': digest}

def open_pages_manifest(data, public_keys):
    _, value = open_signed(b'tamis-pages-1', PAGES, data, public_keys)
    need(('keyCheck' in value) == (value['hash'] == 'keyed') and value['pages'] <= 2**31)
    pages, stride, room, parts = (int(value[name]) for name in ('pages', 'stride', 'pagesPerPart', 'parts'))
    proof = 32 * (pages - 1).bit_length()
    need(stride % 64 == 0 and 64 + proof <= stride <= 2**24)
    need(room in (1, 2**24 // stride) and parts == -(-pages // room))
    return {**value, 'pages': pages, 'stride': stride, 'pagesPerPart': room, 'parts': parts, 'proof': proof}

class Pages:
    def __init__(self, folder, public_keys, secret=None, name=None):
        with open(os.path.join(folder, 'manifest.json'), 'rb') as file:
            self.manifest = open_pages_manifest(file.read(), public_keys)
        need(name in (None, self.manifest['name']), 'INCOMPATIBLE')
        self.folder, self.secret, self.seed = folder, secret, int(self.manifest['seed'])
        is_keyed = self.manifest['hash'] == 'keyed'
        need(secret is not None or not is_keyed, 'KEY_REQUIRED')
        of_secret = '%016x' % siphash_2_4(b'tamis-key-id', secret) if is_keyed else None
        need(is_keyed == (secret is not None) and of_secret == self.manifest.get('keyCheck'), 'WRONG_KEY')
        self.loaded = {}

    def read(self, page):  # the bytes of the page without its proof
        part, place = divmod(page, self.manifest['pagesPerPart'])
        ending = 'page' if self.manifest['pagesPerPart'] == 1 else 'pages'
        name = '%s.%s.%d.%s' % (self.manifest['name'], self.manifest['root'][:16], part, ending)
        try:
            with open(os.path.join(self.folder, name), 'rb') as file:
                file.seek(place * self.manifest['stride'])
                data = file.read(self.manifest['stride'])
        except FileNotFoundError:
            need(False, 'UNAVAILABLE')
        need(len(data) == self.manifest['stride'], 'TRUNCATED')
        end = len(data) - self.manifest['proof']
        need(climb(sha256(data[:end]), page, data[end:]).hex() == self.manifest['root'])
        return data[:end]

    def look_up(self, page):  # the page's file, and a function that looks up a key
        leaf = self.read(page)
        end = 64 + int.from_bytes(leaf[48:56], 'little')
        need(end <= len(leaf) and not any(leaf[end:]))
        file = File(leaf[:end], self.secret)
        need(file.kind == KINDS[self.manifest['type']], 'WRONG_TYPE')
        answer = (bloomier_value if file.kind == 13 else TYPES[file.kind])(file)
        need(file.at == len(file.payload))
        return file, answer

    def check(self):  # checks every page, and that no file is missing or additional
        pages = range(self.manifest['pages'])
        root = tree([sha256(self.read(page)) for page in pages])[-1][0]
        need(root.hex() == self.manifest['root'])
        files = [self.look_up(page)[0] for page in pages]
        # For binary-fuse, the file has the seed of the attempt that succeeded.
        need(all(file.kind == 10 or file.seed == self.seed for file in files))
        need(sum(file.count for file in files) == self.manifest['keys'])

    def get(self, key):
        h = xxh3_64(key) if self.secret is None else siphash_2_4(key, self.secret)
        page = route(PAGE, h, self.seed, self.manifest['pages'])
        if page not in self.loaded:
            self.loaded[page] = self.look_up(page)[1]
        return self.loaded[page](key)

def main(folder, now_ms, name, public_key, secret=None):
    keys = None if public_key == '-' else [bytes.fromhex(public_key)]
    pages = Pages(folder, keys, secret and bytes.fromhex(secret), name)
    now = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(milliseconds=int(now_ms))
    need(now < instant(pages.manifest['notAfter']), 'EXPIRED')
    pages.check()
    for line in sys.stdin:
        answer = pages.get(bytes.fromhex(line.strip()))
        is_map = pages.manifest['type'] == 'bloomier'
        print('-' if answer is None else answer if is_map else int(answer))

if __name__ == '__main__':
    main(*sys.argv[1:])
