"""Writes tests/vectors/bloom-positions.txt anew: python3 position_vectors.py FILE. The rows keep their hash id,
seed, bits, hashes and key; the positions are those of schemes.py."""
import sys
from hashes import M64, fmix64, siphash_2_4, xxh3_64
from schemes import positions

class Hasher:
    """As much of a file as positions() asks for."""
    def __init__(self, hash_id, seed):
        self.hash_id, self.seed = hash_id, seed

    def g(self, key):
        h = siphash_2_4(key, bytes(range(16))) if self.hash_id == 2 else xxh3_64(key)
        return fmix64(h + self.seed & M64)

def row(line):
    hash_id, seed, m, k, key, *_ = line.split()
    data = b'' if key == '-' else bytes.fromhex(key)
    found = positions(data, Hasher(int(hash_id), int(seed, 16)), int(m), int(k))
    return ' '.join([hash_id, seed, m, k, key, *map(str, found)])

if __name__ == '__main__':
    with open(sys.argv[1]) as file:
        lines = file.read().splitlines()
    with open(sys.argv[1], 'w') as file:
        for line in lines:
            print(line if line.startswith('#') else row(line), file=file)
