"""The lists of a Safe Browsing v5 server: their versions, and the update from one to another.

A list is its sorted entries, one after another. A version is known by its bytes, which nobody can read. So a client may
stand at any state that was ever sent, one inside a split update too.
"""

import hashlib

from safe_browsing_rice import encode
from safe_browsing_types import HashList

FIELDS = {4: "additions_four_bytes", 8: "additions_eight_bytes", 16: "additions_sixteen_bytes"}
FIELDS[32] = "additions_thirty_two_bytes"
WAIT = 1800


def hash_of(expression):
    return hashlib.sha256(expression.encode()).digest()


def split(data, width):
    return [data[start : start + width] for start in range(0, len(data), width)]


def set_duration(duration, value):
    """Of seconds, or of {seconds, nanos}. Zero is present, and has no bytes."""
    duration.SetInParent()
    fields = value if isinstance(value, dict) else {"seconds": value}
    for name, number in fields.items():
        setattr(duration, name, number)


def set_rice(message, values, width, changed):
    """Fills a RiceDeltaEncoded; `changed` has fields with other numbers than the right ones."""
    first, parameter, count, data = encode(values, width)
    parts = [first >> shift & 2**64 - 1 for shift in range(8 * width - 64, -1, -64)]
    names = {
        16: ["first_value_hi", "first_value_lo"],
        32: [f"first_value_{part}_part" for part in ("first", "second", "third", "fourth")],
    }.get(width, ["first_value"])
    for name, part in zip(names, parts or [first]):
        setattr(message, name, part)
    # One entry alone has no deltas, and may come without a parameter.
    if count > 0:
        message.rice_parameter = parameter
    message.entries_count = count
    message.encoded_data = data
    for name, value in changed.items():
        setattr(message, name, bytes.fromhex(value) if name == "encoded_data" else value)


class Shelf:
    """One list: the entries of each of its versions, and which of them is the current one."""

    def __init__(self, name, width=None):
        self.name = name
        self.width = width or int(name.rsplit("-", 1)[1].rstrip("b"))
        self.versions = []
        self.current = 0
        self.wait = WAIT
        self.hosts = {}

    def push(self, version):
        """Adds a version: {prefixes}, in hexadecimal, or {hosts}, or {expressions}, or {add, remove} of hosts."""
        if "prefixes" in version:
            given = version["prefixes"]
            entries = bytes.fromhex("".join(given))
            kept = split(entries, self.width)
            if len(entries) % self.width != 0 or kept != sorted(set(kept)):
                raise ValueError(f"{self.name}: expected sorted prefixes of {self.width} bytes")
        else:
            if "expressions" in version:
                self.hosts = dict.fromkeys(version["expressions"])
            elif "hosts" in version:
                self.hosts = {f"{host}/": None for host in version["hosts"]}
            for host in version.get("remove", []):
                self.hosts.pop(f"{host}/", None)
            for host in version.get("add", []):
                self.hosts[f"{host}/"] = None
            for host, prefix in self.hosts.items():
                if prefix is None:
                    self.hosts[host] = hash_of(host)[: self.width]
            entries = b"".join(sorted(set(self.hosts.values())))
        self.versions.append(entries)
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

    def describe(self):
        return {
            name: {
                "width": shelf.width,
                "versions": len(shelf.versions),
                "current": shelf.current,
                "count": len(shelf.entries) // shelf.width,
                "sha256": hashlib.sha256(shelf.entries).hexdigest(),
                "version": self.version_of(name, shelf.entries).hex(),
            }
            for name, shelf in self.shelves.items()
        }

    def update(self, shelf, version, max_update, max_database, fault):
        """The HashList that a client at `version` gets, and what is in it."""
        width = shelf.width
        target = split(shelf.entries, width)[: max_database or None]
        known = None if fault.get("full") else self.known.get(version, (None, None))[1]
        old = split(known or b"", width)
        if fault.get("unchanged"):
            target = old
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
        message.partial_update = known is not None or bool(fault.get("unchanged"))
        if not message.partial_update or added or removed:
            message.sha256_checksum = hashlib.sha256(sent).digest()
        if not has_more:
            set_duration(message.minimum_wait_duration, shelf.wait)
        added, removed = spoil_entries(fault, old, added, removed)
        fill(message, fault, width, added, removed)
        spoil(fault, message)
        counts = {"additions": len(added), "removals": len(removed), "hasMore": has_more}
        return message, {"name": shelf.name, "isPartial": message.partial_update, **counts}


def fill(message, fault, width, added, removed):
    """Puts the entries into the message; with the fault `width`, as entries of another one."""
    if added:
        wide = fault.get("width", width)
        cut = sorted({entry[:wide].ljust(wide, b"\0") for entry in added}) if wide != width else added
        values = [int.from_bytes(entry, "big") for entry in cut]
        set_rice(getattr(message, FIELDS[wide]), values, wide, fault.get("rice", {}))
    if removed:
        set_rice(message.compressed_removals, removed, 4, fault.get("removalsRice", {}))


def spoil_entries(fault, old, added, removed):
    """Entries that no honest server sends. The checksum is that of a client which does not mind them."""
    additions, removals = fault.get("additions"), fault.get("removals")
    stays = next((entry for index, entry in enumerate(old) if index not in set(removed)), None)
    if additions == "existing":
        added = sorted(added + [stays])
    elif additions == "removed":
        added = sorted(added + [stays])
        removed = sorted(removed + [old.index(stays)])
    elif additions == "twice":
        added = sorted(added + added[-1:])
    if removals == "out-of-range":
        removed = removed + [len(old)]
    elif removals == "twice":
        removed = removed + removed[-1:]
    elif isinstance(removals, list):
        removed = removals
    return added, removed


def spoil(fault, message):
    """What is wrong besides the entries."""
    checksum = fault.get("checksum")
    if checksum == "missing":
        message.ClearField("sha256_checksum")
    elif checksum == "wrong":
        message.sha256_checksum = hash_of("another list")
    elif checksum == "short":
        message.sha256_checksum = message.sha256_checksum[:31]
    if "wait" in fault:
        message.ClearField("minimum_wait_duration")
        if fault["wait"] is not None:
            set_duration(message.minimum_wait_duration, fault["wait"])
    if "name" in fault:
        message.name = fault["name"]
    if "partial" in fault:
        message.partial_update = fault["partial"]
    if "version" in fault:
        message.version = bytes.fromhex(fault["version"])
