"""Checks of cpp/format: functions of its modules whose values must not change. They use the golden files, the tables
of FORMAT.md and the vectors of tests/vectors, as tests/js/format-*.test.ts does."""
import contextlib, hashlib, io, json, os, random, re, shutil, sys, tempfile
from types import SimpleNamespace

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
VECTORS = os.path.join(ROOT, 'tests', 'vectors')
SECRET = bytes(range(16))

def text_of(*path):
    with open(os.path.join(ROOT, *path), encoding='utf-8') as file:
        return file.read()

FORMAT = text_of('cpp', 'FORMAT.md')

def value_of(check, modules):
    """Returns the result of a check, or the code of its error. The result includes the check's output."""
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            found = check(modules)
    except SystemExit as end:
        found = 'exit %s' % (end.code,)
    return found, out.getvalue()

def code_of(action, *args):
    try:
        return action(*args)
    except SystemExit as end:
        return end.code

def table(first):  # the cells of the table whose head begins so
    lines = FORMAT.split('\n')
    start = next(i for i, line in enumerate(lines) if line.startswith('| %s |' % first)) + 2
    rows = []
    while lines[start].startswith('|'):
        rows.append([cell.strip().replace('`', '') for cell in lines[start].split('|')[1:-1]])
        start += 1
    return rows

def block(name):
    after = FORMAT.split('<!-- The test reads this as the %s. -->\n' % name)[1]
    return re.match(r'\n```text\n([^`]*)\n```\n', after)[1]

def cell(what):
    rest = FORMAT.split('\n| %s | `' % what)[1]
    return rest[:rest.index('`')]

def with_input(lines, action, *args):
    before, sys.stdin = sys.stdin, io.StringIO(''.join(line + '\n' for line in lines))
    try:
        return action(*args)
    finally:
        sys.stdin = before

# The golden files

def golden(_):
    checks = {}
    for folder in 'v1', 'v1/url':
        manifest = json.loads(text_of('tests', 'vectors', folder, 'manifest.json'))
        for one in manifest['files']:
            path = os.path.join(VECTORS, folder, one['file'])
            with open(path, 'rb') as file:
                data = file.read()
            keys = [key for name in ('present', 'absent') if one['valid'] for key in manifest['lists'][one[name]]]
            checks[folder + '/' + one['file']] = golden_file(one, data, keys)
    one = os.path.join(VECTORS, 'v1', 'bloom-keyed.tamis')
    checks['read_format.main'] = lambda m: with_input(['', '61'], m.read_format.main, one, SECRET.hex())
    indices = os.path.join(VECTORS, 'v1', 'bit-array-two-words.tamis')
    checks['read_format.main of indices'] = lambda m: with_input(['0', '1'], m.read_format.main, indices)
    return checks

def golden_file(one, data, keys):
    secret = bytes.fromhex(one['key']) if 'key' in one else None

    def opened(m):
        file = m.read_format.File(data, secret)
        answer = m.read_format.TYPES[file.kind](file)
        m.read_format.need(file.at == len(file.payload))
        return answer
    if one['type'] == 'iblt' and one['valid']:
        return lambda m: (m.read_format.iblt_list(m.read_format.File(data, secret)),
                          [opened(m)(bytes.fromhex(key)) for key in keys])
    key_of = int if one['type'] == 'bit-array' else bytes.fromhex

    def check(m):
        answer = opened(m)
        found = [int(answer(key_of(key))) for key in keys]
        if one['type'] == 'bloomier' and one['valid']:
            get = m.read_format.bloomier_value(m.read_format.File(data, secret))
            found += [get(key_of(key)) for key in keys]
        return found
    return check

# Hashes

