// tamis/sizing/deletable_bloom.hpp - formulas of the deletable Bloom filter beyond those of
// sizing/bloom.hpp.
#pragma once

#include <cstdint>

#include <tamis/sizing/math.hpp>

namespace tamis::sizing {

// The largest number of bits: a position times the number of regions stays below 2^64.
inline constexpr std::uint64_t kMaxDeletableBits = std::uint64_t{1} << 32;

// The number of regions of 8 bits or fewer. Larger regions are nearly all locked at capacity.
[[nodiscard]] constexpr std::uint64_t deletable_regions(std::uint64_t bits) noexcept {
  return bits / 8 + (bits % 8 != 0 ? 1 : 0);
}

// 1 - (1 - q)^k: the share of keys with a bit of their own, from the `own` bits that all n keys
// have. For each of their bits q is min(1, own / (n k)).
[[nodiscard]] constexpr double deletable_ratio(double own, std::uint32_t hashes,
                                               double keys) noexcept {
  const double q = own / (hashes * keys);
  return q < 1 ? 1 - power(1 - q, hashes) : 1;
}

}  // namespace tamis::sizing
