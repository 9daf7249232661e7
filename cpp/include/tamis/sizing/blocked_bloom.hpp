// tamis/sizing/blocked_bloom.hpp - the rate and the number of blocks of split-block Bloom filters.
//
// A key falls into one of B blocks, and sets one bit in each of the block's 8 lanes of 32 bits. In
// a block with i of the n keys, an absent key is a false positive with the probability (1 -
// (31/32)^i)^8, and i is binomial (n, 1/B) (Putze, Sanders and Singler 2009, applied to lanes). The
// formula for classic Bloom filters and the formula in the Parquet specification ignore that blocks
// are filled unevenly, so they give rates that are too low.
#pragma once

#include <cstdint>

#include <tamis/limits.hpp>
#include <tamis/sizing/math.hpp>

namespace tamis::sizing {

inline constexpr std::uint64_t kBlockBits = 256;
// The lowest rate. Blocks of 32 bytes need ever more bits: 22 a key at 2^-12, 118 at 2^-24.
inline constexpr double kMinBlockedFpr = 0x1p-24;

// The rate in a block with `keys` keys. The bits in the lanes come from 32 bits of the hash, and an
// absent key may have the same 32 bits as a key in the block.
[[nodiscard]] constexpr double split_block_fpr(double keys) noexcept {
  constexpr double kLnStays = 0.03174869831458027;  // ln(32/31)
  const double rate = power(one_minus_exp(keys * kLnStays), 8) + keys * 0x1p-32;
  return rate < 1 ? rate : 1;
}

// The mean of split_block_fpr over all blocks. It adds up the binomial sum outwards from its
// largest term, with all terms relative to the largest, so that nothing underflows.
[[nodiscard]] TAMIS_NOINLINE constexpr double blocked_bloom_fpr(double blocks,
                                                                double keys) noexcept {
  // With this many keys, every lane of every block is full: 1 - 8 (31/32)^i rounds to 1 far
  // earlier. The check also keeps the sum below short, whatever a header claims.
  if (keys > 4096 * blocks) return 1;
  if (blocks <= 1) return split_block_fpr(keys);
  const double middle = static_cast<double>(static_cast<std::uint64_t>(keys / blocks));
  double weights = 1;
  double sum = split_block_fpr(middle);
  double weight = 1;
  for (double i = middle; i < keys && weight > 1e-20; ++i) {
    weight *= (keys - i) / ((i + 1) * (blocks - 1));
    weights += weight;
    sum += weight * split_block_fpr(i + 1);
  }
  weight = 1;
  for (double i = middle; i > 0 && weight > 1e-20; --i) {
    weight *= i * (blocks - 1) / (keys - i + 1);
    weights += weight;
    sum += weight * split_block_fpr(i - 1);
  }
  return sum / weights;
}

// The smallest number of blocks that keeps the rate.
[[nodiscard]] constexpr std::uint64_t blocked_bloom_blocks(std::uint64_t capacity,
                                                           double fpr) noexcept {
  const double keys = static_cast<double>(capacity);
  const auto keeps = [&](std::uint64_t blocks) {
    return blocked_bloom_fpr(static_cast<double>(blocks), keys) <= fpr;
  };
  // No filter needs fewer than log2(1 / fpr) bits a key. Searching from 1 is slower.
  const auto least = static_cast<std::uint64_t>(keys * -log2(fpr) / kBlockBits);
  return least_that(keeps, least + 1, kMaxCount, least / 8 + 1);
}

}  // namespace tamis::sizing