def hashes(_):
    checks, noise, g = {}, bytearray(), 2654435761
    for _ in range(5000):
        noise.append(g >> 56)
        g = g * 11400714785074694797 % 2**64
    for line in text_of('tests', 'vectors', 'xxh3-64.txt').split('\n'):
        if re.match('[0-9a-f]', line):
            size, seed, _ = line.split()
            checks['xxh3 ' + line] = lambda m, size=int(size), seed=int(seed, 16): m.hashes.xxh3_64(
                bytes(noise[:size]), seed)
    checks['siphash'] = lambda m: [m.hashes.siphash_2_4(bytes(range(i)), SECRET) for i in range(64)]
    keys = [bytes.fromhex(row[0]) for row in table('key (hex)')]
    checks['h and g'] = lambda m: [
        (m.hashes.xxh3_64(key), m.hashes.fmix64(m.hashes.xxh3_64(key)), m.hashes.siphash_2_4(key, SECRET)) for key in keys]
    names = {'MurmurHash3 x64 128': lambda m, _: m.hashes.murmur3_x64_128(b'hello'),
             'SparkMurmur3': lambda m, seed: m.hashes.spark_murmur3(b'hello', seed),
             'MurmurHash64A': lambda m, seed: m.hashes.murmur64a(b'hello', seed),
             'XXH64': lambda m, seed: m.hashes.xxh64(b'hello', seed),
             'FNV-1a-64 of units': lambda m, _: m.hashes.fnv1a_64_utf16(b'hello')}
    for name, seed, _ in table('hash'):
        number = 0 if seed == '-' else int(seed, 16)
        checks['hash %s %s' % (name, seed)] = lambda m, name=name, number=number: names[name](m, number)
    each = [bytes(range(i)) for i in range(256)]
    checks['xxh64 of 256'] = lambda m: [m.hashes.xxh64(one, 256 - len(one)) for one in each]
    checks['murmur64a of 256'] = lambda m: [m.hashes.murmur64a(one, 256 - len(one)) for one in each]
    checks['murmur2a of 256'] = lambda m: [m.hashes.murmur2a(one, 256 - len(one)) for one in each]
    checks['xxh64 of 100'] = lambda m: [m.hashes.xxh64(bytes(range(100)), seed) for seed in (0, 2**64 - 1)]
    checks['crc32c'] = lambda m: m.hashes.crc32c(b'123456789')
    wild = ['', '80', 'c3c3a9', 'e282', 'eda0bd', 'c080', 'f7bfbfbf', 'f888808080', '61e228a162', 'f09f9880', 'e282ac',
            'f48fbfbf', 'd09600']
    checks['units'] = lambda m: [list(m.hashes.utf16_units(bytes.fromhex(one))) for one in wild]
    return checks

# Positions

