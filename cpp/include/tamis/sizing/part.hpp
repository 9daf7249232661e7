// tamis/sizing/part.hpp - the bits of a classic Bloom filter whose rate must hold however small it
// is.
#pragma once

#include <cstdint>

#include <tamis/sizing.hpp>

namespace tamis::sizing {

// What the positions of the scheme `double` add to the rate of n keys in m bits, measured
// (FORMAT.md, "The limit of double"): 4 n / m^2. It matters where m is small or the rate low.
[[nodiscard]] constexpr double double_hashing_excess(double bits, double keys) noexcept {
  return 4 * keys / bits / bits;
}

// As bloom_size, with room for the excess: the rate is kept with both.
[[nodiscard]] constexpr BloomSize part_size(std::uint64_t capacity, double fpr) noexcept {
  const double keys = static_cast<double>(capacity);
  const BloomSize plain = bloom_size(capacity, fpr);
  const double excess = double_hashing_excess(static_cast<double>(plain.bits), keys);
  if (excess < fpr / 2) return bloom_size(capacity, fpr - excess);
  // Half of the rate for each.
  BloomSize size = bloom_size(capacity, fpr / 2);
  const std::uint64_t least = ceil_to_integer(exp2(log2(8 * keys / fpr) / 2));
  if (size.bits < least) size.bits = least;
  return size;
}

}  // namespace tamis::sizing
