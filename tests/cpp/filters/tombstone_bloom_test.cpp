// Properties of the tombstone filter: its deleted keys hide others at a rate that it gives.

#include <gtest/gtest.h>

#include <cstdint>

#include "support/samples.hpp"

namespace tamis::test {
namespace {

TombstoneBloomFilter tombstone(std::uint64_t capacity, double fpr = 0.01,
                               std::uint64_t deletions = 0, const Hasher& hasher = Hasher()) {
  auto made = TombstoneBloomFilter::create({capacity, fpr, deletions, hasher});
  EXPECT_TRUE(made.ok()) << code(made.status());
  return std::move(*made);
}

Hash key(std::uint64_t i) { return Hash{fmix64(i)}; }
Hash absent_key(std::uint64_t i) { return Hash{fmix64((std::uint64_t{1} << 40) + i)}; }

void insert(TombstoneBloomFilter& filter, std::uint64_t from, std::uint64_t to) {
  for (std::uint64_t i = from; i < to; ++i) ASSERT_TRUE(is_ok(filter.insert(key(i))));
}

TEST(TombstoneBloom, FalseNegativesAsOftenAsItSays) {
  for (const double fpr : {0.3, 0.05, 0.01, 0x1p-13}) {
    for (const std::uint64_t deletions : {5'000u, 10'000u, 20'000u, 40'000u}) {
      constexpr std::uint64_t kAlive = 50'000;
      auto filter = tombstone(kAlive + 20'000, fpr, deletions, Hasher(HashId::kXxh3, deletions));
      insert(filter, 0, kAlive + 20'000);
      for (std::uint64_t i = kAlive; i < kAlive + 20'000; ++i) filter.erase(key(i));
      std::uint64_t hidden = 0;
      for (std::uint64_t i = 0; i < kAlive; ++i) hidden += filter.may_contain(key(i)) ? 0u : 1u;
      EXPECT_TRUE(is_plausible(hidden, kAlive, filter.false_negative_rate()))
          << hidden << " of " << kAlive << ", says " << filter.false_negative_rate();
      if (deletions >= 20'000) {
        // About as designed: the tombstones take no more keys than they were made for.
        EXPECT_LE(filter.false_negative_rate(), fpr * 1.1);
      }
    }
  }
}

TEST(TombstoneBloom, CountIsAddedLessDeleted) {
  auto filter = tombstone(100, 0.001);
  insert(filter, 0, 60);
  insert(filter, 0, 60);
  EXPECT_EQ(filter.count(), 60u);
  for (std::uint64_t i = 0; i < 20; ++i) ASSERT_TRUE(filter.erase(key(i)));
  EXPECT_EQ(filter.count(), 40u);
  for (std::uint64_t i = 0; i < 20; ++i) ASSERT_FALSE(filter.erase(key(i)));
  EXPECT_EQ(filter.count(), 40u);
  EXPECT_EQ(decode<TombstoneBloomFilter>(wire_bytes(filter))->count(), 40u);

  // More deleted than added, by false positives.
  auto small = tombstone(5, 0.9, 1'000);
  insert(small, 0, 50);
  for (std::uint64_t i = 0; i < 20'000; ++i) small.erase(absent_key(i));
  EXPECT_EQ(small.count(), 0u);
  const auto decoded = decode<TombstoneBloomFilter>(wire_bytes(small));
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(wire_bytes(*decoded), wire_bytes(small));
}

TEST(TombstoneBloom, Sizes) {
  const auto size = [](std::uint64_t capacity, double fpr, std::uint64_t deletions) {
    const TombstoneBloomFilter::Config config{capacity, fpr, deletions, {}};
    const auto bytes = TombstoneBloomFilter::size_for(config);
    EXPECT_TRUE(bytes.ok());
    EXPECT_EQ(*bytes, tombstone(capacity, fpr, deletions).size_bytes());
    return *bytes;
  };
  const auto blocked = BlockedBloomFilter::size_for({.capacity = 1'000, .fpr = 0.01});
  EXPECT_EQ(size(1'000, 0.01, 0), 2 * *blocked);
  EXPECT_EQ(size(1'000, 0.01, 1), *blocked + 32);
  const auto classic = sizing::bloom_size(1'000, 0x1p-13);
  EXPECT_EQ(size(1'000, 0x1p-13, 0), 2 * detail::BitWords::byte_count(classic.bits));
  EXPECT_EQ(tombstone(10).deletions(), 10u);
  EXPECT_EQ(tombstone(10, 0.01, 3).deletions(), 3u);
  EXPECT_EQ(tombstone(10, 0.01, 3).capacity(), 10u);
}

TEST(TombstoneBloom, Options) {
  const auto status = [](double fpr, std::uint64_t deletions) {
    return status_of<TombstoneBloomFilter>({.capacity = 5, .fpr = fpr, .deletions = deletions});
  };
  EXPECT_EQ(status(0.01, sizing::kMaxCount + 1), Status::kInvalidOption);
  EXPECT_EQ(status(0x1p-32, 5), Status::kOk);
  EXPECT_EQ(status(0x1p-32, sizing::kMaxCount), Status::kTooLarge);
}

}  // namespace
}  // namespace tamis::test
