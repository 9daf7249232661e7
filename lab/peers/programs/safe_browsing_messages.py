"""Messages of Safe Browsing v5, and what google.protobuf reads in them.

  make [COUNT] [SEED]   prints so many random messages, 100000 by default, whole and damaged
  read                  reads lines of a type and hexadecimal bytes, and prints the same lines with what is read

A line has three words and JSON. The first is B for BatchGetHashListsResponse, or S for SearchHashesResponse. The second
is the bytes in hexadecimal, or -. The third is g where google.protobuf skips a group, else -. JSON is null where it
refuses the message. Else it has each field that is there, if it is a message or not its default. Bytes are hexadecimal,
and numbers of 64 bits strings.
"""

import json
import random
import sys

from google.protobuf.descriptor import FieldDescriptor as Field
from google.protobuf.message import DecodeError
from safe_browsing_types import BatchGetHashListsResponse, SearchHashesResponse

TYPES = {"B": BatchGetHashListsResponse, "S": SearchHashesResponse}
VARINT, FIXED64, LENGTH, START, END, FIXED32 = range(6)
WIRES = {Field.TYPE_FIXED64: FIXED64}
WIRES.update(dict.fromkeys([Field.TYPE_STRING, Field.TYPE_BYTES, Field.TYPE_MESSAGE], LENGTH))
LONG = (Field.TYPE_INT64, Field.TYPE_UINT64, Field.TYPE_FIXED64)


def value_of(field, value):
    if field.type == Field.TYPE_MESSAGE:
        return dump(value)
    if field.type == Field.TYPE_BYTES:
        return value.hex()
    return str(value) if field.type in LONG else value


def dump(message):
    fields = {}
    for field, value in message.ListFields():
        if field.is_repeated:
            fields[field.name] = [value_of(field, one) for one in value]
        else:
            fields[field.name] = value_of(field, value)
    return fields


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def has_group(descriptor, data):
    """Whether there is a group in this message or in those inside. google.protobuf has read it, so it is whole."""
    at = 0
    while at < len(data):
        tag, at = read_varint(data, at)
        wire = tag & 7
        if wire == START:
            return True
        if wire == VARINT:
            at = read_varint(data, at)[1]
        elif wire == LENGTH:
            length, at = read_varint(data, at)
            field = descriptor.fields_by_number.get(tag >> 3)
            inner = field.message_type if field else None
            if inner and has_group(inner, data[at : at + length]):
                return True
            at += length
        else:
            at += 8 if wire == FIXED64 else 4
    return False


def describe(kind, data):
    message_type = TYPES[kind]
    try:
        text = json.dumps(dump(message_type.FromString(data)), separators=(",", ":"))
    except DecodeError:
        return f"{kind} {data.hex() or '-'} - null"
    group = "g" if has_group(message_type.DESCRIPTOR, data) else "-"
    return f"{kind} {data.hex() or '-'} {group} {text}"


