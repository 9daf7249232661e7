// tamis/sizing.hpp - every formula between keys, rates and bits.
//
// Sizes enter the wire format, so they must come out alike on every machine. libm's log and exp
// differ in the last bit between platforms; the functions here use only + - * / on double, which
// IEEE 754 fixes, and are built with -ffp-contract=off. All are constexpr.
//
//   n   keys          m   bits          k   hashes (probes per key)          p   false-positive
//   rate
#pragma once

#include <cstdint>

#include <tamis/detail/portability.hpp>

namespace tamis::sizing {

inline constexpr double kLn2 = 0.6931471805599453;
inline constexpr std::uint32_t kMaxHashes = 64;
inline constexpr double kMinFpr = 0x1p-48;
inline constexpr std::uint32_t kMaxFingerprintBits = 32;

// The largest count, capacity or size that JavaScript's numbers hold exactly.
inline constexpr std::uint64_t kMaxCount = (std::uint64_t{1} << 53) - 1;

// Bits of one array: wasm32 addresses 2^32 bits with 32-bit indices; the native bound keeps the
// 512-bit divisions of the `digest` scheme inside 64-bit arithmetic.
inline constexpr std::uint64_t kMaxBits = std::uint64_t{1} << (sizeof(void*) == 4 ? 32 : 46);

// 2 * atanh(s) = ln((1 + s) / (1 - s)) by its series; |s| <= 1/3 leaves a term below 2^-75.
[[nodiscard]] constexpr double twice_atanh(double s) noexcept {
  const double square = s * s;
  double sum = 0;
  for (int power = 47; power >= 1; power -= 2) sum = sum * square + 1.0 / power;
  return 2 * s * sum;
}

// x > 0, finite, normal. Exact at powers of two.
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

// 2^x, 0 below -1022 and saturating at 2^1023.
[[nodiscard]] constexpr double exp2(double x) noexcept {
  if (x < -1022) return 0;
  if (x > 1023) x = 1023;
  const int whole = static_cast<int>(x < 0 ? x - 0.5 : x + 0.5);
  const double y = (x - whole) * kLn2;  // |y| <= 0.35: the 18th Taylor term is below 2^-75
  double sum = 1;
  for (int i = 18; i >= 1; --i) sum = 1 + sum * y / i;
  return sum * detail::bit_cast<double>(static_cast<std::uint64_t>(whole + 1023) << 52);
}

// ln(1 - q), exact to the last places also for tiny q; 0 <= q < 1.
[[nodiscard]] constexpr double ln_one_minus(double q) noexcept {
  return q < 0.5 ? -twice_atanh(q / (2 - q)) : log2(1 - q) * kLn2;
}

// 1 - e^-x, exact to the last places also for tiny x; x >= 0.
[[nodiscard]] constexpr double one_minus_exp(double x) noexcept {
  if (x >= 0.5) return 1 - exp2(-x / kLn2);
  double sum = 1;
  for (int i = 18; i >= 2; --i) sum = 1 - sum * x / i;
  return x * sum;
}

[[nodiscard]] constexpr double power(double base, std::uint32_t exponent) noexcept {
  double product = 1;
  for (std::uint32_t i = 0; i < exponent; ++i) product *= base;
  return product;
}

// Where sizes that are worked out end: far above what a filter may have.
inline constexpr std::uint64_t kEndless = std::uint64_t{1} << 63;

// x >= 0 rounded up; saturates at 2^63.
[[nodiscard]] constexpr std::uint64_t ceil_to_integer(double x) noexcept {
  if (x >= 0x1p63) return kEndless;
  const auto floor = static_cast<std::uint64_t>(x);
  return floor + (static_cast<double>(floor) < x ? 1 : 0);
}

// The least integer from `least` to `most` of which `keeps` holds, or `most`: one that does, all
// above do too. Next to `least` it is found in few steps.
template <class Keeps>
[[nodiscard]] constexpr std::uint64_t least_that(Keeps keeps, std::uint64_t least,
                                                 std::uint64_t most) noexcept {
  std::uint64_t below = least - 1;
  for (std::uint64_t step = 1; least < most && !keeps(least); step *= 2) {
    below = least;
    least = step < most - least ? least + step : most;
  }
  while (least - below > 1) {
    const std::uint64_t middle = below + (least - below) / 2;
    (keeps(middle) ? least : below) = middle;
  }
  return least;
}

// The fewest bits of a fingerprint that keep the rate, 2^-r <= p; more than kMaxFingerprintBits
// where those do not.
[[nodiscard]] constexpr std::uint32_t fingerprint_bits(double fpr) noexcept {
  std::uint32_t bits = 1;
  for (double rate = 0.5; bits <= kMaxFingerprintBits && rate > fpr; rate /= 2) ++bits;
  return bits;
}

struct BloomSize {
  std::uint64_t bits;
  std::uint32_t hashes;
};

// Up to so many positions kn the rate of a Bloom filter is summed exactly.
inline constexpr double kMaxSummedPositions = 512;

// E[(X/m)^k] as a sum, X the number of bits that kn independent positions set. The stranger's k
// positions come first: they are d distinct bits, still open. Then each of the keys' positions
// closes one of those that are open, or none. The rate is the chance that none stays open.
[[nodiscard]] constexpr double bloom_fpr_by_sum(double bits, std::uint32_t hashes,
                                                double positions) noexcept {
  double hit[kMaxHashes + 2] = {}, miss[kMaxHashes + 2] = {};  // the share of d bits, and the rest
  for (std::uint32_t d = 0; d <= hashes + 1; ++d) {
    hit[d] = d / bits;
    miss[d] = (bits - d) / bits;
  }
  double chance[kMaxHashes + 2] = {1};  // of d open bits; the last stays 0
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
  return chance[0];
}

// The same to second order, q^k (1 + k(k-1)/2 Var(X) / (m q)^2) with q = 1 - (1 - 1/m)^(kn) the
// expected share of bits set. The classic q^k (Bloom 1970) leaves the variance out and is
// optimistic for few bits.
[[nodiscard]] constexpr double bloom_fpr_by_moments(double bits, std::uint32_t hashes,
                                                    double positions) noexcept {
  if (positions == 0) return 0;
  if (bits == 1) return 1;
  const double q = one_minus_exp(-positions * ln_one_minus(1 / bits));
  if (q == 1) return 1;
  // Var(X) / m, of differences of numbers near one another and so of what is near 0.
  const double others = bits - 1;
  const double decay =
      bits == 2 ? 1 : one_minus_exp(-positions * ln_one_minus(1 / (others * others)));
  const double variance = (1 - q) * (q - (1 - q) * others * decay);
  const double rate =
      power(q, hashes) * (1 + hashes * (hashes - 1.0) / 2 * variance / (bits * q * q));
  return rate < 1 ? rate : 1;
}

// The expected rate of n keys in m bits.
[[nodiscard]] constexpr double bloom_fpr(double bits, std::uint32_t hashes, double keys) noexcept {
  const double positions = hashes * keys;
  return positions <= kMaxSummedPositions ? bloom_fpr_by_sum(bits, hashes, positions)
                                          : bloom_fpr_by_moments(bits, hashes, positions);
}

// ln(1 - p^(1/k)), the logarithm of the share of bits that stay zero; the form changes at one half
// so that neither a rate near 0 nor one near 1 loses digits.
[[nodiscard]] constexpr double bloom_ln_empty(double fpr, std::uint32_t hashes) noexcept {
  const double ln_fpr = fpr < 0.5 ? log2(fpr) * kLn2 : ln_one_minus(1 - fpr);
  const double x = -ln_fpr / hashes;
  return x < kLn2 ? log2(one_minus_exp(x)) * kLn2 : ln_one_minus(exp2(-x / kLn2));
}

// -k n / ln(1 - p^(1/k)): the bits by the classic formula, always too few.
[[nodiscard]] constexpr double classic_bloom_bits(double keys, double fpr,
                                                  std::uint32_t hashes) noexcept {
  return -(hashes * keys) / bloom_ln_empty(fpr, hashes);
}

// The fewest bits with which k hashes keep the rate to second order and, of few positions, exactly;
// or `most`, where fewer do not.
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

// The least m over k = 1..64, with the smallest k that gives it.
[[nodiscard]] constexpr BloomSize bloom_size(std::uint64_t capacity, double fpr) noexcept {
  const double ideal = -log2(fpr);
  const std::uint32_t middle = ideal < 1            ? 1
                               : ideal < kMaxHashes ? static_cast<std::uint32_t>(ideal + 0.5)
                                                    : kMaxHashes;
  BloomSize best{bloom_bits(capacity, fpr, middle), middle};
  // The classic bits have one minimum, at k = log2(1/p), and are a bound: from the first k on for
  // which they are above the best, no other can be better.
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

// The k in 1..64 with the lowest rate for n keys in m bits (the smallest such k).
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

// The keys at which m bits with k hashes are half full: floor(m ln 2 / k), at least 1.
[[nodiscard]] constexpr std::uint64_t bloom_capacity(std::uint64_t bits,
                                                     std::uint32_t hashes) noexcept {
  const auto keys = static_cast<std::uint64_t>(static_cast<double>(bits) * kLn2 / hashes);
  return keys == 0 ? 1 : keys;
}

}  // namespace tamis::sizing
