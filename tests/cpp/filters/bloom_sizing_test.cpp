// The sizes of Bloom filters. The expected rate is compared with other ways to compute it, and the
// sizes with a full search. From one key on, no filter is worse than its options.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include <tamis/limits.hpp>
#include <tamis/sizing/bloom.hpp>

namespace tamis::test {
namespace {

using sizing::BloomSize;

// E[(X/m)^k] by the occupancy of the bits: the probability that x of them are set after each
// position. Terms below 10^-60 are left out.
long double expected_rate(std::uint64_t bits, std::uint32_t hashes, std::uint64_t positions) {
  const auto m = static_cast<long double>(bits);
  std::vector<long double> chance(std::min(bits, positions) + 2);
  std::size_t least = 0, most = 0;
  chance[0] = 1;
  for (std::uint64_t i = 0; i < positions; ++i) {
    most = std::min<std::size_t>(most + 1, bits);
    for (std::size_t x = most; x > least; --x) {
      const auto set = static_cast<long double>(x);
      chance[x] = chance[x] * set / m + chance[x - 1] * (m - set + 1) / m;
    }
    chance[least] *= static_cast<long double>(least) / m;
    while (least < most && chance[least] < 1e-60L) chance[least++] = 0;
    while (least < most && chance[most] < 1e-60L) chance[most--] = 0;
  }
  long double rate = 0;
  for (std::size_t x = least; x <= most; ++x) {
    rate += chance[x] * std::pow(static_cast<long double>(x) / m, static_cast<int>(hashes));
  }
  return rate;
}

// q^k (1 + k(k-1)/2 Var(X) / (m q)^2) with the variance as the textbooks have it.
long double second_order_rate(std::uint64_t bits, std::uint32_t hashes, std::uint64_t positions) {
  const auto m = static_cast<long double>(bits), t = static_cast<long double>(positions);
  const long double one = std::pow(1 - 1 / m, t), two = std::pow(1 - 2 / m, t);
  const long double q = 1 - one, k = hashes;
  const long double variance = m * (m - 1) * two + m * one - m * m * one * one;
  return std::pow(q, k) * (1 + k * (k - 1) / 2 * variance / (m * m * q * q));
}

bool is_summed(std::uint64_t positions) { return positions <= 512; }

TEST(BloomRate, OfFewPositionsIsTheExpectation) {
  std::mt19937_64 random(6);
  for (int i = 0; i < 2'000; ++i) {
    const auto hashes = static_cast<std::uint32_t>(1 + random() % 64);
    const std::uint64_t keys = 1 + random() % (512 / hashes), positions = keys * hashes;
    const std::uint64_t bits = 1 + random() % (i % 2 == 0 ? 3 * positions : 100 * positions);
    const double rate =
        sizing::bloom_fpr(static_cast<double>(bits), hashes, static_cast<double>(keys));
    const long double want = expected_rate(bits, hashes, positions);
    ASSERT_NEAR(static_cast<double>(rate / want), 1, 1e-12)
        << bits << " bits, " << keys << " keys, k = " << hashes;
  }
  EXPECT_EQ(sizing::bloom_fpr(1, 1, 1), 1);
  EXPECT_EQ(sizing::bloom_fpr(2, 1, 1), 0.5);
  EXPECT_EQ(sizing::bloom_fpr(1, 64, 8), 1);
}

TEST(BloomRate, OfManyPositionsIsTheSecondOrder) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20'000; ++i) {
    const auto hashes = static_cast<std::uint32_t>(1 + random() % 64);
    const std::uint64_t keys = 512 / hashes + 1 + random() % (i % 2 == 0 ? 100 : 10'000);
    const std::uint64_t bits = keys * hashes / 2 + random() % (4 * keys * hashes);
    const double rate =
        sizing::bloom_fpr(static_cast<double>(bits), hashes, static_cast<double>(keys));
    const long double want = second_order_rate(bits, hashes, keys * hashes);
    ASSERT_NEAR(static_cast<double>(rate / want), 1, 1e-9)
        << bits << " bits, " << keys << " keys, k = " << hashes;
  }
  // It is the expectation except for its higher orders, and is closer with more keys.
  for (const std::uint64_t keys : {20u, 200u, 2'000u}) {
    const BloomSize size = sizing::bloom_size(keys, 0x1p-30);
    const double rate = sizing::bloom_fpr_by_moments(static_cast<double>(size.bits), size.hashes,
                                                     static_cast<double>(keys * size.hashes));
    const long double want = expected_rate(size.bits, size.hashes, keys * size.hashes);
    EXPECT_NEAR(static_cast<double>(rate / want), 1, 5 / static_cast<double>(keys * keys)) << keys;
  }
}

TEST(BloomRate, AtTheEndsOfItsRange) {
  // No key, no false positive; no place for another bit, nothing else.
  for (const double bits : {1.0, 2.0, 3.0, 1e3, 1e9, 0x1p46}) {
    for (const std::uint32_t k : {1u, 2u, 7u, 64u}) {
      EXPECT_EQ(sizing::bloom_fpr(bits, k, 0), 0);
      EXPECT_EQ(sizing::bloom_fpr_by_moments(bits, k, 0), 0);
      EXPECT_EQ(sizing::bloom_fpr(bits, k, 1e18), 1);
      for (const double keys : {1.0, 8.0, 9.0, 100.0, 1e4, 1e6, 1e9, 0x1p53}) {
        const double rate = sizing::bloom_fpr(bits, k, keys);
        ASSERT_TRUE(rate >= 0 && rate <= 1) << bits << ", " << k << ", " << keys;
        const double form = sizing::bloom_fpr_by_moments(bits, k, k * keys);
        ASSERT_TRUE(form >= 0 && form <= 1) << bits << ", " << k << ", " << keys;
      }
    }
  }
  for (double bits = 1; bits <= 64; ++bits) {
    for (const std::uint32_t k : {1u, 13u, 63u, 64u}) {
      for (double keys = 1; keys * k <= 512; ++keys)
        ASSERT_LE(sizing::bloom_fpr(bits, k, keys), 1) << bits << ", " << k << ", " << keys;
    }
  }
  // A handful of positions in very many bits: no digits are lost in the variance.
  EXPECT_NEAR(sizing::bloom_fpr(0x1p40, 2, 1'000) / 0x1p-80 / 4e6, 1, 1e-6);
}

TEST(BloomRate, FallsWithEveryBitAndRisesWithEveryKey) {
  for (const std::uint32_t k : {1u, 2u, 7u, 24u}) {
    for (const std::uint64_t keys : {1u, 5u, 21u, 300u}) {
      double before = 1;
      for (std::uint64_t bits = 1; bits < 3 * k * keys + 20; ++bits) {
        const double rate =
            sizing::bloom_fpr(static_cast<double>(bits), k, static_cast<double>(keys));
        ASSERT_LE(rate, before * (1 + 1e-12)) << bits << " bits, " << keys << " keys, k = " << k;
        before = rate;
        const double more =
            sizing::bloom_fpr(static_cast<double>(bits), k, static_cast<double>(keys + 1));
        // At the change from the sum to the second order, the rate may fall a little.
        if (is_summed(k * keys) == is_summed(k * (keys + 1))) {
          ASSERT_GE(more, rate * (1 - 1e-12)) << bits << " bits, " << keys << ", k = " << k;
        }
      }
    }
  }
}

// The sizes are known to the compiler: no rounding of the machine that runs them enters.
static_assert(sizing::bloom_size(100'000'000, 0.01).bits == 959'295'474);
static_assert(sizing::bloom_size(100'000'000, 0.01).hashes == 7);
static_assert(sizing::bloom_size(10, 0.01).bits == 98);
static_assert(sizing::bloom_size(10, 0.01).hashes == 6);

TEST(BloomSizing, TheConstantsOfTheCompilerAreThoseOfTheProcessor) {
  volatile double fpr = 0.01;
  const BloomSize many = sizing::bloom_size(100'000'000, fpr), few = sizing::bloom_size(10, fpr);
  EXPECT_EQ(many.bits, 959'295'474u);
  EXPECT_EQ(many.hashes, 7u);
  EXPECT_EQ(few.bits, 98u);
  EXPECT_EQ(few.hashes, 6u);
}

// -k n / ln(1 - p^(1/k)).
long double classic_bits(std::uint64_t capacity, double fpr, std::uint32_t hashes) {
  const long double ln_root = std::log(static_cast<long double>(fpr)) / hashes;
  const long double ln_empty =
      ln_root < -1 ? std::log1p(-std::exp(ln_root)) : std::log(-std::expm1(ln_root));
  return -static_cast<long double>(hashes) * static_cast<long double>(capacity) / ln_empty;
}

bool keeps(std::uint64_t bits, std::uint32_t hashes, std::uint64_t capacity, double fpr) {
  const auto m = static_cast<double>(bits), positions = hashes * static_cast<double>(capacity);
  return sizing::bloom_fpr_by_moments(m, hashes, positions) <= fpr &&
         (positions > 512 || sizing::bloom_fpr_by_sum(m, hashes, positions) <= fpr);
}

// Searches for every k, bit by bit from below the result of the classic formula, which is too few.
// The k with the fewest bits come first.
BloomSize searched_size(std::uint64_t capacity, double fpr) {
  std::vector<std::uint32_t> counts(64);
  std::iota(counts.begin(), counts.end(), 1u);
  std::ranges::sort(counts, {}, [&](std::uint32_t k) { return classic_bits(capacity, fpr, k); });
  BloomSize best{~std::uint64_t{0}, 0};
  for (const std::uint32_t k : counts) {
    auto bits = static_cast<std::uint64_t>(0.98L * classic_bits(capacity, fpr, k));
    EXPECT_TRUE(bits == 0 || bits > best.bits || !keeps(bits, k, capacity, fpr));
    do ++bits;
    while (bits <= best.bits && !keeps(bits, k, capacity, fpr));
    if (bits < best.bits || (bits == best.bits && k < best.hashes)) best = {bits, k};
  }
  return best;
}

TEST(BloomSizing, IsTheLeastOverAllHashCountsWithTheFewestHashes) {
  const auto expect_least = [](std::uint64_t capacity, double fpr) {
    const BloomSize size = sizing::bloom_size(capacity, fpr), want = searched_size(capacity, fpr);
    EXPECT_EQ(size.bits, want.bits) << capacity << " keys at " << fpr;
    EXPECT_EQ(size.hashes, want.hashes) << capacity << " keys at " << fpr;
  };
  for (const std::uint64_t capacity : {1u, 2u, 3u, 4u, 7u, 10u, 11u, 16u, 50u, 100u, 513u}) {
    for (const double fpr : {0.999999, 0.99, 0.75, 0.5, 0.25, 0.1, 0.03, 0.01, 0.001, 1e-4, 0x1p-16,
                             1e-6, 0x1p-24, 0x1p-33}) {
      expect_least(capacity, fpr);
    }
  }
  for (const std::uint64_t capacity : {1u, 10u, 11u, 20u}) expect_least(capacity, 0x1p-48);
  std::mt19937_64 random(8);
  for (int i = 0; i < 150; ++i) {
    const std::uint64_t capacity = 1 + random() % (i % 2 == 0 ? 100 : 3'000);
    expect_least(capacity, std::exp2(-std::uniform_real_distribution<double>(0.001, 30)(random)));
  }
}

// Here k is given, as murmur2a-fnv1a gives 2.
TEST(BloomSizing, BitsAreTheLeastOfTheirHashCount) {
  std::mt19937_64 random(9);
  for (int i = 0; i < 3'000; ++i) {
    const std::uint64_t capacity = 1 + random() % (i % 2 == 0 ? 60 : 3'000'000);
    const auto k = static_cast<std::uint32_t>(i % 3 == 0 ? 2 : 1 + random() % 24);
    const double fpr = std::exp2(-std::uniform_real_distribution<double>(0.001, 30)(random));
    const std::uint64_t bits = sizing::bloom_bits(capacity, fpr, k);
    ASSERT_TRUE(keeps(bits, k, capacity, fpr)) << capacity << " keys at " << fpr << ", k = " << k;
    ASSERT_FALSE(keeps(bits - 1, k, capacity, fpr)) << capacity << ", " << fpr << ", k = " << k;
    ASSERT_GE(static_cast<long double>(bits), classic_bits(capacity, fpr, k) * (1 - 1e-12L));
    // Here fewer bits would not do, so the result is the bound itself.
    ASSERT_EQ(sizing::bloom_bits(capacity, fpr, k, bits), bits);
    ASSERT_EQ(sizing::bloom_bits(capacity, fpr, k, bits + 1), bits);
    ASSERT_EQ(sizing::bloom_bits(capacity, fpr, k, bits - 1), bits - 1);
  }
}

// The expectation without any approximation, from one key on.
TEST(BloomSizing, KeepsTheExactExpectation) {
  for (std::uint64_t capacity = 1; capacity <= 50; ++capacity) {
    for (int exponent = 1; exponent <= 48; ++exponent) {
      const double fpr = std::ldexp(1, -exponent);
      const BloomSize size = sizing::bloom_size(capacity, fpr);
      const std::uint64_t positions = capacity * size.hashes;
      const long double rate = expected_rate(size.bits, size.hashes, positions);
      // Above 512 positions the second order leaves out 7 % at most, at 11 keys and 2^-46.
      const double most = is_summed(positions) ? 1 + 1e-12 : exponent <= 24 ? 1.005 : 1.07;
      ASSERT_LE(static_cast<double>(rate), fpr * most) << capacity << " keys at 2^-" << exponent;
    }
  }
}

TEST(BloomSizing, TheDesignedRateIsNeverAboveTheAskedAndOneBitLessWouldBe) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 3'000; ++i) {
    const std::uint64_t capacity = 1 + random() % (i % 2 == 0 ? 1'000 : 3'000'000);
    const double fpr = std::exp2(-std::uniform_real_distribution<double>(0.001, 48)(random));
    const BloomSize size = sizing::bloom_size(capacity, fpr);
    const auto rate = [&](std::uint64_t bits) {
      return sizing::bloom_fpr(static_cast<double>(bits), size.hashes,
                               static_cast<double>(capacity));
    };
    ASSERT_LE(rate(size.bits), fpr);
    ASSERT_FALSE(keeps(size.bits - 1, size.hashes, capacity, fpr)) << capacity << " at " << fpr;
  }
}

constexpr double kRates[] = {0x1p-48, 1e-12, 1e-6, 0x1p-16, 1e-4, 0.001, 0.01,
                             0.03,    0.1,   0.25, 0.5,     0.75, 0.99,  0.999999};

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
  const auto rate = [](double bits_per_key, std::uint32_t hashes) {
    return sizing::bloom_fpr(bits_per_key * 1e8, hashes, 1e8);
  };
  EXPECT_NEAR(rate(16, 8), 5.745e-4, 1e-7);
  EXPECT_NEAR(rate(10, 2), 0.0329, 5e-5);
  EXPECT_NEAR(rate(10, 6), 0.00844, 5e-6);
  EXPECT_NEAR(rate(10, 7), 0.00819, 5e-6);
  EXPECT_NEAR(rate(10, 8), 0.00846, 5e-6);
  EXPECT_NEAR(rate(10, 14), 0.0190, 5e-5);
  EXPECT_NEAR(rate(10, 30), 0.216, 5e-4);
  // One key in ten bits with 7 hashes: the classic formula says 0.82 %.
  EXPECT_NEAR(sizing::bloom_fpr(10, 7, 1), 0.01747, 5e-6);
}

TEST(BloomSizing, Inverses) {
  EXPECT_EQ(sizing::bloom_hashes(1'000, 100), 7u);
  EXPECT_EQ(sizing::bloom_hashes(1'000, 1'000'000), 1u);
  EXPECT_EQ(sizing::bloom_hashes(1'000'000, 1), 64u);
  std::mt19937_64 random(5);
  for (int i = 0; i < 500; ++i) {
    const std::uint64_t bits = 1 + random() % 1'000'000;
    const std::uint64_t capacity = 1 + random() % 100'000;
    const std::uint32_t best = sizing::bloom_hashes(bits, capacity);
    const auto rate = [&](std::uint32_t k) {
      return sizing::bloom_fpr(static_cast<double>(bits), k, static_cast<double>(capacity));
    };
    for (std::uint32_t k = 1; k <= 64; ++k) {
      ASSERT_LE(rate(best), rate(k)) << bits << " bits, " << capacity << " keys, k = " << k;
      ASSERT_TRUE(k >= best || rate(best) < rate(k)) << "fewer hashes do as well: " << k;
    }
  }
  EXPECT_EQ(sizing::bloom_capacity(1, 1), 1u);
  EXPECT_EQ(sizing::bloom_capacity(1'000, 7), 99u);
  EXPECT_EQ(sizing::bloom_capacity(8'192, 2), 2'839u);
  // Half of the bits are set at that many keys.
  const auto keys = static_cast<double>(sizing::bloom_capacity(10'000'000, 5));
  EXPECT_NEAR(sizing::one_minus_exp(5 * keys / 1e7), 0.5, 1e-6);
}

// Rates next to 1 and sizes next to the limits, in their own process. So a search that does not end
// is a failure, and does not stop the tests.
TEST(BloomSizingDeathTest, TheExtremesEnd) {
  const auto sizes_all = [] {
    alarm(200);
    for (const std::uint64_t capacity :
         {std::uint64_t{1}, std::uint64_t{600}, std::uint64_t{100'000'000}, sizing::kMaxCount}) {
      for (const double fpr : {0x1p-48, 0.01, 0.5, 0.999999, 1 - 1e-12, std::nextafter(1.0, 0.0)}) {
        const BloomSize size = sizing::bloom_size(capacity, fpr);
        const double rate = sizing::bloom_fpr(static_cast<double>(size.bits), size.hashes,
                                              static_cast<double>(capacity));
        if (size.bits == 0 || !(rate <= fpr)) _exit(1);
      }
    }
    _exit(0);
  };
  EXPECT_EXIT(sizes_all(), ::testing::ExitedWithCode(0), "");
  EXPECT_GT(sizing::bloom_size(sizing::kMaxCount, 0x1p-48).bits, sizing::kMaxBits);
  EXPECT_GE(sizing::bloom_size(1, 0x1p-48).bits, 48u);
}

TEST(LeastThat, FindsTheLeastAndNeverPassesTheMost) {
  for (std::uint64_t least = 1; least <= 40; ++least) {
    for (std::uint64_t most = least; most <= 60; ++most) {
      for (std::uint64_t answer = least; answer <= most; ++answer) {
        const auto keeps_from = [&](std::uint64_t x) {
          EXPECT_TRUE(x >= least && x <= most);
          return x >= answer;
        };
        ASSERT_EQ(sizing::least_that(keeps_from, least, most), answer);
      }
    }
  }
  const auto never = [](std::uint64_t) { return false; };
  EXPECT_EQ(sizing::least_that(never, 1, sizing::kMaxCount), sizing::kMaxCount);
}

}  // namespace
}  // namespace tamis::test
