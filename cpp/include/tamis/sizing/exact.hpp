// tamis/sizing/exact.hpp - the two levels of an exact filter.
//
//   R   included keys       N   excluded ones       r   check bits of the first level
//
// The first level lets N / 2^r of the excluded keys pass; the second stores a bit for each of those
// and of the R. R (r + 1) + N / 2^r bits, ribbon's overhead apart, are the fewest where r is about
// log2(N / R) - 0.53. Then they are R (log2(N / R) + 1.91) (Schanck 2025).
#pragma once

#include <cstdint>

#include <tamis/sizing/math.hpp>
#include <tamis/sizing/ribbon.hpp>

namespace tamis::sizing {

inline constexpr std::uint32_t kMaxExactBits = 32;

// Excluded keys to expect at the second level.
[[nodiscard]] constexpr std::uint64_t exact_passing(std::uint64_t excluded,
                                                    std::uint32_t bits) noexcept {
  return (excluded >> bits) + (bits == 0 ? 0 : (excluded >> (bits - 1)) & 1);
}

// The bytes to expect of both levels.
[[nodiscard]] constexpr std::uint64_t exact_bytes(std::uint64_t included, std::uint64_t excluded,
                                                  std::uint32_t bits) noexcept {
  const std::uint64_t first = bits == 0 ? 0 : ribbon_bytes(included, bits);
  return first + ribbon_bytes(included + exact_passing(excluded, bits), 1);
}

// The rate outside both sets.
[[nodiscard]] constexpr double exact_fpr(std::uint32_t bits) noexcept {
  return power(0.5, bits + 1);
}

// The r of the fewest bits that keep the rate outside. One bit more costs R and saves half of what
// passes, so it is the least r with which at most 2 R pass. Of two as good, it is the one of the
// lower rate. More than kMaxExactBits where those do not keep it.
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
