// Properties of the tombstone filter: deleted keys stay out, and so do some others, at a rate that
// it gives.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

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
  for (std::uint64_t i = from; i < to; ++i) ASSERT_TRUE(filter.insert(key(i)).ok());
}

// Both kinds of parts: split blocks and, at the last rate, bits.
constexpr double kRates[] = {0.3, 0.01, 0x1p-14};

TEST(TombstoneBloom, ADeletedKeyStaysOut) {
  for (const double fpr : kRates) {
    auto filter = tombstone(100, fpr);
    insert(filter, 0, 100);
    for (std::uint64_t i = 0; i < 50; ++i) {
      const bool had = filter.may_contain(key(i));
      const auto erased = filter.erase(key(i));
      ASSERT_TRUE(erased.ok());
      EXPECT_EQ(*erased, had) << "false only where a tombstone hides it already";
    }
    const Bytes before = wire_bytes(filter);
    for (std::uint64_t i = 0; i < 50; ++i) {
      EXPECT_FALSE(filter.may_contain(key(i)));
      EXPECT_EQ(filter.insert(key(i)).status(), Status::kTombstoned);
      EXPECT_FALSE(*filter.erase(key(i)));
    }
    EXPECT_EQ(wire_bytes(filter), before) << "and nothing changed";
    filter.clear();
    EXPECT_TRUE(*filter.insert(key(0))) << "but for clear()";
    EXPECT_TRUE(filter.may_contain(key(0)));
  }
}

TEST(TombstoneBloom, EraseOfAnAbsentKeyChangesNothing) {
  for (const double fpr : kRates) {
    auto filter = tombstone(300, fpr);
    insert(filter, 0, 300);
    ASSERT_TRUE(*filter.erase(key(7)));
    const Bytes before = wire_bytes(filter);
    for (std::uint64_t i = 0; i < 2'000; ++i) {
      if (filter.may_contain(absent_key(i))) continue;
      const auto erased = filter.erase(absent_key(i));
      ASSERT_TRUE(erased.ok());
      ASSERT_FALSE(*erased);
    }
    EXPECT_EQ(wire_bytes(filter), before);
  }
}

// No key is lost silently: an insert that is taken can be found, one that cannot says so.
TEST(TombstoneBloom, WhatIsInsertedIsFoundOrRefused) {
  for (const double fpr : {0.5, 0.3, 0.01}) {
    auto filter = tombstone(500, fpr);
    insert(filter, 0, 500);
    for (std::uint64_t i = 0; i < 400; ++i) ASSERT_TRUE(filter.erase(key(i)).ok());
    std::uint64_t refused = 0;
    for (std::uint64_t i = 0; i < 500; ++i) {
      const bool had = filter.may_contain(absent_key(i));
      const Bytes before = i < 50 ? wire_bytes(filter) : Bytes();
      const auto is_new = filter.insert(absent_key(i));
      if (is_new.ok()) {
        ASSERT_TRUE(filter.may_contain(absent_key(i)));
        ASSERT_EQ(*is_new, !had);
      } else {
        ASSERT_EQ(is_new.status(), Status::kTombstoned);
        ASSERT_FALSE(filter.may_contain(absent_key(i)));
        if (i < 50) {
          ASSERT_EQ(wire_bytes(filter), before);
        }
        ++refused;
      }
    }
    EXPECT_TRUE(is_plausible(refused, 500, filter.false_negative_rate())) << refused;
  }
}

TEST(TombstoneBloom, WithoutDeletesNothingIsHidden) {
  for (const double fpr : kRates) {
    auto filter = tombstone(1'000, fpr);
    insert(filter, 0, 1'000);
    EXPECT_EQ(filter.false_negative_rate(), 0);
    for (std::uint64_t i = 0; i < 1'000; ++i) ASSERT_TRUE(filter.may_contain(key(i)));
  }
}

TEST(TombstoneBloom, FalseNegativesAsOftenAsItSays) {
  for (const double fpr : {0.3, 0.05, 0.01, 0x1p-13}) {
    for (const std::uint64_t deletions : {5'000u, 10'000u, 20'000u, 40'000u}) {
      constexpr std::uint64_t kAlive = 50'000;
      auto filter = tombstone(kAlive + 20'000, fpr, deletions, Hasher(HashId::kXxh3, deletions));
      insert(filter, 0, kAlive + 20'000);
      for (std::uint64_t i = kAlive; i < kAlive + 20'000; ++i)
        ASSERT_TRUE(filter.erase(key(i)).ok());
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
  for (std::uint64_t i = 0; i < 20; ++i) ASSERT_TRUE(*filter.erase(key(i)));
  EXPECT_EQ(filter.count(), 40u);
  for (std::uint64_t i = 0; i < 20; ++i) ASSERT_FALSE(*filter.erase(key(i)));
  EXPECT_EQ(filter.count(), 40u);
  EXPECT_EQ(decode<TombstoneBloomFilter>(wire_bytes(filter))->count(), 40u);

  // More deleted than added, by false positives.
  auto small = tombstone(5, 0.9, 1'000);
  insert(small, 0, 50);
  for (std::uint64_t i = 0; i < 20'000; ++i) ASSERT_TRUE(small.erase(absent_key(i)).ok());
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
  const auto status = [](std::uint64_t capacity, double fpr, std::uint64_t deletions,
                         const Hasher& hasher = Hasher()) {
    const TombstoneBloomFilter::Config config{capacity, fpr, deletions, hasher};
    const Status made = TombstoneBloomFilter::create(config).status();
    EXPECT_EQ(TombstoneBloomFilter::size_for(config).status(), made);
    return made;
  };
  EXPECT_EQ(status(0, 0.01, 5), Status::kInvalidOption);
  EXPECT_EQ(status(5, 0.01, sizing::kMaxCount + 1), Status::kInvalidOption);
  EXPECT_EQ(status(5, 1, 5), Status::kInvalidOption);
  EXPECT_EQ(status(5, 0x1.8p-33, 5), Status::kInvalidOption);
  EXPECT_EQ(status(5, std::nan(""), 5), Status::kInvalidOption);
  EXPECT_EQ(status(5, 0x1p-32, 5), Status::kOk);
  EXPECT_EQ(status(5, 0.01, 5, Hasher(HashId::kGuava)), Status::kInvalidOption);
  EXPECT_EQ(status(5, 0.01, 5, Hasher(HashId::kSipHash)), Status::kInvalidOption);
  EXPECT_EQ(status(5, 0x1p-32, sizing::kMaxCount), Status::kTooLarge);
}

TEST(TombstoneBloom, NoMemoryForTheSecondPart) {
  for (std::size_t nth = 1; nth <= 3; ++nth) {
    tamis_fail_allocation(nth);
    EXPECT_EQ(TombstoneBloomFilter::create({100, 0.01, 100, {}}).status(), Status::kOutOfMemory)
        << nth;
  }
  tamis_fail_allocation(0);
}

TEST(TombstoneBloom, CopiesKeepTheTombstones) {
  auto filter = tombstone(20, 0.001);
  insert(filter, 0, 20);
  ASSERT_TRUE(*filter.erase(key(3)));
  auto copy = filter.clone();
  ASSERT_TRUE(copy.ok());
  EXPECT_EQ(copy->insert(key(3)).status(), Status::kTombstoned);
  auto empty = filter.empty_copy();
  ASSERT_TRUE(empty.ok());
  EXPECT_TRUE(*empty->insert(key(3)));
  EXPECT_EQ(empty->deletions(), filter.deletions());
}

}  // namespace
}  // namespace tamis::test
