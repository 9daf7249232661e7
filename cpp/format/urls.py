"""From a URL to its expressions, and to the marks of a list, by sections 6.2 to 6.4 of FORMAT.md. Python has no
UTS 46: a host of more than ASCII is a NotImplementedError."""
import ipaddress, re

def decode(url):  # %XX, until none is left
    out = bytearray()
    for byte in url:
        out.append(byte)
        while re.fullmatch(rb'%[0-9a-fA-F]{2}', out[-3:]):
            out[-3:] = bytes.fromhex(out[-2:].decode())
    return bytes(out)

def escape(text):
    return re.sub(rb'[\x00-\x20\x7f-\xff#%]', lambda found: b'%%%02X' % found[0][0], text)

def resolve(path):
    *folders, last = path.split(b'/')  # the first is empty: a slash more in a run
    kept = []
    for name in folders + ([b'..', b''] if last == b'..' else [b''] if last == b'.' else [last]):
        if name == b'..':
            kept = kept[:-1]
        elif name != b'.':
            kept.append(name)
    return re.sub(rb'/+', b'/', b'/' + b'/'.join(kept))

def dotted(number):
    return str(ipaddress.IPv4Address(number)).encode()

def ipv4(host):  # in a spelling of the WHATWG URL Standard; None: it is none
    numbers = []
    for part in host.split(b'.'):
        if re.fullmatch(rb'0[xX][0-9a-fA-F]*', part):
            numbers.append(int(part[2:] or b'0', 16))
        elif re.fullmatch(rb'0[0-7]*|[1-9][0-9]*', part):
            numbers.append(int(part, 8 if part.startswith(b'0') else 10))
        else:
            return None
    *heads, tail = numbers
    if len(heads) > 3 or any(head > 255 for head in heads) or tail >= 256**(4 - len(heads)):
        return None
    return dotted(tail + sum(head << 24 - 8 * i for i, head in enumerate(heads)))

def ipv6(text):  # None: it is none
    if not re.fullmatch(rb'[0-9a-fA-F:.]+', text):
        return None
    try:
        number = int(ipaddress.IPv6Address(text.decode()))
    except ValueError:
        return None
    if number >> 32 in (0xffff, 0x64ff9b << 64):
        return dotted(number % 2**32)
    return b'[' + ipaddress.IPv6Address(number).compressed.encode() + b']'

def canonical(url):  # scheme, host, path, query or None, and whether the host is an address; None: no canonical form
    url = re.sub(rb'\A[\x00-\x20]+|[\x00-\x20]+\Z', b'', url).split(b'#')[0]
    if len(url) > 2**21:
        return None
    url, scheme = decode(re.sub(rb'[\t\n\r]', b'', url)), b'http'
    named = re.match(rb'([a-zA-Z][a-zA-Z0-9+.-]*):', url)
    if named:
        scheme, url = named[1].lower(), url[named.end():]
        if not url.startswith(b'//'):
            return None
    authority, path, query = re.fullmatch(
        rb'([^/?]*)([^?]*)(\?.*)?', url.removeprefix(b'//'), re.DOTALL).groups()
    host = re.sub(rb':[0-9]*\Z', b'', authority.rpartition(b'@')[2])
    host = re.sub(rb'(?:\xe3\x80\x82|\xef\xbc\x8e|\xef\xbd\xa1|\.)+', b'.', host.lower()).strip(b'.')
    if not host:
        return None
    if not host.isascii():
        raise NotImplementedError('UTS 46')
    bracketed = re.fullmatch(rb'\[(.*)\]', host, re.DOTALL)
    address = ipv6(bracketed[1]) if bracketed else ipv4(host)
    if address is None and re.search(rb'^\[|[:/?@]', host):
        return None
    path = escape(resolve(path)) if path else b'/'
    return scheme, address or escape(host), path, query and escape(query[1:]), address is not None

def text_of(url):  # the canonical form
    parts = canonical(url)
    return parts and b'%b://%b%b' % parts[:3] + (b'' if parts[3] is None else b'?' + parts[3])

def expressions(url, rule='parents'):  # or 'labels5', or the registrable domain; the host itself: it has no such domain
    scheme, host, path, query, is_address = canonical(url)
    labels = host.split(b'.')
    last = lambda count: b'.'.join(labels[-count:])  # all labels where they are fewer
    if rule == 'parents':
        counts = [count for count in range(2, len(labels)) if count < 6 or len(last(count)) <= 253]
    else:
        least = 2 if rule == 'labels5' else rule.count(b'.') + 1
        counts = range(least, least + 4)
    hosts = {host} if is_address else {host, *map(last, counts)}
    folders = [path[:slash.end()] for slash in re.finditer(b'/', path)][:4]
    paths = {path, *folders} | ({path + b'?' + query} if query else set())
    return {one + way for one in hosts for way in paths}

def marks(listed):  # those of expressions that a list by the rule parents has
    hosts = [one.split(b'/')[0].split(b'.') for one in listed]
    return {b'.' + b'.'.join(labels[-3:]) + b'/' for labels in hosts if len(labels) > 5}
