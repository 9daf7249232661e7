"""A Safe Browsing v5 server of one's own lists, with the faults that a client must bear.

It prints its port on 127.0.0.1, and ends when its input does. Paths, parameters and refusals are those of Google's
REST reference: GET /v5/hashLists:batchGet and GET /v5/hashes:search answer with protobuf. Beside them:

  GET /log        the requests since the last reset: method, path, query, headers, status, and what was answered
  POST /control   JSON; each member is optional, and they apply in this order:
    reset         true: no lists, no faults, no log; answers that hang end
    lists         {NAME: {width?, wait?, versions: [VERSION]}}: new lists, at their last version
    push          {NAME: VERSION}: a version more, which is the current one
    current       {NAME: INDEX}
    key           the only API key that is right; without it every key is
    search        {cacheDuration, hashes: [{expression | hash, threats: [{type, attributes}]}], extra: as hashes}
    faults        {batchGet: ANSWER, search: ANSWER, lists: {NAME: LIST}}: all faults from now on
    It answers with the lists as they are.

VERSION is {prefixes}, {hosts}, {expressions} or {add, remove}, as safe_browsing_lists.py says. A wait or a duration is
a number of seconds, or {seconds, nanos}, or null where it is left out. What `extra` has is sent whatever is asked.

Each fault may have `times`, the number of answers that it spoils. LIST has any of: full, unchanged, missing, partial,
name, version, checksum (wrong, missing, short), additions (existing, removed, twice), removals (out-of-range, twice or
indices), rice and removalsRice (fields with other numbers), width, wait.
ANSWER has any of: status, errorBody (json, proto, html), headers, reversed, json, body (hexadecimal), pad (bytes of an
unknown field), flip [byte, mask], cut (bytes that are left), broken (bytes before the connection closes), hang (bytes
before nothing comes), silent (no header comes), chunked.
"""

import base64
import http.server
import json
import os
import sys
import threading
import urllib.parse

from google.protobuf import json_format
from safe_browsing_lists import Library, Shelf, hash_of, set_duration
from safe_browsing_types import BatchGetHashListsResponse, SearchHashesResponse, Status

PROTOBUF = "application/x-protobuf"
CODES = {400: (3, "INVALID_ARGUMENT"), 403: (7, "PERMISSION_DENIED"), 404: (5, "NOT_FOUND")}
CODES[429] = (8, "RESOURCE_EXHAUSTED")
CODES[503] = (14, "UNAVAILABLE")
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
        self.released = threading.Event()
        self.reset()

    def reset(self):
        self.released.set()
        self.released = threading.Event()
        self.library = Library()
        self.search = {}
        self.faults = {}
        self.key = None
        self.log = []

    def control(self, order):
        if order.get("reset"):
            self.reset()
        shelves = self.library.shelves
        for name, given in order.get("lists", {}).items():
            shelves[name] = Shelf(name, given.get("width"))
            shelves[name].wait = given.get("wait", shelves[name].wait)
            for version in given["versions"]:
                shelves[name].push(version)
        for name, version in order.get("push", {}).items():
            shelves[name].push(version)
        for name, index in order.get("current", {}).items():
            shelves[name].current = index
        self.key = order.get("key", self.key)
        self.search = order.get("search", self.search)
        self.faults = order.get("faults", self.faults)
        return {"lists": self.library.describe()}

    def take(self, faults, name):
        """The fault of that name, which is gone after its last time."""
        fault = faults.get(name, {})
        if "times" in fault:
            fault["times"] -= 1
            if fault["times"] <= 0:
                del faults[name]
        return fault

    def batch_get(self, query, spoilt):
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
            fault = self.take(self.faults.get("lists", {}), name)
            if fault.get("missing"):
                continue
            shelf = self.library.shelves[name]
            message, counts = self.library.update(shelf, of.get(name), max_update, max_database, fault)
            response.hash_lists.append(message)
            told.append(counts)
        if spoilt.get("reversed"):
            kept = list(reversed(response.hash_lists))
            response = BatchGetHashListsResponse(hash_lists=kept)
        return response, told

    def search_hashes(self, query, spoilt):
        prefixes = [read_base64(value) for name, value in query if name == "hashPrefixes"]
        if not 0 < len(prefixes) <= 1000 or any(len(prefix) != 4 for prefix in prefixes):
            raise Refusal(400, "1 to 1000 prefixes of 4 bytes are expected")
        response = SearchHashesResponse()
        duration = self.search.get("cacheDuration", 300)
        if duration is not None:
            set_duration(response.cache_duration, duration)
        extra = self.search.get("extra", [])
        for given in self.search.get("hashes", []) + extra:
            known = bytes.fromhex(given["hash"]) if "hash" in given else hash_of(given["expression"])
            if given not in extra and known[:4] not in prefixes:
                continue
            found = response.full_hashes.add(full_hash=known)
            for threat in given["threats"]:
                detail = found.full_hash_details.add(threat_type=THREATS.get(threat["type"], threat["type"]))
                detail.attributes.extend(ATTRIBUTES.get(name, name) for name in threat.get("attributes", []))
        if spoilt.get("reversed"):
            kept = list(reversed(response.full_hashes))
            response = SearchHashesResponse(full_hashes=kept, cache_duration=response.cache_duration)
        return response, [{"prefixes": len(prefixes), "hashes": len(response.full_hashes)}]


