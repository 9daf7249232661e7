// The mathematics of the sizes against long double references; the sizes of Bloom filters are in
// bloom_sizing_test.cpp.

#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <cstdint>
#include <random>

#include <tamis/limits.hpp>
#include <tamis/sizing/math.hpp>

namespace tamis::test {
namespace {

// |got - want| in units in the last place of `want`.
double ulps(double got, long double want) {
  const double rounded = static_cast<double>(want);
  const double ulp = std::nextafter(std::fabs(rounded), HUGE_VAL) - std::fabs(rounded);
  return static_cast<double>(std::fabs(static_cast<long double>(got) - want)) / ulp;
}

// A positive double with a random exponent in the range.
double random_double(std::mt19937_64& random, int low, int high) {
  std::uniform_real_distribution<double> mantissa(1, 2);
  std::uniform_int_distribution<int> exponent(low, high);
  const double m = mantissa(random);
  return std::ldexp(m, exponent(random));
}

TEST(SizingMaths, Log2) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100'000; ++i) {
    const double x = random_double(random, -1022, 1022);
    ASSERT_LE(ulps(sizing::log2(x), std::log2(static_cast<long double>(x))), 4) << x;
    const double near_one = 1 + random_double(random, -50, -3) * (i % 2 == 0 ? 1 : -1);
    ASSERT_LE(ulps(sizing::log2(near_one), std::log2(static_cast<long double>(near_one))), 4)
        << near_one;
  }
  for (int exponent = -1022; exponent <= 1023; ++exponent) {
    ASSERT_EQ(sizing::log2(std::ldexp(1.0, exponent)), exponent);
  }
}

TEST(SizingMaths, Exp2) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> any(-1021.5, 1022.5);
  for (int i = 0; i < 100'000; ++i) {
    const double x = i % 2 == 0 ? any(random) : random_double(random, -60, 4);
    ASSERT_LE(ulps(sizing::exp2(x), std::exp2(static_cast<long double>(x))), 4) << x;
  }
  for (int exponent = -1022; exponent <= 1023; ++exponent) {
    ASSERT_EQ(sizing::exp2(exponent), std::ldexp(1.0, exponent));
  }
  EXPECT_EQ(sizing::exp2(-1023), 0);
  EXPECT_EQ(sizing::exp2(-1e300), 0);
  EXPECT_EQ(sizing::exp2(1e300), std::ldexp(1.0, 1023));
}

TEST(SizingMaths, LnOneMinusAndOneMinusExp) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 100'000; ++i) {
    const double q = random_double(random, -60, -2);
    ASSERT_LE(ulps(sizing::ln_one_minus(q), std::log1p(-static_cast<long double>(q))), 6) << q;
    const double x = random_double(random, -60, 5);
    ASSERT_LE(ulps(sizing::one_minus_exp(x), -std::expm1(-static_cast<long double>(x))), 6) << x;
  }
  EXPECT_EQ(sizing::ln_one_minus(0), 0);
  EXPECT_EQ(sizing::one_minus_exp(0), 0);
}

TEST(SizingMaths, PowerAndCeiling) {
  EXPECT_EQ(sizing::power(3, 0), 1);
  EXPECT_EQ(sizing::power(3, 5), 243);
  EXPECT_EQ(sizing::ceil_to_integer(0), 0u);
  EXPECT_EQ(sizing::ceil_to_integer(0.25), 1u);
  EXPECT_EQ(sizing::ceil_to_integer(7), 7u);
  EXPECT_EQ(sizing::ceil_to_integer(7.0000001), 8u);
  EXPECT_EQ(sizing::ceil_to_integer(0x1p53 + 2), (std::uint64_t{1} << 53) + 2);
  EXPECT_EQ(sizing::ceil_to_integer(0x1p63), std::uint64_t{1} << 63);
  EXPECT_EQ(sizing::ceil_to_integer(1e300), std::uint64_t{1} << 63);
}

TEST(FingerprintSizing, TheFewestBitsThatKeepTheRate) {
  for (std::uint32_t bits = 1; bits <= sizing::kMaxFingerprintBits; ++bits) {
    const double rate = std::ldexp(1, -static_cast<int>(bits));
    EXPECT_EQ(sizing::fingerprint_bits(rate), bits);
    EXPECT_EQ(sizing::fingerprint_bits(rate * 1.999), bits);
    EXPECT_EQ(sizing::fingerprint_bits(std::nextafter(rate, 0.0)), bits + 1);
  }
  EXPECT_EQ(sizing::fingerprint_bits(0.999), 1u);
  EXPECT_EQ(sizing::fingerprint_bits(0.01), 7u);
  EXPECT_GT(sizing::fingerprint_bits(sizing::kMinFpr), 32u);
}

}  // namespace
}  // namespace tamis::test
