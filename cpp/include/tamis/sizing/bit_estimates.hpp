// tamis/sizing/bit_estimates.hpp - the number of keys in a Bloom filter, from the bits that are set.
//
// Swamidass and Baldi, J. Chem. Inf. Model. 47, 2007.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include <tamis/limits.hpp>
#include <tamis/sizing/math.hpp>

namespace tamis::sizing {

// -m/k ln(1 - X/m) for X of m bits that are set, and infinity if all are. It holds for split blocks
// too: there a key also sets each of the m bits with the probability k/m, however uneven the blocks
// are.
[[nodiscard]] constexpr double estimate_keys(std::uint64_t bits_set, std::uint64_t bits,
                                             std::uint32_t hashes) noexcept {
  if (bits_set == bits) return std::numeric_limits<double>::infinity();
  const double m = static_cast<double>(bits);
  return -m / hashes * ln_one_minus(static_cast<double>(bits_set) / m);
}

// A count from an estimate: rounded, and within its bounds. Without an estimate, which is infinity
// or NaN, it is `most`.
[[nodiscard]] constexpr std::uint64_t count_within(double estimate, std::uint64_t least,
                                                   std::uint64_t most) noexcept {
  const bool is_finite = estimate - estimate == 0;
  if (!is_finite || estimate >= static_cast<double>(most)) return most;
  return std::max(least, estimate > 0 ? static_cast<std::uint64_t>(estimate + 0.5) : 0);
}

// The count of a union, for an estimate of its keys: between the larger count and the sum.
[[nodiscard]] constexpr std::uint64_t count_of_union(double estimate, std::uint64_t one,
                                                     std::uint64_t other) noexcept {
  return count_within(estimate, std::max(one, other), std::min(one + other, kMaxCount));
}

}  // namespace tamis::sizing