def positions(_):
    checks, rows = {}, {}
    for line in text_of('tests', 'vectors', 'bloom-positions.txt').split('\n'):
        if re.match(r'\d', line):
            hash_id, _, m, k, *_ = line.split()
            rows.setdefault((int(hash_id), int(m) if int(m) > 2**24 else 0), []).append(line)
    for name, some in rows.items():
        checks['positions of id %d, %d' % name] = lambda m, some=some: [m.position_vectors.row(one) for one in some]
    some = [row[:5] for row in table('scheme') if row[0] in ('mcg', 'seeds')]
    lines = [' '.join([{'mcg': '1', 'seeds': '3'}[name], '%x' % int(seed), bits, k, key or '-'])
             for name, seed, bits, k, key in some]
    checks['positions of FORMAT.md'] = lambda m: [m.position_vectors.row(line) for line in lines]
    checks['hi'] = lambda m: [m.schemes.hi(int(x, 16), int(size)) for x, size, *_ in table('x')]
    checks['blocks'] = lambda m: [m.schemes.in_block(int(g, 16), 256 * int(b)) for b, g, *_ in table('B | g')]
    checks['buckets'] = lambda m: [m.read_format.d_left_places(int(g, 16), int(b), int(r))
                                   for b, r, g, *_ in table('B | r')]
    checks['cuckoo'] = lambda m: [m.read_format.cuckoo_places(int(g, 16), int(size), int(f))
                                  for size, f, g, *_ in table('m | f')]
    checks['fuse'] = lambda m: [m.read_format.fuse_places(int(g, 16), int(c), int(s), 4) for c, s, g, *_ in table('C')]
    checks['retrieval'] = lambda m: [
        m.read_format.retrieval_place(int(h, 16), int(seed, 16), int(level), int(a), int(size))
        for seed, level, a, h, size, *_ in table('seed | level')]

    def cells(m):
        found = []
        for hash_id, seed, d, size, key, *_ in table('hash id | seed'):
            data = bytes.fromhex(key)
            h = m.hashes.siphash_2_4(data, SECRET) if hash_id == '2' else m.hashes.xxh3_64(data)
            found.append(m.read_format.iblt_places(m.hashes.fmix64(h + int(seed)), int(size) // 4))
        return found
    checks['cells'] = cells

    def rewritten(m):
        with tempfile.NamedTemporaryFile('w+', suffix='.txt') as file:
            file.write('# a line\n1 0000000000000007 1000 3 616263 0\n2 0 1000 3 - 0\n')
            file.flush()
            program = text_of('cpp', 'format', 'position_vectors.py').split("__main__':\n")[1]
            exec('if True:\n' + program, {**vars(m.position_vectors), 'sys': SimpleNamespace(argv=['', file.name])})
            with open(file.name) as again:
                return again.read()
    checks['position_vectors.py'] = rewritten
    return checks

def rates(_):
    rows = [(int(m), int(k), int(n)) for m, k, n, _ in table('m | k | n')]
    blocks = [(int(b), int(n)) for b, n, _ in table('B | n')]
    checks = {'rate %d %d %d' % row: lambda m, row=row: '%.9g' % m.rates.bloom_rate(*row) for row in rows}
    checks.update({'blocked rate %d %d' % row: lambda m, row=row: '%.9g' % m.rates.blocked_rate(*row) for row in blocks})
    return checks

# URLs

def urls(_):
    inputs = []
    for name in 'canonicalize', 'expressions':
        inputs += [one['input'].encode('latin-1') for one in json.loads(
            text_of('tests', 'vectors', 'url', name + '.json'))['vectors']]
    for one in json.loads(text_of('tests', 'vectors', 'url', 'ip.json'))['vectors']:
        inputs += [b'http://%b/' % one['input'].encode('latin-1'), b'http://[%b]/' % one['input'].encode('latin-1')]
    parts = ('http: // / . .. %2e %252f % %20 : 80 @ ? # [ ] ::1 ffff 0x7f 010 255 A b- evil \\ * %23').split(' ') + ['\t', ' ']
    chance = random.Random(1)
    for _ in range(1500):
        some = ''.join(chance.choice(parts) for _ in range(chance.randint(1, 12))).encode()
        inputs += [some, b'https://a.b.c.d.e.example/' + some]

    def one_of(m, url):
        try:
            text = m.urls.text_of(url)
            return text and (text, *(sorted(m.urls.expressions(url, rule)) for rule in ('parents', 'labels5')))
        except NotImplementedError:
            return 'idna'
    checks = {'urls %d' % i: lambda m, some=inputs[i:i + 50]: [one_of(m, url) for url in some]
              for i in range(0, len(inputs), 50)}
    long = [b'http://a.example/' + b'a' * (2**21 - n) for n in (17, 16)]
    checks['long urls'] = lambda m: [m.urls.canonical(url) is None for url in long]
    hosts = ['example.co.uk', 'a.example.co.uk', 'f.e.d.c.b.a.example.co.uk', 'co.uk', 'x.y', '1.2.3.4']

    def domains(m):
        found = []
        for host in hosts:
            whole = re.search(r'[^.]+\.co\.uk$', host)
            domain = (whole[0] if whole else host).encode()
            found.append(sorted(m.urls.expressions(b'http://%b/x' % host.encode(), domain)))
        return found
    checks['public suffixes'] = domains
    # The longest parent has 253 bytes.
    deep = [b'x.' * count + last for count in (6, 126, 127) for last in (b'y', b'yz')]
    checks['parents'] = lambda m: [sorted(m.urls.expressions(b'http://%b/' % host)) for host in [
        *deep, b'a.' + b'w' * 300 + b'.b.c.d.e.f', b'a.b.' + b'w' * 300 + b'.c.d.e.f']]
    checks['marks'] = lambda m: sorted(m.urls.marks([
        b'a.b.c.d.e.f/', b'a.b.c.d.e.f.g/x.y', b'b.c.d.e.h/', b'a.example/b.c.d.e.f.g', b'1.2.3.4/']))
    return checks

# Manifests, and the answers of confirm servers

def published(modules):
    sign = modules.make_pages.sign
    key = bytes.fromhex(cell('public key'))
    secret = bytes.fromhex(cell('secret key'))
    whole = block('manifest')
    manifest, fields = json.loads(whole), json.loads(block('signed text').split('\n')[1])
    snapshot, deltas = fields['snapshot'], fields['deltas']
    vector = json.loads(text_of('tests', 'vectors', 'url', 'manifest.json'))
    dumps = lambda value: json.dumps(value, separators=(',', ':'), ensure_ascii=False)

    def signed(more):
        unsigned = {**fields, **more}
        text = 'tamis-manifest-1\n' + dumps(unsigned)
        return dumps({**unsigned, 'sig': sign(secret, text.encode())[1].hex()})
    late = lambda time: {'notAfter': '2027-%sZ' % time}
    changed = [dumps({**manifest, **more}) for more in (
        {'seq': 3}, {'notAfter': '2036-11-29T01:00:00.000Z'}, {'snapshot': {**snapshot, 'bytes': 154}}, {'more': 'x'},
        {'sig': None}, {'sig': '00' + manifest['sig'][2:]}, {'sig': manifest['sig'].upper()},
        {'sig': manifest['sig'] + '00'}, {'keyId': '0' * 16}, {'keyId': 7})]
    deep = lambda levels: whole.replace('{', '{"deep":%s%s,' % ('[' * levels, ']' * levels), 1)
    named = lambda levels: whole.replace('{', '{"deep":%s7%s,' % ('{"x":' * levels, '}' * levels), 1)
    texts = [whole, dumps(vector['manifest']), *changed, '', 'null', '[]', '{}', whole[1:], whole + 'x',
             '[%s]' % whole, '\ufeff' + whole, deep(31), deep(32), deep(33), named(31), named(32), whole + ' ' * 2**21,
             whole + ' ' * (2**21 - len(whole.encode())), whole + ' ' * (2**21 - len(whole.encode()) + 1)]
    texts += [whole.replace('{', '{"odd":%s,' % odd, 1) for odd in (
        'NaN', '1e999', '"\\ud800"', '"\U0001f600"', '-Infinity', '{"\\ud800":1}')]
    options = [{'list': one} for one in ('', 'x' * 64, 'x' * 65, 'a\n', ' ~', 7)]
    options += [{'seq': one} for one in (0, 1, 1.5, 2**53 - 1, 2**53, '2', None)]
    options += [{'version': one} for one in ('', 'v' * 64, 'v' * 65, 3)] + [{'rule': one} for one in ('', 'r' * 64, 0)]
    options += [{'prefixBytes': one} for one in (3, 4, 5, 8, 16, 32, 64, '4')] + [{'n': one} for one in (-1, 0, 1, True)]
    options += [{'created': one} for one in ('2026-11-22', '2026-11-22T01:00:00Z', '\uff12026-11-22T01:00:00.000Z', 0)]
    options += [late(one) for one in ('02-30T00:00:00.000', '01-01T24:00:00.000', '01-01T00:00:60.000',
                                      '02-28T23:59:59.999')]
    options += [{'notAfter': fields['created']}, {'notAfter': '9999-12-31T23:59:59.999Z'}, {'hash': 'sha1'},
                {'sha256': fields['sha256'].upper()}, {'sha256': fields['sha256'] + '0'}]
    options += [{'snapshot': one} for one in (None, [], {**snapshot, 'bytes': -1}, {**snapshot, 'bytes': 0},
                                              {**snapshot, 'url': 'a b'}, {**snapshot, 'url': ''},
                                              {**snapshot, 'url': 'u' * 2048}, {**snapshot, 'url': 'u' * 2049},
                                              {**snapshot, 'sha256': '0'}, {'url': 'x'})]
    options += [{'deltas': one} for one in ({}, [], [snapshot], [None], deltas[:1] * 4096, deltas[:1] * 4097,
                                            [{**deltas[0], 'from': 'x'}])]
    texts += [signed(more) for more in options]
    checks = {'manifest %d' % i: lambda m, data=text.encode('utf-8', 'surrogatepass'): code_of(
        m.read_published.open_manifest, data, [key]) for i, text in enumerate(texts)}
    rows = json.loads(text_of('tests', 'vectors', 'url', 'signatures.json'))['vectors']
    signatures = [[bytes.fromhex(one[name]) for name in ('publicKey', 'signature', 'message')] for one in rows]
    checks['signatures'] = lambda m: [m.read_published.verifies(*one) for one in signatures]
    prime = 2**255 - 19
    points = [number.to_bytes(32, 'little') for number in (0, 1, 2, 3, 4, 5, 6, 7, 8, prime - 1, prime, prime + 1,
                                                          1 << 255, 1 | 1 << 255, 3 | 1 << 255, (prime - 1) | 1 << 255)]
    checks['points'] = lambda m: [m.read_published.point(one) for one in points]
    numbers = [0.0, -0.0, 1.0, -1.5, 1e20, 1e21, 123456789012345680000.0, 1.2345e25, 5e-324, 0.000001, 1.5e-7, 0.1, 1 / 3,
               2.0**53, 1.7976931348623157e308, 100.0, 1e-10, 12345.678, 1e-6, 1e-7, -1e21, 0.00012]
    checks['numbers'] = lambda m: [m.read_published.number_text(one) for one in numbers]
    values = [{'b': 1.0, 'a': [True, None, 'x"\u20ac'], '\U0001f600': '', '\ufb33': {}, 'aa': False}, [], {}, '']
    checks['canonical'] = lambda m: [m.read_published.canonical(one) for one in values]
    answer, question = bytes.fromhex(block('answer').replace('\n', '')).ljust(1024, b'\0'), bytes.fromhex(block('question'))
    at = lambda place, byte: answer[:place] + bytes([byte]) + answer[place + 1:]
    one = answer[12:44]
    two = answer[:8] + b'\2\0\0\0' + one + one[:4] + b'\xff' * 28
    full = answer[:8] + (31).to_bytes(4, 'little') + b''.join(one[:4] + bytes([i]) * 28 for i in range(31))
    many = lambda n: answer[:8] + n.to_bytes(4, 'little') + b''.join(one[:4] + i.to_bytes(28, 'big') for i in range(n))
    most, more = many(2047), many(2048)
    answers = [answer, b'', answer[:1023], answer + bytes(1024), at(8, 2), at(12, 0), at(44, 1), at(1023, 1),
               two.ljust(1024, b'\0'), (two[:12] + two[44:76] + two[12:44]).ljust(1024, b'\0'),
               (two[:44] + one).ljust(1024, b'\0'), full.ljust(1024, b'\0'), most.ljust(65536, b'\0'),
               most.ljust(66560, b'\0'), more.ljust(66560, b'\0'), b'\x81\x51\1\0' * 2 + bytes(1016), b'\x80\x51\1\0' * 2 + bytes(1016),
               b'\x7f\x51\1\0' * 2 + bytes(1016)]
    checks['answers'] = lambda m: [code_of(m.read_published.read_answer, data, question) for data in answers]
    prefixes = bytes(4) + question + b'\xff' * 4
    checks['answers to more'] = lambda m: [code_of(m.read_published.read_answer, data, prefixes) for data in answers]

    def at_end(m, now, name=manifest['list']):
        before, sys.stdin = sys.stdin, SimpleNamespace(buffer=io.BytesIO(whole.encode()))
        try:
            return m.read_published.main(str(now), name, key.hex())
        finally:
            sys.stdin = before
    end = round(modules.read_published.instant(manifest['notAfter']).timestamp() * 1000)
    for now in end - 1, end:
        checks['main at %d' % now] = lambda m, now=now: at_end(m, now)
    checks['main for another list'] = lambda m: at_end(m, end - 1, 'other')
    return checks

# Pages and shards

def routes(_):
    checks = {}
    checks['routes of pages'] = lambda m: [m.pages.route(m.pages.PAGE, int(h, 16), int(seed, 16), int(number))
                                           for seed, h, number, _ in table('seed | h | pages')]
    checks['tree'] = lambda m: [m.pages.tree([m.pages.sha256(b'page %d' % j) for j in range(i)])[-1][0] for i in range(1, 10)]

    def redis(m):
        found = []
        for seed, h, shards, blocks, *_ in table('seed | h | shards'):
            h, seed = int(h, 16), int(seed, 16)
            found.append([m.pages.route(m.pages.SHARD, h, seed, int(shards)),
                          *[m.pages.redis_offset(bit) for bit in m.pages.block_bits(h, seed, int(blocks))]])
        return found
    checks['redis'] = redis
    return checks

def pages(modules):
    checks = {}
    sets = {one['name']: one for one in json.loads(text_of('tests', 'vectors', 'pages', 'sets.json'))}
    folder_of = lambda name: os.path.join(VECTORS, 'pages', name)
    now = str(1_795_478_400_000)  # a day after `created`
    absent = ['absent%d' % i for i in range(1000)]

    def ask(folder, public=None, secret=None, keys=(), at=now, name=None):
        if name is None:
            with open(os.path.join(folder, 'manifest.json')) as file:
                name = json.load(file)['name']
        def check(m):
            args = [folder, at, name, public or '-', *([secret] if secret else [])]
            return with_input([key.encode().hex() for key in keys], m.read_pages.main, *args)
        return check
    for name, one in sets.items():
        chosen = int.from_bytes(bytes.fromhex(one.get('chosen', '')), 'little') or 2**one['keys'] - 1
        present = ['key%d' % i for i in range(chosen.bit_length()) if chosen >> i & 1]
        others = ['other%d' % i for i in range(one.get('excluded', 0))]
        keys = present[::1 + len(present) // 300] + others[::1 + len(others) // 300] + absent[:300]
        checks['pages ' + name] = ask(folder_of(name), one.get('publicKey'), one.get('secret'), keys)
    few, keyed, signed = sets['few'], sets['keyed'], sets['ribbon']
    copies = tempfile.mkdtemp(prefix='tamis-mutants-')
    parent = os.getpid()
    import atexit
    atexit.register(lambda: os.getpid() == parent and shutil.rmtree(copies, ignore_errors=True))

    def copy(name, change):
        folder = os.path.join(copies, str(len(os.listdir(copies))))
        shutil.copytree(folder_of(name), folder)
        change(folder)
        return folder

    def manifest(more):
        def change(folder):
            path = os.path.join(folder, 'manifest.json')
            with open(path) as file:
                value = {**json.load(file), **more}
            with open(path, 'w') as file:
                json.dump({name: one for name, one in value.items() if one != 'gone'}, file)
        return change

    def part(edit):
        def change(folder):
            path = next(os.path.join(folder, one) for one in os.listdir(folder) if 'page' in one.split('.')[-1])
            with open(path, 'rb') as file:
                data = bytearray(file.read())
            data = edit(data)
            if data is None:
                os.remove(path)
            else:
                with open(path, 'wb') as file:
                    file.write(data)
        return change

    def flip(at):
        def edit(data):
            data[at] ^= 1
            return data
        return edit
    stride = modules.read_pages.Pages(folder_of('few'), None).manifest['stride']
    wrong = [{'name': '../few'}, {'name': 'x' * 64}, {'name': 'x' * 65}, {'name': ''}, {'seq': 0}, {'type': 'bloom'},
             {'type': 'exact'}, {'hash': 'keyed'}, {'hash': 'x'}, {'keyCheck': '0' * 16}, {'keyCheck': None}, {'seed': 0},
             {'seed': '00'}, {'seed': str(2**64)}, {'seed': str(2**64 - 1)}, {'seed': '1'}, {'keys': 4}, {'keys': -1},
             {'pages': 0}, {'pages': 5}, {'pages': 7}, {'pages': 2**31}, {'pages': 2**31 + 1}, {'stride': stride + 32},
             {'stride': stride + 64}, {'stride': 0}, {'stride': 128, 'pagesPerPart': 1, 'parts': 6},
             {'stride': 160, 'pagesPerPart': 1, 'parts': 6}, {'stride': 192, 'pagesPerPart': 1, 'parts': 6},
             {'stride': 2**24, 'pagesPerPart': 1, 'parts': 6}, {'stride': 2**24 + 64, 'pagesPerPart': 1, 'parts': 6},
             {'pagesPerPart': 2}, {'pagesPerPart': 1, 'parts': 6}, {'parts': 2}, {'parts': 0},
             {'notAfter': '2026-11-23T00:00:00.000Z'}, {'root': '0' * 64}, {'root': '0' * 63}, {'created': 'x'}]
    for more in wrong:
        checks['pages of %s' % more] = ask(copy('few', manifest(more)), keys=['key0'])
    edits = [flip(0), flip(stride + 70), flip(2 * stride - 65), flip(3 * stride - 1), flip(stride - 97), lambda data: data[:-1],
             lambda data: data[stride:2 * stride] + data[:stride] + data[2 * stride:], lambda data: None]
    for i, edit in enumerate(edits):
        checks['pages changed %d' % i] = ask(copy('few', part(edit)), keys=['key0'])
    def alone(leaf):  # the folder of one page, which has 28 keys
        root = hashlib.sha256(leaf).hexdigest()

        def change(folder):
            more = {'keys': 28, 'pages': 1, 'stride': len(leaf), 'pagesPerPart': 2**24 // len(leaf), 'root': root}
            manifest(more)(folder)
            with open(os.path.join(folder, 'few.%s.0.pages' % root[:16]), 'wb') as file:
                file.write(leaf)
        return ask(copy('few', change), keys=['', 'key0'])
    with open(os.path.join(VECTORS, 'v1', 'ribbon-16-bits.tamis'), 'rb') as file:
        page = file.read()  # 128 bytes, which may be a stride
    for name, leaf in {'that fills its leaf': page, 'longer than its leaf': page[:64], 'before zeros': page + bytes(64),
                       'before others': page + bytes(63) + b'\1'}.items():
        checks['page ' + name] = alone(leaf)
    public = signed['publicKey']
    end = modules.read_published.instant('2026-11-30T00:00:00.000Z').timestamp() * 1000
    for name, check in {
            'seq': ask(copy('ribbon', manifest({'seq': 2})), public), 'other key': ask(folder_of('ribbon'), '0' * 64),
            'unsigned': ask(folder_of('few'), public), 'last': ask(folder_of('few'), at=str(int(end) - 1)),
            'expired': ask(folder_of('few'), at=str(int(end))), 'no key': ask(folder_of('keyed')),
            'other secret': ask(folder_of('keyed'), secret='00' * 16),
            'upper key id': ask(copy('keyed', manifest({'keyCheck': 'A58F174F54081C60'})), secret=keyed['secret']),
            'needless secret': ask(folder_of('few'), secret='00' * 16),
            'other name': ask(folder_of('few'), name='other')}.items():
        checks['pages, ' + name] = check

    def made(m, *names):
        with tempfile.TemporaryDirectory() as folder:
            m.make_pages.main(folder, *names)
            files = {}
            for place, _, found in os.walk(folder):
                for file in found:
                    with open(os.path.join(place, file), 'rb') as data:
                        files[os.path.relpath(os.path.join(place, file), folder)] = data.read()
            return files
    for names in [*((name,) for name in sets), ('few', 'none')]:
        checks['make_pages ' + ' '.join(names)] = lambda m, names=names: made(m, *names)
    checks['make_pages sign'] = lambda m: [m.make_pages.sign(bytes([i]) * 32, b'') for i in range(8)]
    return checks

def sizes(_):
    number = lambda cell: 0 if cell == '-' else int(cell)
    shapes, arrays, strides = table('n | a'), table('n | w'), table('type | keys | excluded')

    def shape(m, n, a, attempt, *_):
        return m.make_pages.fuse_shape(int(n), number(a) or m.make_pages.arity_of(int(n)), int(attempt))
    return {'shapes of binary-fuse': lambda m: [shape(m, *row) for row in shapes],
            'arrays of retrievals': lambda m: [m.make_pages.retrieval_bytes(int(n), int(w)) for n, w, _ in arrays],
            'strides': lambda m: [m.make_pages.stride_of(kind, *map(number, more), 0) for kind, *more, _ in strides]}

def all_checks(modules):
    found = {}
    for make in hashes, positions, rates, golden, urls, published, routes, pages, sizes:
        found.update(make(modules))
    return found
