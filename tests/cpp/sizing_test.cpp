// The sizing formulas against long double references and against their own defining properties.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cfloat>
#include <cmath>
#include <cstdint>
#include <random>

#include <tamis/sizing.hpp>

namespace tamis::test {
namespace {

using sizing::BloomSize;

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

// The sizes are known to the compiler: no rounding of the machine that runs them enters.
static_assert(sizing::bloom_size(100'000'000, 0.01).bits == 959'295'472);
static_assert(sizing::bloom_size(100'000'000, 0.01).hashes == 7);

TEST(BloomSizing, TheConstantsOfTheCompilerAreThoseOfTheProcessor) {
  volatile double fpr = 0.01;
  const BloomSize size = sizing::bloom_size(100'000'000, fpr);
  EXPECT_EQ(size.bits, 959'295'472u);
  EXPECT_EQ(size.hashes, 7u);
}

// -k n / ln(1 - p^(1/k)) in long double, not yet rounded up.
long double reference_quotient(std::uint64_t capacity, double fpr, std::uint32_t hashes) {
  const long double root = std::expm1(std::log(static_cast<long double>(fpr)) / hashes);
  return -static_cast<long double>(hashes) * static_cast<long double>(capacity) / std::log(-root);
}

constexpr std::uint64_t kCapacities[] = {
    1, 2, 3, 7, 100, 1'000, 11'521, 121'570, 1 << 20, 9'999'999, 100'000'000, 3'000'000'000};
constexpr double kRates[] = {0x1p-48, 1e-12, 1e-6, 0x1p-16, 1e-4, 0.001, 0.01,
                             0.03,    0.1,   0.25, 0.5,     0.75, 0.99,  0.999999};

TEST(BloomSizing, IsTheLeastOverAllHashCounts) {
  for (const std::uint64_t capacity : kCapacities) {
    for (const double fpr : kRates) {
      long double least = HUGE_VALL;
      for (std::uint32_t k = 1; k <= 64; ++k) {
        least = std::min(least, std::ceil(reference_quotient(capacity, fpr, k)));
      }
      if (least > 9e15L) continue;
      const BloomSize size = sizing::bloom_size(capacity, fpr);
      const long double quotient = reference_quotient(capacity, fpr, size.hashes);
      // One more where the quotient is a whole number but for the rounding of doubles.
      const bool whole = std::fabs(quotient - std::round(quotient)) < quotient * 1e-14L;
      EXPECT_LE(std::fabs(static_cast<long double>(size.bits) - std::fmax(least, 1)),
                whole ? 1 + quotient * 1e-14L : 0)
          << capacity << " keys at " << fpr;
      for (std::uint32_t k = 1; k < size.hashes; ++k) {
        EXPECT_GT(sizing::bloom_bits(capacity, fpr, k), size.bits)
            << "fewer hashes do as well: " << capacity << " keys at " << fpr << ", k = " << k;
      }
    }
  }
}

TEST(BloomSizing, TheDesignedRateIsNeverAboveTheAskedAndOneBitLessWouldBe) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 3'000; ++i) {
    const std::uint64_t capacity = 1 + random() % (i % 2 == 0 ? 1'000 : 3'000'000);
    const double fpr = std::exp2(-std::uniform_real_distribution<double>(0.001, 48)(random));
    const BloomSize size = sizing::bloom_size(capacity, fpr);
    const auto keys = static_cast<double>(capacity);
    ASSERT_LE(sizing::bloom_fpr(static_cast<double>(size.bits), size.hashes, keys), fpr);
    if (size.bits == 1) continue;
    const long double fewer = static_cast<long double>(size.bits - 1);
    const long double load = size.hashes * static_cast<long double>(capacity) / fewer;
    const long double rate = std::pow(-std::expm1(-load), static_cast<long double>(size.hashes));
    ASSERT_GT(rate, fpr * (1 - 1e-13L)) << capacity << " keys at " << fpr;
  }
}

TEST(BloomSizing, Monotone) {
  for (const double fpr : kRates) {
    std::uint64_t before = 0;
    for (std::uint64_t capacity = 1; capacity <= 1'000; ++capacity) {
      const std::uint64_t bits = sizing::bloom_size(capacity, fpr).bits;
      ASSERT_GE(bits, before) << capacity << " keys at " << fpr;
      before = bits;
    }
  }
  for (const std::uint64_t capacity : {1u, 10u, 12'345u, 100'000'000u}) {
    std::uint64_t before = ~std::uint64_t{0};
    for (int step = 0; step < 960; ++step) {
      const double fpr = std::exp2(-48 + 0.05 * step);
      const std::uint64_t bits = sizing::bloom_size(capacity, fpr).bits;
      ASSERT_LE(bits, before) << capacity << " keys at " << fpr;
      before = bits;
    }
  }
}

TEST(BloomSizing, KnownFigures) {
  // One tenth of the rate costs 4.79 bits a key, 1 % costs 9.59.
  const auto per_key = [](double fpr) {
    return static_cast<double>(sizing::bloom_size(1'000'000, fpr).bits) / 1e6;
  };
  EXPECT_NEAR(per_key(0.01), 9.593, 0.001);
  EXPECT_NEAR(per_key(0.001) - per_key(0.01), 4.793, 0.03);
  // 1.44 n log2(1/p): no Bloom filter does better.
  for (const double fpr : kRates) {
    EXPECT_GE(per_key(fpr), 1.4426 * -std::log2(fpr)) << fpr;
  }
  // 16 bits a key with 8 hashes; ten bits a key with 2, 6, 7, 8, 14, 30.
  EXPECT_NEAR(sizing::bloom_fpr(16, 8, 1), 5.745e-4, 1e-7);
  EXPECT_NEAR(sizing::bloom_fpr(10, 2, 1), 0.0329, 5e-5);
  EXPECT_NEAR(sizing::bloom_fpr(10, 6, 1), 0.00844, 5e-6);
  EXPECT_NEAR(sizing::bloom_fpr(10, 7, 1), 0.00819, 5e-6);
  EXPECT_NEAR(sizing::bloom_fpr(10, 8, 1), 0.00846, 5e-6);
  EXPECT_NEAR(sizing::bloom_fpr(10, 14, 1), 0.0190, 5e-5);
  EXPECT_NEAR(sizing::bloom_fpr(10, 30, 1), 0.216, 5e-4);
  // No key, no false positive.
  EXPECT_EQ(sizing::bloom_fpr(1000, 7, 0), 0);
}

TEST(BloomSizing, Inverses) {
  EXPECT_EQ(sizing::bloom_hashes(1'000, 100), 7u);
  EXPECT_EQ(sizing::bloom_hashes(1'000, 1'000'000), 1u);
  EXPECT_EQ(sizing::bloom_hashes(1'000'000, 1), 64u);
  std::mt19937_64 random(5);
  for (int i = 0; i < 2'000; ++i) {
    const std::uint64_t bits = 1 + random() % 1'000'000;
    const std::uint64_t capacity = 1 + random() % 100'000;
    const std::uint32_t best = sizing::bloom_hashes(bits, capacity);
    const auto rate = [&](std::uint32_t k) {
      return sizing::bloom_fpr(static_cast<double>(bits), k, static_cast<double>(capacity));
    };
    for (std::uint32_t k = 1; k <= 64; ++k) {
      ASSERT_LE(rate(best), rate(k)) << bits << " bits, " << capacity << " keys, k = " << k;
    }
  }
  EXPECT_EQ(sizing::bloom_capacity(1, 1), 1u);
  EXPECT_EQ(sizing::bloom_capacity(1'000, 7), 99u);
  EXPECT_EQ(sizing::bloom_capacity(8'192, 2), 2'839u);
  // Half of the bits are set at that many keys.
  const auto keys = static_cast<double>(sizing::bloom_capacity(10'000'000, 5));
  EXPECT_NEAR(sizing::one_minus_exp(5 * keys / 1e7), 0.5, 1e-6);
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

// Rates next to 1 and sizes next to the limits, in a process of their own: a search that does not
// end is a failure, not a test run that hangs.
TEST(BloomSizingDeathTest, TheExtremesEnd) {
  const auto sizes_all = [] {
    alarm(20);
    for (const std::uint64_t capacity :
         {std::uint64_t{1}, std::uint64_t{100'000'000}, sizing::kMaxCount}) {
      for (const double fpr : {0x1p-48, 0.01, 0.5, 0.999999, 1 - 1e-12, std::nextafter(1.0, 0.0)}) {
        const BloomSize size = sizing::bloom_size(capacity, fpr);
        const double rate = sizing::bloom_fpr(static_cast<double>(size.bits), size.hashes,
                                              static_cast<double>(capacity));
        const bool is_right = size.bits > sizing::kMaxBits || rate <= fpr;
        if (size.bits == 0 || !is_right) _exit(1);
      }
    }
    _exit(0);
  };
  EXPECT_EXIT(sizes_all(), ::testing::ExitedWithCode(0), "");
  EXPECT_GT(sizing::bloom_size(sizing::kMaxCount, 0x1p-48).bits, sizing::kMaxBits);
  EXPECT_GE(sizing::bloom_size(1, 0x1p-48).bits, 48u);
}

}  // namespace
}  // namespace tamis::test
