// tamis/sizing/d_left_counting.hpp - keys, rates and bits of the d-left counting Bloom filter.
//
//   n   distinct keys      B   buckets of a sub-table      r   bits of a remainder
#pragma once

#include <cstdint>

#include <tamis/sizing/math.hpp>

namespace tamis::sizing {

inline constexpr std::uint32_t kDLeftTables = 4;
inline constexpr std::uint32_t kDLeftBucketCells = 8;
inline constexpr std::uint32_t kDLeftCellsPerIndex = kDLeftTables * kDLeftBucketCells;
inline constexpr std::uint32_t kMinDLeftRemainderBits = 5;
inline constexpr std::uint32_t kMaxDLeftRemainderBits = 30;
// The largest number of buckets: the cells of all sub-tables are numbered with 32 bits.
inline constexpr std::uint64_t kMaxDLeftBuckets = (std::uint64_t{1} << 27) - 1;

// The number of keys for each 32 cells. This load, 6 / 8 (Bonomi et al.), fits at every B and r. It
// was measured with this filter's own positions: distinct keys were added until the first refusal,
// a million times for each of:
//
// - B = 2..8, 10, 12, 16, 24 with r = 12;
// - B = 2, 3, 4, 8, 16 with r = 30;
// - B = 2, 3, 4, 6, 8, 16 with r = 8.
//
// The first refusal never came before 27.8 B keys. In one fill in a million, it came by 28.1 B to
// 29.7 B keys. At B = 4 each key less makes a refusal about ten times less likely, so 24 B is far
// on the safe side. B = 1 cannot refuse before 32 keys, and large B refused at 29 B. With narrow
// remainders, more keys fit, because keys share cells (300,000 fills: 32.5 B at r = 6).
//
// More than 24 B keys would fit at first, but not for long. While 24 B keys were replaced one by
// one, none of 20 million was refused, at B = 2, 4, 8, 16, 64, 1,000 and 40,000. With 26 B keys up
// to 12 were refused, and with 27 B up to 1,317.
inline constexpr std::uint32_t kDLeftKeysPerIndex = 24;

// The number of buckets B = ceil(n / 24).
[[nodiscard]] constexpr std::uint64_t d_left_buckets(std::uint64_t capacity) noexcept {
  return capacity / kDLeftKeysPerIndex + (capacity % kDLeftKeysPerIndex != 0 ? 1 : 0);
}

// p = 1 - (1 - 1 / (B 2^r))^n: the probability that an absent key has the same fingerprint as one
// of n keys. There are B 2^r fingerprints. This is exact, because all sub-tables permute the same
// fingerprints.
[[nodiscard]] constexpr double d_left_fpr(std::uint64_t buckets, std::uint32_t remainder_bits,
                                          double keys) noexcept {
  const double each = exp2(-static_cast<double>(remainder_bits)) / static_cast<double>(buckets);
  return one_minus_exp(-keys * ln_one_minus(each));
}

// The rate with `occupied` used cells, each of which contains a different fingerprint.
[[nodiscard]] constexpr double d_left_fill_fpr(std::uint64_t buckets, std::uint32_t remainder_bits,
                                               std::uint64_t occupied) noexcept {
  return static_cast<double>(occupied) / static_cast<double>(buckets) *
         exp2(-static_cast<double>(remainder_bits));
}

// The smallest r that keeps the rate for `capacity` keys in B buckets, or 0 if it is above 30.
[[nodiscard]] constexpr std::uint32_t d_left_remainder_bits(std::uint64_t capacity,
                                                            std::uint64_t buckets,
                                                            double fpr) noexcept {
  for (std::uint32_t r = kMinDLeftRemainderBits; r <= kMaxDLeftRemainderBits; ++r) {
    if (d_left_fpr(buckets, r, static_cast<double>(capacity)) <= fpr) return r;
  }
  return 0;
}

}  // namespace tamis::sizing
