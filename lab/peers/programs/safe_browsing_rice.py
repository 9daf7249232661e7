"""The Rice-Golomb code of Safe Browsing v5: an encoder alone, which shares nothing with that of tamis.

The source is Google's description of RiceDeltaEncoded32Bit. A value is a big-endian number, the bytes of a prefix. A
delta is its quotient in ones, a zero, and its remainder from the lowest bit on. Bytes fill from there too.
"""

LEAST, GREATEST = 3, 30


def best_parameter(deltas):
    """The parameter of the fewest bits. The cost is convex, so that the first rise ends the search."""
    low, high = LEAST, GREATEST

    def rises(parameter):
        saved = sum((delta >> parameter) - (delta >> (parameter + 1)) for delta in deltas)
        return saved <= len(deltas)

    while low < high:
        middle = (low + high) // 2
        if rises(middle):
            high = middle
        else:
            low = middle + 1
    return low


def write_deltas(deltas, parameter):
    data = bytearray()
    bits = 0
    count = 0
    mask = (1 << parameter) - 1
    for delta in deltas:
        quotient = delta >> parameter
        bits |= ((1 << quotient) - 1) << count
        count += quotient + 1
        bits |= (delta & mask) << count
        count += parameter
        if count >= 512:
            whole = count // 8
            data += (bits & ((1 << 8 * whole) - 1)).to_bytes(whole, "little")
            bits >>= 8 * whole
            count -= 8 * whole
    return bytes(data + bits.to_bytes((count + 7) // 8, "little"))


def encode(values):
    """The first of sorted numbers, the parameter, the number of deltas, and their code."""
    deltas = [after - before for before, after in zip(values, values[1:])]
    parameter = best_parameter(deltas)
    return values[0], parameter, len(deltas), write_deltas(deltas, parameter)
