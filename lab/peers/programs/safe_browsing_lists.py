"""The lists of a Safe Browsing v5 server: their versions, and the update from one to another.

A list is its sorted entries, one after another. A version is known by its bytes, which nobody can read. So a client may
stand at any state that was ever sent, one inside a split update too.
"""

import hashlib

from safe_browsing_rice import encode
from safe_browsing_types import HashList

WIDTH = 4
WAIT = 1800


def hash_of(expression):
    return hashlib.sha256(expression.encode()).digest()


def split(data):
    return [data[start : start + WIDTH] for start in range(0, len(data), WIDTH)]


def set_duration(duration, value):
    """Of seconds, or of {seconds, nanos}. Zero is present, and has no bytes."""
    duration.SetInParent()
    fields = value if isinstance(value, dict) else {"seconds": value}
    for name, number in fields.items():
        setattr(duration, name, number)


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
        self.hosts = {}

    def push(self, version):
        """Adds a version: {hosts}, or {add, remove} of hosts."""
        if "hosts" in version:
            self.hosts = dict.fromkeys(version["hosts"])
        for host in version.get("remove", []):
            self.hosts.pop(host, None)
        for host in version.get("add", []):
            self.hosts[host] = None
        for host, prefix in self.hosts.items():
            if prefix is None:
                self.hosts[host] = hash_of(f"{host}/")[:WIDTH]
        self.versions.append(b"".join(sorted(set(self.hosts.values()))))
        self.current = len(self.versions) - 1

    @property
    def entries(self):
        return self.versions[self.current] if self.versions else b""


class Library:
    def __init__(self):
        self.shelves = {}
        self.known = {}

    def version_of(self, name, entries):
        """Its bytes are no UTF-8, and have `+` and `/` in base64."""
        version = b"\xfb\xef\xff" + hash_of(f"{name} {hashlib.sha256(entries).hexdigest()}")[:12]
        self.known[version] = (name, entries)
        return version

    def update(self, shelf, version, max_update, max_database, is_full):
        """The HashList that a client at `version` gets, and what is in it."""
        target = split(shelf.entries)[: max_database or None]
        known = None if is_full else self.known.get(version, (None, None))[1]
        old = split(known or b"")
        there, wanted = set(old), set(target)
        removed = [index for index, entry in enumerate(old) if entry not in wanted]
        added = [entry for entry in target if entry not in there]
        has_more = 0 < max_update < len(removed) + len(added)
        if has_more:
            removed = removed[:max_update]
            added = added[: max_update - len(removed)]
        gone = set(removed)
        new = sorted([entry for index, entry in enumerate(old) if index not in gone] + added)
        sent = b"".join(new)

        message = HashList(name=shelf.name, version=self.version_of(shelf.name, sent))
        message.partial_update = known is not None
        if not message.partial_update or added or removed:
            message.sha256_checksum = hashlib.sha256(sent).digest()
        if not has_more:
            set_duration(message.minimum_wait_duration, WAIT)
        if added:
            set_rice(message.additions_four_bytes, [int.from_bytes(entry, "big") for entry in added])
        if removed:
            set_rice(message.compressed_removals, removed)
        counts = {"additions": len(added), "removals": len(removed), "hasMore": has_more}
        return message, {"name": shelf.name, "isPartial": message.partial_update, **counts}
