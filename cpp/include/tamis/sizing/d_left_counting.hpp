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
// The cells of all sub-tables have 32-bit numbers.
inline constexpr std::uint64_t kMaxDLeftBuckets = (std::uint64_t{1} << 27) - 1;

// Keys to 32 cells, a load of 6 / 8 (Bonomi et al.), which holds them at every B and r. It was
// measured with this filter's own positions: distinct keys were added until the first refusal. A
// million fills ran for each of:
//
// - B = 2..8, 10, 12, 16, 24 for r = 12;
// - B = 2, 3, 4, 8, 16 for r = 30;
// - B = 2, 3, 4, 6, 8, 16 for r = 8.
//
// The shortest had 27.8 B keys. One fill in a million ended by 28.1 B to 29.7 B. Each key less
// divides that chance by about ten at B = 4: 24 B is far inside. B = 1 cannot refuse before 32,
// large B ended at 29 B. Narrow remainders do with less room, as keys share cells (300,000 fills:
// 32.5 B at r = 6).
//
// More than 24 would go in, but not last. While 24 B keys were replaced one by one, none of 20
// million was refused. That was at B = 2, 4, 8, 16, 64, 1,000 and 40,000. Of 26 B up to 12 were, of
// 27 B up to 1,317.
inline constexpr std::uint32_t kDLeftKeysPerIndex = 24;

// B = ceil(n / 24).
[[nodiscard]] constexpr std::uint64_t d_left_buckets(std::uint64_t capacity) noexcept {
  return capacity / kDLeftKeysPerIndex + (capacity % kDLeftKeysPerIndex != 0 ? 1 : 0);
}

// p = 1 - (1 - 1 / (B 2^r))^n: the chance that an absent key's fingerprint, one of B 2^r, is among
// those of n keys. As every sub-table permutes the same fingerprints, this is exact.
[[nodiscard]] constexpr double d_left_fpr(std::uint64_t buckets, std::uint32_t remainder_bits,
                                          double keys) noexcept {
  const double each = exp2(-static_cast<double>(remainder_bits)) / static_cast<double>(buckets);
  return one_minus_exp(-keys * ln_one_minus(each));
}

// The rate with `occupied` cells in use: each holds another fingerprint.
[[nodiscard]] constexpr double d_left_fill_fpr(std::uint64_t buckets, std::uint32_t remainder_bits,
                                               std::uint64_t occupied) noexcept {
  return static_cast<double>(occupied) / static_cast<double>(buckets) *
         exp2(-static_cast<double>(remainder_bits));
}

// The smallest r that keeps the rate for `capacity` keys in B buckets; 0 where 30 bits do not.
[[nodiscard]] constexpr std::uint32_t d_left_remainder_bits(std::uint64_t capacity,
                                                            std::uint64_t buckets,
                                                            double fpr) noexcept {
  for (std::uint32_t r = kMinDLeftRemainderBits; r <= kMaxDLeftRemainderBits; ++r) {
    if (d_left_fpr(buckets, r, static_cast<double>(capacity)) <= fpr) return r;
  }
  return 0;
}

}  // namespace tamis::sizing
