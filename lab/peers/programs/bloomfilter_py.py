"""PyPI's bloomfilter-py, which writes the files of Guava.

  build DUMP KEYS TYPE CAPACITY FPR STRATEGY    builds a filter of the keys of a file, and writes it to DUMP
  ask DUMP KEYS TYPE                            reads DUMP, and prints 1 or 0 for each key of the file

A file of keys has one a line: decimal for int32 and int64, the bytes in hexadecimal for all else. STRATEGY is mitz32 or
mitz64.
"""

import sys

from bloomfilter import (
    BYTE_ARRAY_FUNNEL,
    INTEGER_FUNNEL,
    LONG_FUNNEL,
    UTF8_STRING_FUNNEL,
    BloomFilter,
)
from bloomfilter.bloomfilter_strategy import MURMUR128_MITZ_32, MURMUR128_MITZ_64

STRATEGIES = {"mitz32": MURMUR128_MITZ_32, "mitz64": MURMUR128_MITZ_64}
TYPES = {
    "utf8": (lambda line: bytes.fromhex(line).decode("utf-8"), UTF8_STRING_FUNNEL),
    "bytes": (bytes.fromhex, BYTE_ARRAY_FUNNEL),
    "int32": (int, INTEGER_FUNNEL),
    "int64": (int, LONG_FUNNEL),
}

verb, dump, keys_path, type_, *parameters = sys.argv[1:]
parse, funnel = TYPES[type_]
with open(keys_path) as file:
    keys = [parse(line.rstrip("\n")) for line in file]
if verb == "build":
    capacity, fpr, strategy = parameters
    made = BloomFilter(int(capacity), float(fpr), STRATEGIES[strategy], funnel)
    for key in keys:
        made.put(key)
    with open(dump, "wb") as file:
        file.write(made.dumps())
else:
    with open(dump, "rb") as file:
        read = BloomFilter.loads(file.read(), funnel)
    print("".join("1" if key in read else "0" for key in keys), end="")
