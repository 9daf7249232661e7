"""The lists of a Safe Browsing v5 server: their versions, and the update from one to another.

A list is its sorted entries. A version is known by its bytes, which nobody can read. So a client may
stand at any state that was ever sent, one inside a split update too.
"""

import hashlib

from safe_browsing_rice import encode
from safe_browsing_types import HashList

WIDTH = 4
WAIT = 1800


def hash_of(expression):
    return hashlib.sha256(expression.encode()).digest()


def set_rice(message, values):
    """Fills a RiceDeltaEncoded32Bit."""
    message.first_value, parameter, count, data = encode(values)
    # One entry alone has no deltas, and may come without a parameter.
    if count > 0:
        message.rice_parameter = parameter
    message.entries_count = count
    message.encoded_data = data


class Shelf:
    """One list: the entries of each of its versions, and which of them is the current one."""

    def __init__(self, name):
        self.name = name
        self.versions = []
        self.current = 0
        self.prefixes = {}

    def push(self, version):
        """Adds a version: {hosts}, or {add, remove} of hosts."""
        if "hosts" in version:
            self.prefixes = {}
        for host in version.get("remove", []):
            self.prefixes.pop(host, None)
        for host in version.get("hosts", version.get("add", [])):
            self.prefixes[host] = hash_of(f"{host}/")[:WIDTH]
        self.versions.append(sorted(set(self.prefixes.values())))
        self.current = len(self.versions) - 1


class Library:
    def __init__(self):
        self.shelves = {}
        self.known = {}

    def version_of(self, name, entries):
        """Its bytes are no UTF-8, and have `+` and `/` in base64."""
        version = b"\xfb\xef\xff" + hashlib.sha256(name.encode() + b"".join(entries)).digest()[:12]
        self.known[version] = (name, entries)
        return version

    def update(self, shelf, version, max_update, is_full):
        """The HashList that a client at `version` gets, and what is in it."""
        target = shelf.versions[shelf.current]
        known = None if is_full else self.known.get(version, (None, None))[1]
        old = known or []
        there, wanted = set(old), set(target)
        removed = [index for index, entry in enumerate(old) if entry not in wanted]
        added = [entry for entry in target if entry not in there]
        has_more = 0 < max_update < len(removed) + len(added)
        if has_more:
            removed = removed[:max_update]
            added = added[: max_update - len(removed)]
        gone = set(removed)
        new = sorted([entry for index, entry in enumerate(old) if index not in gone] + added)

        message = HashList(name=shelf.name, version=self.version_of(shelf.name, new))
        message.partial_update = known is not None
        if not message.partial_update or added or removed:
            message.sha256_checksum = hashlib.sha256(b"".join(new)).digest()
        if not has_more:
            message.minimum_wait_duration.seconds = WAIT
        if added:
            set_rice(message.additions_four_bytes, [int.from_bytes(entry, "big") for entry in added])
        if removed:
            set_rice(message.compressed_removals, removed)
        return message, {"isPartial": message.partial_update, "hasMore": has_more}
