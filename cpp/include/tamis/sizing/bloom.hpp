// tamis/sizing/bloom.hpp - bits, hashes and rates of a Bloom filter.
//
//   n   keys
//   m   bits
//   k   hashes, which are probes per key
//   p   false-positive rate
#pragma once

#include <cstdint>

#include <tamis/limits.hpp>
#include <tamis/sizing/math.hpp>

namespace tamis::sizing {

struct BloomSize {
  std::uint64_t bits;
  std::uint32_t hashes;
};

// Up to this number of positions (k n), the rate of a Bloom filter is summed exactly.
inline constexpr double kMaxSummedPositions = 512;

// E[(X/m)^k] as a sum, where X is the number of bits that k n independent positions set. First, the
// k positions of the absent key "open" d distinct bits. Then each position of the keys closes an
// open bit, or none. The rate is the probability that no bit stays open.
[[nodiscard]] constexpr double bloom_fpr_by_sum(double bits, std::uint32_t hashes,
                                                double positions) noexcept {
  double hit[kMaxHashes + 2] = {}, miss[kMaxHashes + 2] = {};  // the shares of d and m - d bits
  for (std::uint32_t d = 0; d <= hashes + 1; ++d) {
    hit[d] = d / bits;
    miss[d] = (bits - d) / bits;
  }
  double chance[kMaxHashes + 2] = {1};  // the probability of d open bits; the last stays 0
  for (std::uint32_t i = 0; i < hashes; ++i) {
    for (std::uint32_t d = i + 1; d > 0; --d) {
      chance[d] = chance[d] * hit[d] + chance[d - 1] * miss[d - 1];
    }
    chance[0] = 0;
  }
  for (double i = 0; i < positions; ++i) {
    for (std::uint32_t d = 0; d <= hashes; ++d) {
      chance[d] = chance[d] * miss[d] + chance[d + 1] * hit[d + 1];
    }
  }
  return chance[0] < 1 ? chance[0] : 1;  // because of rounding, the sum may be above 1
}

// Approximates the same rate to second order: q^k (1 + k(k-1)/2 Var(X) / (m q)^2), where the
// expected share of set bits is q = 1 - (1 - 1/m)^(kn). The classic q^k (Bloom 1970) ignores the
// variance, and is too low for few bits.
[[nodiscard]] constexpr double bloom_fpr_by_moments(double bits, std::uint32_t hashes,
                                                    double positions) noexcept {
  if (positions == 0) return 0;
  if (bits == 1) return 1;
  const double q = one_minus_exp(-positions * ln_one_minus(1 / bits));
  if (q == 1) return 1;
  // Var(X) / m. The differences of similar numbers in it are arranged so that each is near 0.
  const double others = bits - 1;
  const double decay =
      bits == 2 ? 1 : one_minus_exp(-positions * ln_one_minus(1 / (others * others)));
  const double variance = (1 - q) * (q - (1 - q) * others * decay);
  const double rate =
      power(q, hashes) * (1 + hashes * (hashes - 1.0) / 2 * variance / (bits * q * q));
  return rate < 1 ? rate : 1;
}

// The expected rate with n keys in m bits.
[[nodiscard]] TAMIS_NOINLINE constexpr double bloom_fpr(double bits, std::uint32_t hashes,
                                                        double keys) noexcept {
  const double positions = hashes * keys;
  return positions <= kMaxSummedPositions ? bloom_fpr_by_sum(bits, hashes, positions)
                                          : bloom_fpr_by_moments(bits, hashes, positions);
}

// ln(1 - p^(1/k)), the logarithm of the share of bits that stay zero. It is computed in one form
// below one half and in another above, so that rates near 0 and near 1 lose no digits.
[[nodiscard]] constexpr double bloom_ln_empty(double fpr, std::uint32_t hashes) noexcept {
  const double ln_fpr = fpr < 0.5 ? log2(fpr) * kLn2 : ln_one_minus(1 - fpr);
  const double x = -ln_fpr / hashes;
  return x < kLn2 ? log2(one_minus_exp(x)) * kLn2 : ln_one_minus(exp2(-x / kLn2));
}

// -k n / ln(1 - p^(1/k)), the classic formula for the number of bits. Its result is always too low.
[[nodiscard]] constexpr double classic_bloom_bits(double keys, double fpr,
                                                  std::uint32_t hashes) noexcept {
  return -(hashes * keys) / bloom_ln_empty(fpr, hashes);
}

// The fewest bits with which k hashes keep the rate, or `most` if they need `most` or more. The
// rate is exact up to kMaxSummedPositions, and otherwise a second-order approximation.
[[nodiscard]] constexpr std::uint64_t bloom_bits(std::uint64_t capacity, double fpr,
                                                 std::uint32_t hashes,
                                                 std::uint64_t most = kEndless) noexcept {
  const double keys = static_cast<double>(capacity);
  const double positions = hashes * keys;
  const auto keeps = [=](std::uint64_t bits) {
    return bloom_fpr_by_moments(static_cast<double>(bits), hashes, positions) <= fpr;
  };
  const auto keeps_exactly = [=](std::uint64_t bits) {
    return positions > kMaxSummedPositions ||
           bloom_fpr_by_sum(static_cast<double>(bits), hashes, positions) <= fpr;
  };
  const std::uint64_t classic = ceil_to_integer(classic_bloom_bits(keys, fpr, hashes));
  if (classic >= most || !keeps(most - 1) || !keeps_exactly(most - 1)) return most;
  const std::uint64_t bits = least_that(keeps, classic > 0 ? classic : 1, most - 1);
  return least_that(keeps_exactly, bits, most - 1);
}

// The fewest bits over all k = 1..64, with the smallest k that achieves them.
[[nodiscard]] constexpr BloomSize bloom_size(std::uint64_t capacity, double fpr) noexcept {
  const double ideal = -log2(fpr);
  const std::uint32_t middle = ideal < 1            ? 1
                               : ideal < kMaxHashes ? static_cast<std::uint32_t>(ideal + 0.5)
                                                    : kMaxHashes;
  BloomSize best{bloom_bits(capacity, fpr, middle), middle};
  // The classic number of bits is a lower bound, and has one minimum, at k = log2(1/p). So the
  // search can end at the first k whose bound exceeds the best result.
  const auto may_win = [&](std::uint32_t k) {
    constexpr double kRounding = 1 - 0x1p-40;
    const double least = classic_bloom_bits(static_cast<double>(capacity), fpr, k) * kRounding;
    return least <= static_cast<double>(best.bits);
  };
  for (std::uint32_t k = middle - 1; k >= 1 && may_win(k); --k) {
    const std::uint64_t bits = bloom_bits(capacity, fpr, k, best.bits + 1);
    if (bits <= best.bits) best = {bits, k};
  }
  for (std::uint32_t k = middle + 1; k <= kMaxHashes && may_win(k); ++k) {
    const std::uint64_t bits = bloom_bits(capacity, fpr, k, best.bits);
    if (bits < best.bits) best = {bits, k};
  }
  return best;
}

// The smallest k in 1..64 with the lowest rate for n keys in m bits.
[[nodiscard]] constexpr std::uint32_t bloom_hashes(std::uint64_t bits,
                                                   std::uint64_t capacity) noexcept {
  const auto rate = [&](std::uint32_t k) {
    return bloom_fpr(static_cast<double>(bits), k, static_cast<double>(capacity));
  };
  std::uint32_t best = 1;
  double lowest = rate(best);
  for (std::uint32_t k = 2; k <= kMaxHashes; ++k) {
    const double next = rate(k);
    if (next >= lowest) continue;
    lowest = next;
    best = k;
  }
  return best;
}

// The number of keys with which m bits and k hashes are half full: floor(m ln 2 / k), at least 1.
[[nodiscard]] constexpr std::uint64_t bloom_capacity(std::uint64_t bits,
                                                     std::uint32_t hashes) noexcept {
  const auto keys = static_cast<std::uint64_t>(static_cast<double>(bits) * kLn2 / hashes);
  return keys == 0 ? 1 : keys;
}

}  // namespace tamis::sizing
