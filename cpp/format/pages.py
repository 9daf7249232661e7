"""Routes, and the tree of pages, by sections 10 and 11 of FORMAT.md."""
import hashlib
from hashes import M64, fmix64, splitmix64
from schemes import in_block

def sha256(data):
    return hashlib.sha256(data).digest()

PAGE, SHARD = (int.from_bytes(sha256(name)[:8], 'big') for name in (b'tamis pages', b'tamis shards'))

def route(constant, h, seed, places):  # the page or the shard of a hash
    return fmix64(h + splitmix64(seed ^ constant) & M64) * places >> 64

def block_bits(h, seed, blocks):  # of a shard, as its string counts bits in memory
    return in_block(fmix64(h + seed & M64), 256 * blocks)

def redis_offset(bit):
    return bit - bit % 8 + 7 - bit % 8

def tree(leaves):  # its levels, the leaves first, the root last
    levels = [leaves + [bytes(32)] * ((1 << (len(leaves) - 1).bit_length()) - len(leaves))]
    while len(levels[-1]) > 1:
        below = levels[-1]
        levels.append([sha256(below[i] + below[i + 1]) for i in range(0, len(below), 2)])
    return levels

def proof_of(levels, page):
    return b''.join(level[page >> i ^ 1] for i, level in enumerate(levels[:-1]))

def climb(leaf, page, proof):  # the root that a leaf and a proof lead to
    for i in range(len(proof) // 32):
        sibling = proof[32 * i:32 * i + 32]
        leaf = sha256(sibling + leaf if page >> i & 1 else leaf + sibling)
    return leaf
