// The rate of Bloom filters from one key on, by simulation: filters of few keys, filled and read over
// and over. Exact binomial tails.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "support/samples.hpp"

namespace tamis::test {
namespace {

struct Hits {
  std::uint64_t hits = 0;
  std::uint64_t asked = 0;
  double rate = 0;  // as designed
};

// Looks up absent keys until some `wanted` false positives are due at the given rate. Split blocks,
// of which there is at least one, may have far fewer. Each filter gets so few look-ups that the
// difference of its own rate from the mean matters little.
template <class F>
Hits simulate(std::uint64_t keys, double fpr, double wanted) {
  auto filter = make_empty<F>(keys, Hasher(), fpr);
  Hits found;
  found.rate = filter.fpr();
  const auto due = static_cast<std::uint64_t>(std::ceil(wanted / fpr));
  const double weight = static_cast<double>(std::max<std::uint64_t>(keys, 16)) / 256;
  const auto absent_keys = static_cast<std::uint64_t>(std::ceil(weight / fpr));
  std::uint64_t next = splitmix64(keys) ^ splitmix64(static_cast<std::uint64_t>(1 / fpr));
  for (found.asked = 0; found.asked < due; found.asked += absent_keys) {
    filter.clear();
    for (std::uint64_t i = 0; i < keys; ++i) (void)filter.insert(Hash{splitmix64(next++)});
    for (std::uint64_t i = 0; i < absent_keys; ++i) {
      found.hits += filter.may_contain(Hash{splitmix64(next++)}) ? 1u : 0u;
    }
  }
  return found;
}

// Every number of keys to 200, and powers of two. Each must be possible at its rate, and the sum of
// all at the mean, which tells a deviation of some hundredths.
template <class F>
void expect_rate(double fpr, double wanted) {
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t keys = 1; keys <= 200; ++keys) numbers.push_back(keys);
  for (std::uint64_t keys = 256; keys <= 65'536; keys *= 2) numbers.push_back(keys);
  std::uint64_t hits = 0, asked = 0;
  double due = 0;
  for (const std::uint64_t keys : numbers) {
    const Hits found = simulate<F>(keys, fpr, wanted);
    EXPECT_LE(found.rate, fpr) << keys << " keys";
    EXPECT_TRUE(is_plausible(found.hits, found.asked, found.rate))
        << found.hits << " of " << found.asked << " at " << found.rate << ", " << keys << " keys";
    hits += found.hits;
    asked += found.asked;
    due += static_cast<double>(found.asked) * found.rate;
  }
  EXPECT_TRUE(is_plausible(hits, asked, due / static_cast<double>(asked)))
      << hits << " where " << due << " were due, at " << fpr;
}

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

// Lower rates than the sanitizers have time for.
TEST(RatesLong, OfEveryNumberOfKeys) {
  const bool is_long = std::getenv("TAMIS_LONG") != nullptr;
  for (int exponent = 13; exponent <= 16; ++exponent) {
    expect_rate<BloomFilter>(std::ldexp(1, -exponent), is_long ? 200 : 10);
  }
}

// The sizes at which dependent positions matter most.
TEST(RatesLong, OfAThousandKeysAtOneInAMillion) {
  const bool is_long = std::getenv("TAMIS_LONG") != nullptr;
  const Hits found = simulate<BloomFilter>(1'000, 1e-6, is_long ? 1'000 : 100);
  EXPECT_TRUE(is_plausible(found.hits, found.asked, found.rate))
      << found.hits << " of " << found.asked << " at " << found.rate;
}

}  // namespace
}  // namespace tamis::test