class Maker:
    """Writes the bytes itself: much of what it writes, no encoder does."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def hit(self, chance):
        return self.random.random() < chance

    def varint(self, value, longer=0):
        """The lowest 64 bits, in `longer` bytes more than they need."""
        value &= 2**64 - 1
        data = bytearray()
        while value > 127:
            data.append(value & 127 | 128)
            value >>= 7
        data.append(value)
        for _ in range(longer):
            data[-1] |= 128
            data.append(0)
        return bytes(data)

    def number(self):
        """Small, large, negative, and the limits of each width. One in some is longer than it need be."""
        limit = 2 ** self.random.choice([7, 14, 31, 32, 63, 64])
        value = self.random.choice(
            [
                self.random.randrange(40),
                self.random.getrandbits(self.random.randrange(1, 65)),
                limit + self.random.randrange(-2, 2),
                -self.random.randrange(1, 2 ** self.random.randrange(1, 63)),
            ]
        )
        data = self.varint(value)
        if self.hit(0.05):
            data = self.varint(value, self.random.randrange(0, 11 - len(data)))
        if len(data) == 10 and self.hit(0.3):
            data = data[:9] + bytes([self.random.randrange(128)])
        return data

    def tag(self, number, wire):
        tag = number << 3 | wire
        longer = self.random.randrange(3) if self.hit(0.02) else 0
        return self.varint(tag, min(longer, 5 - len(self.varint(tag))))

    def sized(self, data):
        return self.varint(len(data), self.random.randrange(6) if self.hit(0.03) else 0) + data

    def text(self):
        choices = ["se-4b", "mw-4b", "gc-32b", "", "\x00", "\ufeffx", "\u20ac", "\U0010ffff", "\uffff"]
        return self.random.choice(choices).encode()

    def octets(self):
        return self.random.randbytes(self.random.choice([0, 1, 4, 31, 32, self.random.randrange(60)]))

    def payload(self, wire, depth=0):
        """What an unknown field holds."""
        if wire == VARINT:
            return self.number()
        if wire == LENGTH:
            return self.sized(self.octets())
        if wire == START:
            return b"".join(self.unknown(depth + 1) for _ in range(self.random.randrange(3)))
        return self.random.randbytes(8 if wire == FIXED64 else 4)

    def unknown(self, depth=0, number=None):
        number = number or self.random.choice([5, 8, 12, 15, 16, 99, 2047, 2048, 2**29 - 1])
        wires = [VARINT, FIXED64, LENGTH, FIXED32]
        wire = START if depth < 3 and self.hit(0.1) else self.random.choice(wires)
        end = self.tag(number, END) if wire == START else b""
        return self.tag(number, wire) + self.payload(wire, depth) + end

    def field(self, field):
        number = field.number
        if self.hit(0.02):
            return self.unknown(0, number)
        wire = WIRES.get(field.type, VARINT)
        if field.type == Field.TYPE_MESSAGE:
            return self.tag(number, LENGTH) + self.sized(self.message(field.message_type))
        if field.type == Field.TYPE_STRING:
            return self.tag(number, LENGTH) + self.sized(self.text())
        if field.type == Field.TYPE_BYTES:
            return self.tag(number, LENGTH) + self.sized(self.octets())
        if field.is_repeated and self.hit(0.6):
            run = b"".join(self.number() for _ in range(self.random.randrange(5)))
            return self.tag(number, LENGTH) + self.sized(run)
        return self.tag(number, wire) + self.payload(wire)

    def message(self, descriptor, least=0):
        """Some of the fields, now and then one twice, and at least so many."""
        fields = list(descriptor.fields)
        chosen = [field for field in fields if self.hit(min(0.6, 3 / len(fields)))]
        if chosen and self.hit(0.2):
            chosen.append(self.random.choice(chosen))
        while len(chosen) < least:
            chosen.append(self.random.choice(fields))
        parts = [self.field(field) for field in chosen]
        if self.hit(0.08):
            parts.append(self.unknown())
        if self.hit(0.3):
            self.random.shuffle(parts)
        return b"".join(parts)

    def insert(self, data, piece):
        at = self.random.randrange(len(data) + 1)
        return data[:at] + piece + data[at:]

    def damage(self, data):
        """One fault, wherever it falls: in a tag, a length, a number or what is only skipped."""
        picked = self.random.randrange(10)
        at = self.random.randrange(len(data)) if data else 0
        field = self.random.choice([1, 2, 3, 6, 77])
        if picked == 0:
            return data[:at]
        if picked == 1:
            return data[:at] + bytes([self.random.randrange(256)]) + data[at + 1 :]
        if picked == 2:
            return data[:at] + data[at + 1 :]
        if picked == 3:
            longer = self.random.choice([10, 11, 12])
            return self.insert(data, self.tag(field, VARINT) + b"\xff" * (longer - 1) + b"\x01")
        if picked == 4:
            return data + self.tag(field, self.random.choice([START, END, 6, 7]))
        if picked == 5:
            length = self.random.choice([1, 127, 2**31 - 1, 2**31, 2**32 + 1, 2**63, 2**64 - 1])
            return data + self.tag(field, LENGTH) + self.varint(length)
        if picked == 6:
            name = self.random.choice(["ff", "c080", "eda080", "f4908080", "e282", "80", "f5808080"])
            listed = b"\x0a" + self.sized(bytes.fromhex(name))
            return data + b"\x0a" + self.sized(listed)
        if picked == 7:
            return self.insert(data, bytes([self.random.randrange(8), self.random.randrange(128)]))
        if picked == 8:
            depth = self.random.choice([1, 2, 99, 100, 101, 120])
            tags = [self.varint(field << 3 | wire) for wire in (START, END)]
            return data + tags[0] * depth + tags[1] * (depth - self.hit(0.3))
        return data + self.varint(field << 3, self.random.randrange(1, 10)) + self.number()


def make(count, seed):
    maker = Maker(seed)
    for _ in range(count):
        kind = maker.random.choice("BS")
        data = maker.message(TYPES[kind].DESCRIPTOR, maker.random.randrange(4))
        if maker.hit(0.4):
            data = maker.damage(data)
        yield kind, data


def asked():
    for line in sys.stdin:
        kind, data = line.split()[:2]
        yield kind, bytes.fromhex(data.strip("-"))


def main(verb, count="100000", seed="1"):
    for kind, data in make(int(count), int(seed)) if verb == "make" else asked():
        print(describe(kind, data), flush=verb == "read")


main(*sys.argv[1:])
