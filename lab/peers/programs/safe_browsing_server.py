"""A Safe Browsing v5 server of one's own lists of 4-byte prefixes.

It prints its port on 127.0.0.1, and ends when its input does. Paths, parameters and refusals are those of Google's
REST reference: GET /v5/hashLists:batchGet and GET /v5/hashes:search answer with protobuf. Beside them:

  GET /log        the requests since the last reset: path, query, status, and what was answered
  POST /control   JSON; each member is optional, and they apply in this order:
    reset         true: no lists, no faults, no log
    lists         {NAME: {versions: [VERSION]}}: new lists, at their last version
    push          {NAME: VERSION}: a version more, which is the current one
    current       {NAME: INDEX}
    search        {cacheDuration, hashes: [{expression, threats: [{type, attributes}]}]}
    faults        {batchGet: ANSWER, search: ANSWER, lists: {NAME: {full}}}: all faults from now on

VERSION is {hosts} or {add, remove}, as safe_browsing_lists.py says. A duration is a number of seconds, or
{seconds, nanos}. A list that is `full` comes as a whole to each client. ANSWER has any of: times (the number of answers
that it spoils), pad (bytes of an unknown field), chunked.
"""

import base64
import http.server
import json
import os
import sys
import threading
import urllib.parse

from safe_browsing_lists import Library, Shelf, hash_of, set_duration
from safe_browsing_types import BatchGetHashListsResponse, SearchHashesResponse

PROTOBUF = "application/x-protobuf"
THREATS = {"MALWARE": 1, "SOCIAL_ENGINEERING": 2, "UNWANTED_SOFTWARE": 3, "POTENTIALLY_HARMFUL_APPLICATION": 4}
ATTRIBUTES = {"CANARY": 1, "FRAME_ONLY": 2}


class Refusal(Exception):
    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


def read_base64(text):
    """By the JSON form of protobuf: the alphabet of URLs or the other one, padded or not."""
    plain = text.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except ValueError as error:
        raise Refusal(400, f"base64 expected, got {text!r}") from error


def read_size(query, name):
    text = dict(query).get(f"sizeConstraints.{name}", "0")
    try:
        size = int(text)
    except ValueError as error:
        raise Refusal(400, f"{name}: a number expected, got {text!r}") from error
    if size < 0:
        raise Refusal(400, f"{name} is negative")
    return size


class State:
    def __init__(self):
        self.lock = threading.Lock()
        self.reset()

    def reset(self):
        self.library = Library()
        self.search = {}
        self.faults = {}
        self.log = []

    def control(self, order):
        if order.get("reset"):
            self.reset()
        shelves = self.library.shelves
        for name, given in order.get("lists", {}).items():
            shelves[name] = Shelf(name)
            for version in given["versions"]:
                shelves[name].push(version)
        for name, version in order.get("push", {}).items():
            shelves[name].push(version)
        for name, index in order.get("current", {}).items():
            shelves[name].current = index
        self.search = order.get("search", self.search)
        self.faults = order.get("faults", self.faults)

    def take(self, name):
        """The fault of an answer, which is gone after its last time."""
        fault = self.faults.get(name, {})
        if "times" in fault:
            fault["times"] -= 1
            if fault["times"] <= 0:
                del self.faults[name]
        return fault

    def batch_get(self, query):
        names = [value for name, value in query if name == "names"]
        versions = [read_base64(value) for name, value in query if name == "version"]
        if not names or len(set(names)) < len(names):
            raise Refusal(400, "names are missing, or there twice")
        max_update, max_database = (read_size(query, f"max{part}Entries") for part in ("Update", "Database"))
        if 0 < max_update < 1024:
            raise Refusal(400, "maxUpdateEntries is below 1024")
        of = {}
        for version in versions:
            name = self.library.known.get(version, (None,))[0]
            if name in of and name is not None:
                raise Refusal(400, f"two versions of {name}")
            of[name] = version
        response, told = BatchGetHashListsResponse(), []
        for name in names:
            if name not in self.library.shelves:
                raise Refusal(400, f"there is no list {name}")
            is_full = self.faults.get("lists", {}).get(name, {}).get("full")
            shelf = self.library.shelves[name]
            message, counts = self.library.update(shelf, of.get(name), max_update, max_database, is_full)
            response.hash_lists.append(message)
            told.append(counts)
        return response, told

    def search_hashes(self, query):
        prefixes = [read_base64(value) for name, value in query if name == "hashPrefixes"]
        if not 0 < len(prefixes) <= 1000 or any(len(prefix) != 4 for prefix in prefixes):
            raise Refusal(400, "1 to 1000 prefixes of 4 bytes are expected")
        response = SearchHashesResponse()
        set_duration(response.cache_duration, self.search.get("cacheDuration", 300))
        for given in self.search.get("hashes", []):
            known = hash_of(given["expression"])
            if known[:4] not in prefixes:
                continue
            found = response.full_hashes.add(full_hash=known)
            for threat in given["threats"]:
                detail = found.full_hash_details.add(threat_type=THREATS[threat["type"]])
                detail.attributes.extend(ATTRIBUTES[name] for name in threat.get("attributes", []))
        return response, [{"prefixes": len(prefixes), "hashes": len(response.full_hashes)}]


def pad(body, count):
    """The body with a field 1000 of so many bytes, which no message has."""
    length, rest = bytearray(), count
    while rest > 127:
        length.append(rest & 127 | 128)
        rest >>= 7
    return body + b"\xc2\x3e" + bytes(length) + bytes([rest]) + bytes(count)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    state = State()

    def log_message(self, *_):
        """Prints nothing: /log has it."""

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

    def answer(self, method, query):
        """The status, the content type, the body, and what the log says of it."""
        try:
            if not self.headers.get("X-Goog-Api-Key"):
                raise Refusal(403, "The request has no API key")
            if dict(query).get("alt", "proto") != "proto":
                raise Refusal(400, "Unsupported Output Format")
            message, told = method(query)
        except Refusal as refusal:
            error = {"code": refusal.status, "message": str(refusal)}
            return refusal.status, "application/json", json.dumps({"error": error}).encode(), []
        return 200, PROTOBUF, message.SerializeToString(), told

    def do_GET(self):
        state, url = self.state, urllib.parse.urlsplit(self.path)
        if url.path == "/log":
            with state.lock:
                self.send(200, "application/json", json.dumps(state.log).encode())
            return
        query = urllib.parse.parse_qsl(url.query, keep_blank_values=True)
        methods = {
            "/v5/hashLists:batchGet": ("batchGet", state.batch_get),
            "/v5/hashes:search": ("search", state.search_hashes),
        }
        with state.lock:
            name, method = methods.get(url.path, (None, None))
            fault = state.take(name)
            if method is None:
                status, kind, body, told = 404, "text/plain", b"", []
            else:
                status, kind, body, told = self.answer(method, query)
            state.log.append({"path": url.path, "query": query, "status": status, "answered": told})
        if "pad" in fault:
            body = pad(body, fault["pad"])
        self.send(status, kind, body, fault.get("chunked", False))

    def do_POST(self):
        order = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            with self.state.lock:
                self.state.control(json.loads(order))
            self.send(200, "application/json", b"{}")
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            self.send(400, "text/plain", repr(error).encode())


def end_with_input():
    sys.stdin.buffer.read()
    os._exit(0)


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=end_with_input, daemon=True).start()
    print(server.server_port, flush=True)
    server.serve_forever()


main()
