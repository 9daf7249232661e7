"""Writes a Bloom filter as a .tamis file. Keys are lines of UTF-8 on standard input.
Run it with: python bloom.py --fpr 0.01 keys.tamis < keys.txt"""

import math
import struct
import sys
from argparse import ArgumentParser
from array import array

from google_crc32c import value as crc32c
from xxhash import xxh3_64_intdigest

M64 = 2**64 - 1


def fmix64(x):  # FORMAT.md, section 4.1
    x = (x ^ x >> 33) * 0xFF51AFD7ED558CCD & M64
    x = (x ^ x >> 33) * 0xC4CEB9FE1A85EC53 & M64
    return x ^ x >> 33


def rate(m, k, n):  # section 5.1, the sizes: n keys in m bits, with k hashes
    if n * k <= 512:  # the expectation, by the odds that d bits are open
        odds = [1.0] + [0.0] * (k + 1)
        for _ in range(k):
            for d in range(k, 0, -1):
                odds[d] = odds[d] * (d / m) + odds[d - 1] * ((m - d + 1) / m)
            odds[0] = 0.0
        for _ in range(n * k):
            for d in range(k + 1):
                odds[d] = odds[d] * ((m - d) / m) + odds[d + 1] * ((d + 1) / m)
        return odds[0]
    q = -math.expm1(n * k * math.log1p(-1 / m))
    decay = -math.expm1(n * k * math.log1p(-1 / (m - 1) ** 2))
    variance = (1 - q) * (q - (1 - q) * (m - 1) * decay)  # divided by m
    return q**k * (1 + k * (k - 1) / 2 * variance / (m * q * q))


def best_size(n, fpr):  # the fewest bits over all numbers of hashes
    m, k = 2**32 + 1, 0
    for hashes in range(1, 65):
        low, high = n * hashes // 64 + 2, m - 1
        if low > high or rate(high, hashes, n) > fpr:
            continue
        while low < high:
            middle = (low + high) // 2
            if rate(middle, hashes, n) <= fpr:
                high = middle
            else:
                low = middle + 1
        m, k = high, hashes
    return m, k


def make_filter(hashes, fpr, seed):
    capacity = max(len(hashes), 1)
    m, k = best_size(capacity, fpr)
    if k == 0:
        sys.exit(f"there is no filter of {capacity} keys at a rate of {fpr}")
    bits = bytearray((m + 63) // 64 * 8)
    count = 0
    for h in hashes:
        x, is_new = fmix64(h + seed & M64), 0
        for _ in range(k):  # section 5.1: the scheme mcg
            i = (x >> 32) * m >> 32  # hi(x) takes the upper half of x alone
            is_new |= ~bits[i >> 3] >> (i & 7) & 1
            bits[i >> 3] |= 1 << (i & 7)
            x = x * 0xF1357AEA2E62A9C5 & M64
        count += is_new
    payload = struct.pack("<QII", m, k, 0) + bits
    fields = (1, 1, 1, 0, seed, 0, capacity, count, len(payload), crc32c(payload))
    header = b"\x89TMS\r\n\x1a\n" + struct.pack("<HBBI5QI", *fields)  # section 2
    return header + struct.pack("<I", crc32c(header)) + payload


parser = ArgumentParser()
parser.add_argument("path")
parser.add_argument("--fpr", type=float, default=0.01, help="the rate of false positives")
parser.add_argument("--seed", type=int, default=0, help="each gives another filter")
options = parser.parse_args()
if not 2**-48 <= options.fpr < 1:
    parser.error("the rate must be at least 2^-48 and below 1")
lines = (line.removesuffix(b"\n").removesuffix(b"\r") for line in sys.stdin.buffer)
data = make_filter(array("Q", map(xxh3_64_intdigest, lines)), options.fpr, options.seed)
with open(options.path, "wb") as file:
    file.write(data)
