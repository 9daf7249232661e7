"""A Safe Browsing v5 server of one's own lists of 4-byte prefixes.

It prints its port on 127.0.0.1, and ends when its input does. Paths and parameters are those of Google's REST
reference: GET /v5/hashLists:batchGet and GET /v5/hashes:search answer with protobuf, and with 400 what Google refuses.
Beside them:

  GET /log        for each list that was sent since the last reset, whether it was partial and whether more follows
  POST /control   JSON; each member is optional, and they apply in this order:
    reset         true: no lists, no faults, no log
    lists         {NAME: [VERSION]}: new lists, at their last version
    push          {NAME: VERSION}: a version more, which is the current one
    current       {NAME: INDEX}
    full          [NAME]: lists that come as a whole to each client
    search        {cache_duration, hashes: [{expression, full_hash_details}]}, with the fields of the messages
    faults        {batchGet: FAULT, search: FAULT}: of the next answer alone

VERSION is {hosts} or {add, remove}, as safe_browsing_lists.py says. FAULT has `pad`, the bytes of an unknown field in
the answer, and may be `chunked`.
"""

import base64
import http.server
import json
import os
import sys
import threading
import urllib.parse

from safe_browsing_lists import Library, Shelf, hash_of
from safe_browsing_types import BatchGetHashListsResponse, SearchHashesResponse


def check(condition, message):
    if not condition:
        raise ValueError(message)


def values_of(query, name):
    return [value for key, value in query if key == name]


def bytes_of(query, name):
    """Bytes in the JSON form of protobuf: base64 with the alphabet of URLs."""
    return [base64.b64decode(value, altchars=b"-_", validate=True) for value in values_of(query, name)]


class State:
    def __init__(self):
        self.lock = threading.Lock()
        self.reset()

    def reset(self):
        self.library = Library()
        self.full = []
        self.search = {}
        self.faults = {}
        self.log = []

    def control(self, order):
        if order.get("reset"):
            self.reset()
        shelves = self.library.shelves
        for name, versions in order.get("lists", {}).items():
            shelves[name] = Shelf(name)
            for version in versions:
                shelves[name].push(version)
        for name, version in order.get("push", {}).items():
            shelves[name].push(version)
        for name, index in order.get("current", {}).items():
            shelves[name].current = index
        self.full = order.get("full", self.full)
        self.search = order.get("search", self.search)
        self.faults = order.get("faults", self.faults)

    def batch_get(self, query):
        names = values_of(query, "names")
        check(names and len(set(names)) == len(names), "names are missing, or there twice")
        max_update = int(dict(query).get("sizeConstraints.maxUpdateEntries", "0"))
        check(max_update == 0 or max_update >= 1024, "maxUpdateEntries is below 1024")
        known = [version for version in bytes_of(query, "version") if version in self.library.known]
        of = {self.library.known[version][0]: version for version in known}
        check(len(of) == len(known), "two versions of one list")
        response = BatchGetHashListsResponse()
        for name in names:
            shelf = self.library.shelves[name]
            message, facts = self.library.update(shelf, of.get(name), max_update, name in self.full)
            response.hash_lists.append(message)
            self.log.append(facts)
        return response

    def search_hashes(self, query):
        prefixes = bytes_of(query, "hashPrefixes")
        check(0 < len(prefixes) <= 1000, "1 to 1000 prefixes are expected")
        check(all(len(prefix) == 4 for prefix in prefixes), "a prefix has 4 bytes")
        response = SearchHashesResponse(cache_duration=self.search.get("cache_duration", {"seconds": 300}))
        for given in self.search.get("hashes", []):
            known = hash_of(given["expression"])
            if known[:4] in prefixes:
                response.full_hashes.add(full_hash=known, full_hash_details=given["full_hash_details"])
        return response


def pad(body, count):
    """The body with a field 1000 of so many bytes, which no message has. Its length takes five bytes."""
    length = bytes(count >> shift & 127 | (128 if shift < 28 else 0) for shift in range(0, 35, 7))
    return body + b"\xc2\x3e" + length + bytes(count)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    state = State()
    methods = {
        "/v5/hashLists:batchGet": ("batchGet", state.batch_get),
        "/v5/hashes:search": ("search", state.search_hashes),
    }

    def log_message(self, *_):
        """Prints nothing."""

    def send(self, status, kind, body, is_chunked=False):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        if is_chunked:
            self.send_header("Transfer-Encoding", "chunked")
            pieces = [body[start : start + 65536] for start in range(0, len(body), 65536)]
            body = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in [*pieces, b""])
        else:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def handle_by(self, act):
        """Sends what `act` returns: the type of the content, the body, and perhaps True for one in chunks."""
        try:
            with self.state.lock:
                answer = act()
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            self.send(400, "text/plain", repr(error).encode())
        else:
            self.send(200, *answer)

    def answer(self, url):
        if url.path == "/log":
            return "application/json", json.dumps(self.state.log).encode()
        name, method = self.methods[url.path]
        query = urllib.parse.parse_qsl(url.query, keep_blank_values=True)
        check(self.headers.get("X-Goog-Api-Key"), "the request has no API key")
        check(dict(query).get("alt", "proto") == "proto", "the only format is proto")
        body = method(query).SerializeToString()
        fault = self.state.faults.pop(name, {})
        if "pad" in fault:
            body = pad(body, fault["pad"])
        return "application/x-protobuf", body, fault.get("chunked", False)

    def control(self):
        self.state.control(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        return "application/json", b"{}"

    def do_GET(self):
        self.handle_by(lambda: self.answer(urllib.parse.urlsplit(self.path)))

    def do_POST(self):
        self.handle_by(self.control)


def end_with_input():
    sys.stdin.buffer.read()
    os._exit(0)


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=end_with_input, daemon=True).start()
    print(server.server_port, flush=True)
    server.serve_forever()


main()
