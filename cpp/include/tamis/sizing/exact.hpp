// tamis/sizing/exact.hpp - the two levels of an exact filter.
//
//   R   included keys       N   excluded ones       r   check bits of the first level
//
// The first level lets N / 2^r of the excluded keys pass. The second stores a bit for each of those
// and for each of the R. Without ribbon's overhead that is R (r + 1) + N / 2^r bits. The fewest
// bits are at an r of about log2(N / R) - 0.53, and then R (log2(N / R) + 1.91) (Schanck 2025).
#pragma once

#include <cstdint>

#include <tamis/sizing/math.hpp>
#include <tamis/sizing/ribbon.hpp>

namespace tamis::sizing {

inline constexpr std::uint32_t kMaxExactBits = 32;

// The expected number of excluded keys at the second level.
[[nodiscard]] constexpr std::uint64_t exact_passing(std::uint64_t excluded,
                                                    std::uint32_t bits) noexcept {
  return (excluded >> bits) + (bits == 0 ? 0 : (excluded >> (bits - 1)) & 1);
}

// The expected bytes of both levels.
[[nodiscard]] constexpr std::uint64_t exact_bytes(std::uint64_t included, std::uint64_t excluded,
                                                  std::uint32_t bits) noexcept {
  const std::uint64_t first = bits == 0 ? 0 : ribbon_bytes(included, bits);
  return first + ribbon_bytes(included + exact_passing(excluded, bits), 1);
}

// The rate outside both sets.
[[nodiscard]] constexpr double exact_fpr(std::uint32_t bits) noexcept {
  return power(0.5, bits + 1);
}

// The r of the fewest bits that keep the rate outside. One bit more costs R bits, and saves half of
// those for the keys that pass. So it is the least r at which at most 2 R pass. If two are equally
// good, it is the one with the lower rate. It is more than kMaxExactBits if those do not keep the
// rate.
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
