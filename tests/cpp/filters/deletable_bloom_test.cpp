// Properties of deletable Bloom filters besides their locks: the limits, the geometry, and locks
// without bits.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>

#include "filters/deletable_samples.hpp"

namespace tamis::test {
namespace {

TEST(DeletableLimits, Options) {
  const auto status = [](std::uint64_t capacity, std::uint64_t regions) {
    return status_of<DeletableBloomFilter>({.capacity = capacity, .regions = regions});
  };
  const std::uint64_t bits = sizing::bloom_size(100, 0.01).bits;
  for (const std::uint64_t regions : {std::uint64_t{0}, std::uint64_t{1}, bits - 1, bits}) {
    EXPECT_EQ(status(100, regions), Status::kOk) << regions;
  }
  for (const std::uint64_t regions : {bits + 1, std::uint64_t{1} << 32, ~std::uint64_t{0}}) {
    EXPECT_EQ(status(100, regions), Status::kInvalidOption) << regions;
  }
  // 2^32 bits are the most, on every host.
  std::uint64_t most = 1;
  for (std::uint64_t step = std::uint64_t{1} << 40; step > 0; step /= 2) {
    if (sizing::bloom_size(most + step, 0.01).bits <= std::uint64_t{1} << 32) most += step;
  }
  const auto size = DeletableBloomFilter::size_for({.capacity = most, .fpr = 0.01, .regions = 1});
  ASSERT_TRUE(size.ok());
  EXPECT_NEAR(static_cast<double>(*size), 0x1p29, 16);
  EXPECT_EQ(status(most + 1, 1), Status::kTooLarge);
  EXPECT_EQ(status(most + 1, ~std::uint64_t{0}), Status::kTooLarge);
}

TEST(DeletableGeometry, BloomsSizeAndRegionsOf8Bits) {
  for (const std::uint64_t capacity : {1u, 2u, 3u, 10u, 777u, 1'000u}) {
    for (const double fpr : {0.9, 0.3, 0.01, 1e-6, 0x1p-48}) {
      const auto size = sizing::bloom_size(capacity, fpr);
      const auto filter = deletable(capacity, fpr);
      EXPECT_EQ(filter.bits(), size.bits);
      EXPECT_EQ(filter.hashes(), size.hashes);
      EXPECT_EQ(filter.regions(), (size.bits + 7) / 8);
      EXPECT_EQ(filter.size_bytes(), (size.bits + 63) / 64 * 8 + (filter.regions() + 63) / 64 * 8);
      EXPECT_EQ(filter.header().payload_bytes, 24 + filter.size_bytes());
    }
  }
}

TEST(DeletableGeometry, TheRegionOfEachBit) {
  const auto check = [](std::uint64_t bits, std::uint64_t regions, std::uint64_t i) {
    ASSERT_EQ(BitRegions(bits, regions).of(i), i * regions / bits)
        << i << ": " << regions << " of " << bits;
  };
  for (std::uint64_t bits = 1; bits <= 70; ++bits) {
    for (std::uint64_t regions = 1; regions <= bits; ++regions) {
      const BitRegions map(bits, regions);
      std::uint64_t expected = 0, next = 0;
      map.for_each([&](std::uint64_t region, std::uint64_t begin, std::uint64_t end) {
        ASSERT_EQ(region, expected++);
        ASSERT_EQ(begin, next);
        ASSERT_LT(begin, end);
        for (next = begin; next < end; ++next) ASSERT_EQ(next * regions / bits, region);
      });
      ASSERT_EQ(expected, regions);
      ASSERT_EQ(next, bits);
      for (std::uint64_t i = 0; i < bits; ++i) check(bits, regions, i);
    }
  }
  constexpr std::uint64_t kMost = std::uint64_t{1} << 32;
  std::mt19937_64 random(5);
  for (const std::uint64_t bits : {kMost, kMost - 1, kMost - 64, std::uint64_t{3'000'000'019}}) {
    for (const std::uint64_t regions : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{7},
                                        bits / 64, (bits + 7) / 8, bits / 2 + 1, bits - 1, bits}) {
      for (const std::uint64_t i : {std::uint64_t{0}, bits - 1}) check(bits, regions, i);
      for (int round = 0; round < 2'000; ++round) {
        check(bits, regions, random() % bits);
        // Around the first bit of a region.
        const std::uint64_t region = random() % regions;
        const std::uint64_t first = region * bits / regions;
        for (const std::uint64_t i : {first - (first > 0), first, std::min(first + 1, bits - 1)}) {
          check(bits, regions, i);
        }
      }
    }
  }
}

TEST(DeletableGeometry, BitsInARange) {
  auto bits = detail::BitWords::zeroed(200);
  ASSERT_TRUE(bits.ok());
  for (std::uint64_t i = 0; i < 200; ++i) {
    if (fmix64(i) % 3 == 0 || i % 64 == 63 || i % 64 == 0) bits->set(i);
  }
  for (std::uint64_t from = 0; from < 200; ++from) {
    std::uint64_t ones = 0;
    for (std::uint64_t to = from + 1; to <= 200; ++to) {
      ones += bits->test(to - 1) ? 1u : 0u;
      ASSERT_EQ(bits->popcount(from, to), ones) << from << " to " << to;
    }
  }
}

TEST(DeletableWire, ALockWithoutABitIsCorrupt) {
  auto filter = deletable(10, 0.01, 13);  // 98 bits, so regions of 7 or 8
  ASSERT_EQ(filter.bits(), 98u);
  for (std::uint64_t i = 0; i < 2; ++i) insert(filter, key_number(i));
  insert(filter, key_number(0));
  const Bytes bytes = wire_bytes(filter);
  const DeepCheck<DeletableBloomFilter> check(bytes);
  EXPECT_EQ(check.with64(kCountAt, 0), Status::kOk) << "all deleted, and locked bits left";
  const auto toggled = [&](std::size_t at, std::uint64_t bit) {
    Bytes changed = bytes;
    changed[at + bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
    return check.of(changed);
  };
  int empty = 0, locked = 0;
  for (std::uint64_t region = 0; region < 13; ++region) {
    bool is_empty = true;
    Bytes cleared = bytes;
    for (std::uint64_t bit = 0; bit < 98; ++bit) {
      if (bit * 13 / 98 != region) continue;
      std::byte& at = cleared[88 + bit / 8];
      is_empty &= (at & static_cast<std::byte>(1u << (bit % 8))) == std::byte{0};
      at &= ~static_cast<std::byte>(1u << (bit % 8));
    }
    EXPECT_EQ(toggled(104, region), is_empty ? Status::kCorrupt : Status::kOk) << region;
    const bool is_locked = *filter.is_locked(region);
    EXPECT_EQ(check.of(cleared), is_locked ? Status::kCorrupt : Status::kOk) << region;
    empty += is_empty ? 1 : 0;
    locked += is_locked ? 1 : 0;
  }
  EXPECT_TRUE(empty > 0 && locked > 0 && locked < 13);
}

// Counts that keys alone do not make, but bytes may hold.
TEST(DeletableWire, TheCountStaysInItsLimits) {
  auto filter = deletable(100);
  insert(filter, key_number(0));
  const auto with_count = [&](std::uint64_t count) {
    Bytes bytes = wire_bytes(filter);
    set64(bytes, 40, count);
    repair_crcs(bytes);
    auto decoded = decode<DeletableBloomFilter>(bytes);
    EXPECT_TRUE(decoded.ok());
    return std::move(*decoded);
  };
  auto none = with_count(0);
  EXPECT_EQ(none.deletable_ratio(), 1);
  EXPECT_EQ(erase(none, key_number(0)), Status::kOk);
  EXPECT_EQ(none.count(), 0u);
  auto most = with_count(sizing::kMaxCount);
  EXPECT_TRUE(insert(most, key_number(1)));
  EXPECT_EQ(most.count(), sizing::kMaxCount);
}

}  // namespace
}  // namespace tamis::test
