// tamis/sizing/math.hpp - logarithms, powers and searches with the same results on every machine.
//
// Sizes are part of the file format, but libm's log and exp differ between platforms in the last
// bit. The functions here use only + - * / on double, whose results IEEE 754 defines, and they are
// built with -ffp-contract=off. All are constexpr.
#pragma once

#include <cstdint>

#include <tamis/detail/portability.hpp>
#include <tamis/limits.hpp>

namespace tamis::sizing {

inline constexpr double kLn2 = 0.6931471805599453;

// 2 * atanh(s) = ln((1 + s) / (1 - s)), as a series. For |s| <= 1/3 the rest is below 2^-75.
[[nodiscard]] constexpr double twice_atanh(double s) noexcept {
  const double square = s * s;
  double sum = 0;
  for (int power = 47; power >= 1; power -= 2) sum = sum * square + 1.0 / power;
  return 2 * s * sum;
}

// log2(x) for a normal x > 0. It is exact at powers of two.
[[nodiscard]] constexpr double log2(double x) noexcept {
  const auto word = detail::bit_cast<std::uint64_t>(x);
  int exponent = static_cast<int>(word >> 52) - 1023;
  constexpr std::uint64_t kMantissa = (std::uint64_t{1} << 52) - 1;
  constexpr std::uint64_t kExponentOfOne = std::uint64_t{1023} << 52;
  double mantissa = detail::bit_cast<double>((word & kMantissa) | kExponentOfOne);
  if (mantissa > 1.4142135623730951) {
    mantissa /= 2;
    ++exponent;
  }
  return exponent + twice_atanh((mantissa - 1) / (mantissa + 1)) / kLn2;
}

// 2^x. It is 0 for x below -1022, and at most 2^1023.
[[nodiscard]] constexpr double exp2(double x) noexcept {
  if (x < -1022) return 0;
  if (x > 1023) x = 1023;
  const int whole = static_cast<int>(x < 0 ? x - 0.5 : x + 0.5);
  const double y = (x - whole) * kLn2;  // |y| <= 0.35: the 18th Taylor term is below 2^-75
  double sum = 1;
  for (int i = 18; i >= 1; --i) sum = 1 + sum * y / i;
  return sum * detail::bit_cast<double>(static_cast<std::uint64_t>(whole + 1023) << 52);
}

// ln(1 - q) for 0 <= q < 1, accurate to the last digits even for tiny q.
[[nodiscard]] constexpr double ln_one_minus(double q) noexcept {
  return q < 0.5 ? -twice_atanh(q / (2 - q)) : log2(1 - q) * kLn2;
}

// 1 - e^-x for x >= 0, accurate to the last digits even for tiny x.
[[nodiscard]] constexpr double one_minus_exp(double x) noexcept {
  if (x >= 0.5) return 1 - exp2(-x / kLn2);
  double sum = 1;
  for (int i = 18; i >= 2; --i) sum = 1 - sum * x / i;
  return x * sum;
}

[[nodiscard]] TAMIS_NOINLINE constexpr double power(double base, std::uint32_t exponent) noexcept {
  double product = 1;
  for (std::uint32_t i = 0; i < exponent; ++i) product *= base;
  return product;
}

// An upper limit for searches, far above the size of any filter.
inline constexpr std::uint64_t kEndless = std::uint64_t{1} << 63;

// x >= 0 rounded up, but at most 2^63.
[[nodiscard]] constexpr std::uint64_t ceil_to_integer(double x) noexcept {
  if (x >= 0x1p63) return kEndless;
  const auto floor = static_cast<std::uint64_t>(x);
  return floor + (static_cast<double>(floor) < x ? 1 : 0);
}

// The least integer in `least`..`most` for which `keeps` is true, or `most` if there is none. From
// that integer on, `keeps` must be true. Fastest if the result is about `step` above `least`.
template <class Keeps>
[[nodiscard]] constexpr std::uint64_t least_that(Keeps keeps, std::uint64_t least,
                                                 std::uint64_t most,
                                                 std::uint64_t step = 1) noexcept {
  std::uint64_t below = least - 1;
  for (; least < most && !keeps(least); step *= 2) {
    below = least;
    least = step < most - least ? least + step : most;
  }
  while (least - below > 1) {
    const std::uint64_t middle = below + (least - below) / 2;
    (keeps(middle) ? least : below) = middle;
  }
  return least;
}

// The fewest bits r of a fingerprint that keep the rate: 2^-r <= p. If kMaxFingerprintBits do not
// keep it, the result is above kMaxFingerprintBits.
[[nodiscard]] constexpr std::uint32_t fingerprint_bits(double fpr) noexcept {
  std::uint32_t bits = 1;
  for (double rate = 0.5; bits <= kMaxFingerprintBits && rate > fpr; rate /= 2) ++bits;
  return bits;
}

}  // namespace tamis::sizing
