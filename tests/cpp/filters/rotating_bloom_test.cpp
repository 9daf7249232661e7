// Properties of the rotating filter: the window that it promises, and its clock.

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "support/samples.hpp"

namespace tamis::test {
namespace {

constexpr auto kMaxTime = static_cast<std::int64_t>(sizing::kMaxCount);

RotatingBloomFilter rotating(std::uint64_t capacity, std::uint32_t generations,
                             std::uint64_t period_ms = 0, double fpr = 0.01) {
  auto made = RotatingBloomFilter::create({capacity, fpr, generations, period_ms, {}});
  EXPECT_TRUE(made.ok()) << code(made.status());
  return std::move(*made);
}

// Key `number` of a period.
Hash key(std::uint64_t period, std::uint64_t number = 0) {
  return Hash{fmix64(period << 32 | number)};
}

std::uint64_t advanced(RotatingBloomFilter& filter, std::int64_t now_ms) {
  const auto periods = filter.advance(now_ms);
  EXPECT_TRUE(periods.ok()) << now_ms;
  return *periods;
}

class RotatingBloomWindow : public ::testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Generations, RotatingBloomWindow, ::testing::Values(2u, 3u, 5u, 64u));

TEST_P(RotatingBloomWindow, HoldsTheKeysOfTheLastPeriods) {
  const std::uint32_t generations = GetParam();
  constexpr std::uint64_t kKeys = 40;
  auto filter = rotating(kKeys, generations, 0, 0.2);
  std::uint64_t remembered = 0, forgotten = 0;
  for (std::uint64_t period = 0; period < 3 * generations + 2; ++period) {
    if (period > 0) filter.rotate();
    for (std::uint64_t i = 0; i < kKeys; ++i) filter.insert(key(period, i));
    for (std::uint64_t age = 0; age <= period; ++age) {
      for (std::uint64_t i = 0; i < kKeys; ++i) {
        if (age > generations) continue;
        const bool has = filter.may_contain(key(period - age, i));
        if (age < generations) {
          ASSERT_TRUE(has) << "age " << age << " of " << generations;
        } else {
          // Each key once, when it has just been forgotten: in only by chance.
          ++forgotten;
          remembered += has ? 1u : 0u;
        }
      }
    }
  }
  EXPECT_GT(forgotten, kKeys * generations);
  EXPECT_GE(binomial_upper_tail(forgotten, filter.fpr(), remembered), kAlpha)
      << remembered << " of " << forgotten;
}

// A key that is added again lives as long as if it had come only now, although the answer is "not
// new".
TEST_P(RotatingBloomWindow, ARepeatProlongsTheLife) {
  const std::uint32_t generations = GetParam();
  auto filter = rotating(10, generations, 0, 0x1p-20);
  EXPECT_TRUE(filter.insert(key(0)));
  for (std::uint32_t period = 0; period < 3 * generations; ++period) {
    EXPECT_FALSE(filter.insert(key(0)));
    for (std::uint32_t i = 0; i + 1 < generations; ++i) {
      filter.rotate();
      ASSERT_TRUE(filter.may_contain(key(0)));
    }
  }
  EXPECT_FALSE(filter.insert(key(0)));
  for (std::uint32_t i = 0; i < generations; ++i) filter.rotate();
  EXPECT_FALSE(filter.may_contain(key(0)));
  EXPECT_EQ(filter.count(), 0u);
}

TEST(RotatingBloomClock, FirstCallSetsTheStart) {
  for (const std::int64_t start : {std::int64_t{0}, std::int64_t{1'700'000'000'123},
                                   std::int64_t{-1}, std::int64_t{-5'000}, kMaxTime, -kMaxTime}) {
    auto filter = rotating(10, 3, 1'000);
    filter.insert(key(0));
    EXPECT_EQ(advanced(filter, start), 0u);
    EXPECT_EQ(advanced(filter, start), 0u);
    if (start == kMaxTime) continue;
    EXPECT_EQ(advanced(filter, start + 999), 0u);
    EXPECT_TRUE(filter.may_contain(key(0)));
    EXPECT_EQ(advanced(filter, start + 1'000), 1u);
    EXPECT_EQ(advanced(filter, start + 1'999), 0u) << "the start moved by a whole period";
    EXPECT_EQ(advanced(filter, start + 2'000), 1u);
    EXPECT_TRUE(filter.may_contain(key(0)));
    EXPECT_EQ(advanced(filter, start + 3'000), 1u);
    EXPECT_FALSE(filter.may_contain(key(0)));
  }
}

// At any sequence of times, the periods add up to those since the start, and as many rotations
// happen.
TEST(RotatingBloomClock, AgainstOneThatRotatesByHand) {
  for (const std::uint32_t generations : {2u, 3u, 5u}) {
    auto clock = rotating(20, generations, 100);
    auto hand = rotating(20, generations);
    const std::int64_t start = -12'345;
    ASSERT_EQ(advanced(clock, start), 0u);
    std::int64_t now = start;
    std::uint64_t passed = 0, state = 1;
    for (std::uint64_t step = 0; step < 400; ++step) {
      state = splitmix64(state);
      now += static_cast<std::int64_t>(state % 4 == 0 ? state % 1'000 : state % 130) - 20;
      const std::uint64_t periods = advanced(clock, now);
      for (std::uint64_t i = 0; i < periods; ++i) hand.rotate();
      passed += periods;
      const std::int64_t since = now - start;
      if (since >= 0) {
        ASSERT_GE(passed, static_cast<std::uint64_t>(since) / 100);
      }
      if (periods > 0) {
        ASSERT_EQ(passed, static_cast<std::uint64_t>(since) / 100);
      }
      clock.insert(key(step));
      hand.insert(key(step));
      ASSERT_EQ(clock.count(), hand.count());
      for (std::uint64_t i = step < 40 ? 0 : step - 40; i <= step; ++i) {
        ASSERT_EQ(clock.may_contain(key(i)), hand.may_contain(key(i))) << step << ", " << i;
      }
    }
    EXPECT_GT(passed, 100u);
  }
}

TEST(RotatingBloomClock, ManyPeriodsClearAll) {
  for (const std::int64_t periods : {3, 4, 1'000'000}) {
    auto filter = rotating(10, 3, 60'000);
    ASSERT_EQ(advanced(filter, 5), 0u);
    for (int i = 0; i < 3; ++i) {
      filter.insert(key(static_cast<std::uint64_t>(i)));
      filter.rotate();
    }
    filter.insert(key(7));
    EXPECT_EQ(advanced(filter, 5 + periods * 60'000), static_cast<std::uint64_t>(periods));
    EXPECT_EQ(filter.count(), 0u);
    EXPECT_EQ(filter.estimated_fpr(), 0);
    EXPECT_EQ(advanced(filter, 4 + (periods + 1) * 60'000), 0u);
    EXPECT_EQ(advanced(filter, 5 + (periods + 1) * 60'000), 1u);
  }
  // From one end of time to the other.
  auto filter = rotating(10, 3, 1);
  ASSERT_EQ(advanced(filter, -kMaxTime), 0u);
  filter.insert(key(0));
  EXPECT_EQ(advanced(filter, kMaxTime), 2 * sizing::kMaxCount);
  EXPECT_EQ(filter.count(), 0u);
  EXPECT_EQ(filter.validate(), Status::kOk);
  EXPECT_TRUE(decode<RotatingBloomFilter>(wire_bytes(filter)).ok());
}

TEST(RotatingBloomClock, AnEarlierTimeChangesNothing) {
  auto filter = rotating(10, 2, 1'000);
  ASSERT_EQ(advanced(filter, 10'000), 0u);
  ASSERT_EQ(advanced(filter, 12'500), 2u);
  filter.insert(key(0));
  const Bytes before = wire_bytes(filter);
  for (const std::int64_t earlier :
       {std::int64_t{12'400}, std::int64_t{11'999}, std::int64_t{0}, std::int64_t{-1}, -kMaxTime}) {
    EXPECT_EQ(advanced(filter, earlier), 0u);
    EXPECT_EQ(wire_bytes(filter), before);
  }
  EXPECT_EQ(advanced(filter, 13'000), 1u) << "the periods are counted from the start on";
}

TEST(RotatingBloomClock, Limits) {
  auto filter = rotating(10, 2, 1'000);
  const Bytes before = wire_bytes(filter);
  for (const std::int64_t time :
       {kMaxTime + 1, -kMaxTime - 1, std::numeric_limits<std::int64_t>::max(),
        std::numeric_limits<std::int64_t>::min()}) {
    EXPECT_EQ(filter.advance(time).status(), Status::kInvalidOption) << time;
  }
  EXPECT_EQ(wire_bytes(filter), before);
  auto none = rotating(10, 2);
  EXPECT_EQ(none.advance(0).status(), Status::kInvalidOption);
}

TEST(RotatingBloomClock, NeitherAnEmptyCopyNorAClearedOneHasStarted) {
  auto filter = rotating(10, 3, 1'000);
  ASSERT_EQ(advanced(filter, -2'500), 0u);
  ASSERT_EQ(advanced(filter, -1'400), 1u);
  auto empty = filter.empty_copy();
  ASSERT_TRUE(empty.ok());
  filter.clear();
  EXPECT_EQ(wire_bytes(*empty), wire_bytes(filter));
  EXPECT_EQ(advanced(filter, 1'000'000), 0u);
}

TEST(RotatingBloom, Options) {
  const auto status = status_of<RotatingBloomFilter>;
  for (const std::uint32_t generations : {0u, 1u, 65u, ~0u}) {
    EXPECT_EQ(status({10, 0.01, generations, 0, {}}), Status::kInvalidOption);
  }
  EXPECT_EQ(status({10, 0.01, 64, sizing::kMaxCount, {}}), Status::kOk);
  EXPECT_EQ(status({10, 0.01, 2, sizing::kMaxCount + 1, {}}), Status::kInvalidOption);
  EXPECT_EQ(status({10, 0x1p-32, 64, 0, {}}), Status::kOk);
  EXPECT_EQ(status({10, 0x1.8p-33, 64, 0, {}}), Status::kInvalidOption);
}

TEST(RotatingBloom, Sizes) {
  for (const std::uint32_t generations : {2u, 3u, 40u, 41u, 64u}) {
    const RotatingBloomFilter::Config config{1'000, 0.01, generations, 0, {}};
    const double fpr = 0.01 / generations;  // at 41 below 2^-12
    const std::uint64_t one =
        generations < 41 ? sizing::blocked_bloom_blocks(1'000, fpr) * 32
                         : detail::BitWords::byte_count(sizing::bloom_size(1'000, fpr).bits);
    const auto all = RotatingBloomFilter::size_for(config);
    ASSERT_TRUE(all.ok());
    EXPECT_EQ(*all, generations * one);
    EXPECT_EQ(rotating(1'000, generations).size_bytes(), *all);
  }
}

}  // namespace
}  // namespace tamis::test
