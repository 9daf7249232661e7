"""Writes a binary fuse filter. Keys are lines of UTF-8 on standard input.
Run it with: python fuse.py keys.fuse < keys.txt"""

import sys

from pyfusefilter import Fuse8  # Fuse16 has 16 bits a key

text = sys.stdin.buffer.read().decode("utf-8")
keys = {line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")}
with open(sys.argv[1], "wb") as file:
    file.write(Fuse8(keys if text else []).serialize())
