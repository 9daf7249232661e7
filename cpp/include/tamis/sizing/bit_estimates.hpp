// tamis/sizing/bit_estimates.hpp - the number of keys in a Bloom filter, by its set bits.
//
// Swamidass and Baldi, J. Chem. Inf. Model. 47, 2007.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include <tamis/limits.hpp>
#include <tamis/sizing/math.hpp>

namespace tamis::sizing {

// -m/k ln(1 - X/m) for X set bits of m, and infinity if all bits are set. This also holds for split
// blocks: however unevenly they are filled, a key sets each bit with the probability k/m.
[[nodiscard]] constexpr double estimate_keys(std::uint64_t bits_set, std::uint64_t bits,
                                             std::uint32_t hashes) noexcept {
  if (bits_set == bits) return std::numeric_limits<double>::infinity();
  const double m = static_cast<double>(bits);
  return -m / hashes * ln_one_minus(static_cast<double>(bits_set) / m);
}

// The count of a union: the estimate, but at least the larger count and at most the sum.
[[nodiscard]] constexpr std::uint64_t count_of_union(double estimate, std::uint64_t one,
                                                     std::uint64_t other) noexcept {
  const std::uint64_t sum = std::min(one + other, kMaxCount), larger = std::max(one, other);
  const double keys = std::min(estimate + 0.5, static_cast<double>(sum));
  return std::max(larger, static_cast<std::uint64_t>(keys));
}

}  // namespace tamis::sizing
