"""A reader of signed manifests, by sections 7 and 8 of FORMAT.md:
python3 read_published.py NOW_MS LIST PUBLIC_KEY... < manifest.json
It prints the bytes that were signed. It knows no rule and no list before, so of section 7.4 it makes checks 2 to 9 and
12."""
import hashlib, json, math, re, struct, sys
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from read_format import need

P, ORDER = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D, ROOT = -121665 * pow(121666, -1, P) % P, pow(2, (P - 1) // 4, P)

def add(a, b):  # points of Ed25519 as (x, y, z, t), RFC 8032, section 5.1.4
    e, f = (a[1] - a[0]) * (b[1] - b[0]), (a[1] + a[0]) * (b[1] + b[0])
    g, h = 2 * D * a[3] * b[3], 2 * a[2] * b[2]
    i, j, k, l = f - e, h - g, h + g, f + e
    return i * j % P, k * l % P, j * k % P, i * l % P

def times(number, point):
    total = (0, 1, 1, 0)
    while number:
        if number & 1:
            total = add(total, point)
        point, number = add(point, point), number >> 1
    return total

def point(data):  # of its 32 bytes; None: they are none
    number = int.from_bytes(data, 'little')
    y, sign = number % 2**255, number >> 255
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    x = x if x * x % P == square else x * ROOT % P
    if y >= P or x * x % P != square or (x == 0 and sign):
        return None
    x = x if x & 1 == sign else P - x
    return x, y, 1, x * y % P

BASE = point((4 * pow(5, -1, P) % P).to_bytes(32, 'little'))

def verifies(public_key, signature, message):
    a, r, s = point(public_key), point(signature[:32]), int.from_bytes(signature[32:], 'little')
    if a is None or r is None or s >= ORDER:
        return False
    digest = hashlib.sha512(signature[:32] + public_key + message).digest()
    left, right = times(s, BASE), add(r, times(int.from_bytes(digest, 'little') % ORDER, a))
    return all((left[i] * right[2] - right[i] * left[2]) % P == 0 for i in (0, 1))

def number_text(value):  # as ECMAScript writes a double
    need(math.isfinite(value))
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    text, place = ''.join(map(str, digits)), len(digits) + exponent
    if value == 0:
        return '0'
    if not -6 < place <= 21:
        text = text[0] + (text[1:] and '.' + text[1:]) + 'e%+d' % (place - 1)
    elif place > 0:
        text = text.ljust(place, '0')
        text = text[:place] + (text[place:] and '.' + text[place:])
    else:
        text = '0.' + '0' * -place + text
    return '-' + text if sign else text

def canonical(value, depth=0):  # RFC 8785
    need(depth <= 32)
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode('utf-16-be'))
        return '{%s}' % ','.join('%s:%s' % (canonical(name), canonical(value[name], depth + 1)) for name in names)
    if isinstance(value, list):
        return '[%s]' % ','.join(canonical(one, depth + 1) for one in value)
    return number_text(value) if isinstance(value, float) else json.dumps(value, ensure_ascii=False)

def matches(pattern):
    return lambda value: isinstance(value, str) and re.fullmatch(pattern, value) is not None

def integer(least, *others):
    return lambda value: (isinstance(value, float) and value.is_integer() and least <= value < 2**53
                          and (not others or value in (least, *others)))

def instant(value):  # of the years that Python knows, 1 to 9999; None: it is none
    if not matches(r'[0-9]{4}(-[0-9]{2}){2}T([0-9]{2}:){2}[0-9]{2}\.[0-9]{3}Z')(value):
        return None
    try:
        return datetime.strptime(value, '%Y-%m-%dT%H:%M:%S.%fZ').replace(tzinfo=timezone.utc)
    except ValueError:
        return None

def has(fields, value):
    return isinstance(value, dict) and all(is_one(value.get(name)) for name, is_one in fields.items())

text, digest = matches('[ -~]{1,64}'), matches('[0-9a-f]{64}')
FILE = {'url': matches('[!-~]{1,2048}'), 'bytes': integer(0), 'sha256': digest}
DELTA = {**FILE, 'from': digest}
MANIFEST = {
    'list': text, 'seq': integer(1), 'version': text, 'n': integer(0), 'hash': matches('sha256'), 'rule': text,
    'prefixBytes': integer(4, 8, 16, 32), 'created': instant, 'notAfter': instant, 'sha256': digest,
    'snapshot': lambda value: has(FILE, value),
    'deltas': lambda value: isinstance(value, list) and len(value) <= 4096 and all(has(DELTA, one) for one in value)}
SIGNATURE = {'keyId': matches('[0-9a-f]{16}'), 'sig': matches('[0-9a-f]{128}')}

def open_signed(kind, members, data, public_keys):  # without keys no signature is looked at
    need(len(data) <= 2**21, 'TOO_LARGE')
    try:
        value = json.loads(data.decode('utf-8-sig'), parse_int=float, parse_constant=lambda _: need(False))
        need(isinstance(value, dict) if public_keys is None else has(SIGNATURE, value))
        rest = canonical({name: one for name, one in value.items() if name != 'sig'})
        signed = kind + b'\n' + rest.encode()
    except (ValueError, RecursionError):
        need(False)
    if public_keys is not None:
        keys = {hashlib.sha256(key).hexdigest()[:16]: key for key in public_keys}
        key = keys.get(value['keyId'])
        need(key and verifies(key, bytes.fromhex(value['sig']), signed), 'BAD_SIGNATURE')
    need(has(members, value) and instant(value['notAfter']) > instant(value['created']))
    return signed, value

def open_manifest(data, public_keys):  # the bytes that were signed, and the manifest
    return open_signed(b'tamis-manifest-1', MANIFEST, data, public_keys)

def read_answer(data, question):  # cacheSeconds, negativeSeconds and the hashes
    need(0 < len(data) // 1024 <= 64)
    cache, negative, count = struct.unpack('<3I', data[:12])
    end = 12 + 32 * count
    need(end + -end % 1024 == len(data) and not any(data[end:]))
    hashes = [data[i:i + 32] for i in range(12, end, 32)]
    asked = [question[i:i + 4] for i in range(0, len(question), 4)]
    need(all(one[:4] in asked for one in hashes) and sorted({*hashes}) == hashes)
    return min(cache, 86400), min(negative, 86400), hashes

def main(now_ms, name, *public_keys):
    signed, manifest = open_manifest(sys.stdin.buffer.read(), [bytes.fromhex(key) for key in public_keys])
    need(manifest['list'] == name, 'INCOMPATIBLE')
    now = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(milliseconds=int(now_ms))
    need(now < instant(manifest['notAfter']), 'EXPIRED')
    sys.stdout.write(signed.decode())

if __name__ == '__main__':
    main(*sys.argv[1:])
