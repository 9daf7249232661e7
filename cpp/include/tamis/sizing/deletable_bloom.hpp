// tamis/sizing/deletable_bloom.hpp - formulas that only deletable Bloom filters need.
#pragma once

#include <cstdint>

#include <tamis/sizing/math.hpp>

namespace tamis::sizing {

// The largest number of bits: a position times the number of regions must be below 2^64.
inline constexpr std::uint64_t kMaxDeletableBits = std::uint64_t{1} << 32;

// The number of regions of up to 8 bits. Nearly all larger regions would be locked at capacity.
[[nodiscard]] constexpr std::uint64_t deletable_regions(std::uint64_t bits) noexcept {
  return bits / 8 + (bits % 8 != 0 ? 1 : 0);
}

// The share of keys that have a bit of their own: 1 - (1 - q)^k, where q = min(1, own / (n k)) and
// `own` is the number of bits that belong to only one of the n keys.
[[nodiscard]] constexpr double deletable_ratio(double own, std::uint32_t hashes,
                                               double keys) noexcept {
  const double q = own / (hashes * keys);
  return q < 1 ? 1 - power(1 - q, hashes) : 1;
}

}  // namespace tamis::sizing