def refusal_of(status, message, form):
    """The body of an error, which is a google.rpc.Status in one form or another."""
    code, name = CODES.get(status, (2, "UNKNOWN"))
    if form == "proto":
        return PROTOBUF, Status(code=code, message=message).SerializeToString()
    if form == "html":
        return "text/html; charset=UTF-8", f"<!doctype html><title>Error {status}</title>".encode()
    error = {"code": status, "message": message, "status": name}
    return "application/json; charset=UTF-8", json.dumps({"error": error}).encode()


def spoil_body(fault, body):
    """Bytes as they are after damage on the way."""
    if "body" in fault:
        body = bytes.fromhex(fault["body"])
    if "pad" in fault:
        # A field 1000 of bytes, which no message has.
        length, count = bytearray(), fault["pad"]
        while count > 127:
            length.append(count & 127 | 128)
            count >>= 7
        body += b"\xc2\x3e" + bytes(length) + bytes([count]) + bytes(fault["pad"])
    if "flip" in fault:
        index, mask = fault["flip"]
        body = body[:index] + bytes([body[index] ^ mask]) + body[index + 1 :]
    return body[: fault.get("cut")]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    state = State()

    def log_message(self, *_):
        """Prints nothing: /log has it."""

    def send(self, status, kind, body, fault):
        released = self.state.released
        if fault.get("silent"):
            released.wait()
            self.close_connection = True
            return
        self.send_response(status)
        headers = {"Content-Type": kind, "Access-Control-Allow-Origin": "*", "Cache-Control": "private"}
        for name, value in {**headers, **fault.get("headers", {})}.items():
            self.send_header(name, value)
        if fault.get("chunked"):
            self.send_header("Transfer-Encoding", "chunked")
            pieces = [body[start : start + 65536] for start in range(0, len(body), 65536)]
            body = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in [*pieces, b""])
        else:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        for name in ("broken", "hang"):
            if name in fault:
                self.wfile.write(body[: fault[name]])
                self.wfile.flush()
                if name == "hang":
                    released.wait()
                self.close_connection = True
                return
        self.wfile.write(body)

    def answer(self, method, query, fault):
        """The status, the content type, the body, and what the log says of it."""
        wanted = dict(query)
        if "status" in fault:
            return fault["status"], *refusal_of(fault["status"], "a fault", fault.get("errorBody")), []
        try:
            key = self.headers.get("X-Goog-Api-Key", wanted.get("key"))
            if not key:
                raise Refusal(403, "The request has no API key")
            if self.state.key not in (None, key):
                raise Refusal(400, "API key not valid")
            if wanted.get("alt", "proto") != "proto":
                raise Refusal(400, "Unsupported Output Format")
            message, told = method(query, fault)
        except Refusal as refusal:
            kind, body = refusal_of(refusal.status, str(refusal), fault.get("errorBody"))
            return refusal.status, kind, body, []
        if fault.get("json"):
            return 200, "application/json; charset=UTF-8", json_format.MessageToJson(message).encode(), told
        return 200, PROTOBUF, spoil_body(fault, message.SerializeToString()), told

    def do_GET(self):
        state, url = self.state, urllib.parse.urlsplit(self.path)
        if url.path == "/log":
            with state.lock:
                self.send(200, "application/json", json.dumps(state.log).encode(), {})
            return
        query = urllib.parse.parse_qsl(url.query, keep_blank_values=True)
        methods = {
            "/v5/hashLists:batchGet": ("batchGet", state.batch_get),
            "/v5/hashes:search": ("search", state.search_hashes),
        }
        with state.lock:
            name, method = methods.get(url.path, (None, None))
            fault = state.take(state.faults, name)
            if method is None:
                status, (kind, body), told = 404, refusal_of(404, "Not Found", None), []
            else:
                status, kind, body, told = self.answer(method, query, fault)
            headers = {header.lower(): value for header, value in self.headers.items()}
            asked = {"method": self.command, "path": url.path, "query": query, "headers": headers}
            state.log.append({**asked, "status": status, "answered": told, "bytes": len(body)})
        self.send(status, kind, body, fault)

    def do_OPTIONS(self):
        """What a page asks before it sends a key in a header."""
        self.send_response(204)
        for name, value in {"Origin": "*", "Methods": "GET", "Headers": "x-goog-api-key"}.items():
            self.send_header(f"Access-Control-Allow-{name}", value)
        self.end_headers()

    def do_POST(self):
        order = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            with self.state.lock:
                answer = json.dumps(self.state.control(json.loads(order)))
            self.send(200, "application/json", answer.encode(), {})
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            self.send(400, "text/plain", repr(error).encode(), {})


def end_with_input():
    sys.stdin.buffer.read()
    os._exit(0)


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=end_with_input, daemon=True).start()
    print(server.server_port, flush=True)
    server.serve_forever()


main()
