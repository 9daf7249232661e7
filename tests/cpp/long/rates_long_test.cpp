// The rates of Bloom filters of few keys, lower than the sanitizers have time for.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "long/rate_simulation.hpp"

namespace tamis::test {
namespace {

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
