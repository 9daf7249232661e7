// tamis/sizing/exact.hpp - the sizes of the two levels of an exact filter.
//
//   R   included keys       N   excluded keys       r   check bits of the first level
//
// N / 2^r of the excluded keys pass the first level. The second level stores a bit for each of
// them, and for each of the R included keys. Without overhead that is R (r + 1) + N / 2^r bits. The
// minimum is near r = log2(N / R) - 0.53, with R (log2(N / R) + 1.91) bits (Schanck 2025).
#pragma once

#include <cstdint>

#include <tamis/sizing/math.hpp>
#include <tamis/sizing/ribbon.hpp>

namespace tamis::sizing {

inline constexpr std::uint32_t kMaxExactBits = 32;

// The expected number of excluded keys that reach the second level.
[[nodiscard]] constexpr std::uint64_t exact_passing(std::uint64_t excluded,
                                                    std::uint32_t bits) noexcept {
  return (excluded >> bits) + (bits == 0 ? 0 : (excluded >> (bits - 1)) & 1);
}

// The expected size of both levels.
[[nodiscard]] constexpr std::uint64_t exact_bytes(std::uint64_t included, std::uint64_t excluded,
                                                  std::uint32_t bits) noexcept {
  const std::uint64_t first = bits == 0 ? 0 : ribbon_bytes(included, bits);
  return first + ribbon_bytes(included + exact_passing(excluded, bits), 1);
}

// The rate for keys outside both sets.
[[nodiscard]] constexpr double exact_fpr(std::uint32_t bits) noexcept {
  return power(0.5, bits + 1);
}

// The r with the fewest bits in total that keeps the rate outside both sets. One more check bit
// costs R bits, and halves the bits for the excluded keys that pass. So it is the least r with
// which at most 2 R keys pass; if two are equally good, the one with the lower rate. If no r up to
// kMaxExactBits keeps the rate, the result is above kMaxExactBits.
[[nodiscard]] constexpr std::uint32_t exact_bits(std::uint64_t included, std::uint64_t excluded,
                                                 double fpr) noexcept {
  std::uint32_t bits = 0;
  while (bits <= kMaxExactBits && exact_fpr(bits) > fpr) ++bits;
  if (bits > kMaxExactBits) return bits;
  if (included == 0) return 0;
  while (bits < kMaxExactBits && (excluded >> bits) >= 2 * included) ++bits;
  return bits;
}

}  // namespace tamis::sizing
