// The rate of Bloom filters from one key on, by simulation: exact binomial tails.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "long/rate_simulation.hpp"

namespace tamis::test {
namespace {

TEST(SmallRates, OfEveryNumberOfKeys) {
  for (int exponent = 1; exponent <= 12; ++exponent) {
    expect_rate<BloomFilter>(std::ldexp(1, -exponent), 20);
  }
  expect_rate<BloomFilter>(0.01, 20);
}

template <class F>
class SmallRatesOf : public ::testing::Test {};
// One composite is enough, since the others have the same parts, which are classic below 2^-12.
using Derived = ::testing::Types<CountingBloomFilter, DeletableBloomFilter, TombstoneBloomFilter>;
TYPED_TEST_SUITE(SmallRatesOf, Derived);

TYPED_TEST(SmallRatesOf, TheTypesWithTheSamePositions) {
  for (const std::uint64_t keys : {1u, 2u, 3u, 10u, 50u, 100u}) {
    for (const double fpr : {0.5, 0.01, 0x1p-13}) {
      const Hits found = simulate<TypeParam>(keys, fpr, 1'000);
      EXPECT_LE(found.rate, fpr);
      EXPECT_TRUE(is_plausible(found.hits, found.asked, found.rate))
          << found.hits << " of " << found.asked << " at " << found.rate << ", " << keys;
    }
  }
}

}  // namespace
}  // namespace tamis::test
