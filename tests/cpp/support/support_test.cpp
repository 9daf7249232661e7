// The measuring tools themselves: a bound that always holds, or a key maker that repeats itself,
// would make other tests pass for nothing.

#include "support/support.hpp"

#include <gtest/gtest.h>

#include <set>

namespace tamis::test {
namespace {

TEST(Binomial, TailsOfSmallCases) {
  EXPECT_NEAR(binomial_upper_tail(10, 0.5, 8), 56.0 / 1024, 1e-12);
  EXPECT_NEAR(binomial_lower_tail(10, 0.5, 2), 56.0 / 1024, 1e-12);
  EXPECT_NEAR(binomial_upper_tail(5, 0.1, 5), 1e-5, 1e-15);
  EXPECT_NEAR(binomial_lower_tail(5, 0.1, 0), std::pow(0.9, 5), 1e-12);
  EXPECT_NEAR(binomial_upper_tail(1'000'000, 0.01, 0), 1, 1e-12);
}

TEST(Binomial, TheBoundsAtAlpha) {
  // The last figures that pass and the first that do not.
  EXPECT_TRUE(is_plausible(9'409, 1'000'000, 0.01));
  EXPECT_FALSE(is_plausible(9'408, 1'000'000, 0.01));
  EXPECT_TRUE(is_plausible(10'602, 1'000'000, 0.01));
  EXPECT_FALSE(is_plausible(10'603, 1'000'000, 0.01));
  EXPECT_TRUE(is_plausible(816, 1'000'000, 0.001));
  EXPECT_FALSE(is_plausible(815, 1'000'000, 0.001));
  EXPECT_TRUE(is_plausible(1'195, 1'000'000, 0.001));
  EXPECT_FALSE(is_plausible(1'196, 1'000'000, 0.001));
  EXPECT_TRUE(is_plausible(0, 1'000, 0));
  EXPECT_FALSE(is_plausible(1, 1'000, 0));
  EXPECT_FALSE(is_plausible(999, 1'000, 1));
}

TEST(KeyMakers, NoKeyComesTwice) {
  for (const KeyFamily family : kKeyFamilies) {
    std::set<Bytes> seen;
    for (std::uint8_t set = 0; set < 3; ++set) {
      for (std::uint64_t number = 0; number < 20'000; ++number) {
        ASSERT_TRUE(seen.insert(make_key(family, set, number)).second)
            << "family " << static_cast<int>(family) << ", number " << number;
      }
    }
  }
}

TEST(KeyMakers, HighBytesAreHigh) {
  for (const std::byte byte : make_key(KeyFamily::kHighBytes, 1, 123'456)) {
    EXPECT_GE(std::to_integer<int>(byte), 0x80);
  }
}

}  // namespace
}  // namespace tamis::test
