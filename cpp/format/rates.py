"""The expected rates of Bloom filters with n keys: sections 5.1 and 5.2 of FORMAT.md."""
from math import expm1, log1p


def hit(chance, trials):  # at least once; where it is near 0 or 1, no digits are lost
    return -expm1(trials * log1p(-chance))


def bloom_rate(m, k, n):
    if k * n <= 512:
        c = [1] + [0] * (k + 1)  # that d bits are open; c[d - 1] of d = 0 is the last, 0
        for _ in range(k):
            c = [(c[d] * d + c[d - 1] * (m - d + 1)) / m for d in range(k + 1)] + [0]
        for _ in range(k * n):
            c = [(c[d] * (m - d) + c[d + 1] * (d + 1)) / m for d in range(k + 1)] + [0]
        return c[0]
    if m <= 2:  # with more than 512 positions
        return 1
    q, both = hit(1 / m, k * n), hit(1 / (m - 1)**2, k * n)
    variance = (1 - q) * (q - (1 - q) * (m - 1) * both)  # Var(X) / m, without large terms that cancel
    return min(1, q**k * (1 + k * (k - 1) / 2 * variance / (m * q * q)))


def block_rate(i):  # of a block with i keys
    return min(1, (1 - (31 / 32)**i)**8 + i / 2**32)


def blocked_rate(blocks, n):
    """The binomial sum, from its middle outwards, where the terms are relative to the first."""
    if n > 4096 * blocks:  # so many keys fill every block
        return block_rate(n)
    middle = n // blocks
    weights, total = 1, block_rate(middle)
    for step in 1, -1:
        i, weight = middle, 1
        while weight > 1e-20 and 0 <= i + step <= n:
            weight *= (n - i) / (i + 1) / (blocks - 1) if step > 0 else i / (n - i + 1) * (blocks - 1)
            i += step
            weights, total = weights + weight, total + weight * block_rate(i)
    return total / weights
