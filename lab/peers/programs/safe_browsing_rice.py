"""The Rice-Golomb code of Safe Browsing v5: an encoder alone, which shares nothing with that of tamis.

The source is Google's description of RiceDeltaEncoded32Bit. A value is a big-endian number, the bytes of a prefix. A
delta is its quotient in ones, a zero, and its remainder from the lowest bit on. Bytes fill from there too.
"""


def bits_of(delta, parameter):
    remainder = f"{delta % 2**parameter:0{parameter}b}"
    return "1" * (delta >> parameter) + "0" + remainder[::-1]


def encode(values):
    """The first of sorted numbers, the parameter of the fewest bits, the number of deltas, and their code."""
    deltas = [after - before for before, after in zip(values, values[1:])]
    parameter = min(range(3, 31), key=lambda one: one * len(deltas) + sum(delta >> one for delta in deltas))
    bits = "".join(bits_of(delta, parameter) for delta in deltas)
    data = int(bits[::-1] or "0", 2).to_bytes((len(bits) + 7) // 8, "little")
    return values[0], parameter, len(deltas), data
