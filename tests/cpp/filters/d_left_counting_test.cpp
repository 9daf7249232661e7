// Properties of the d-left counting Bloom filter: sizes, permutations, refused inserts, capacities,
// the rate and the cells of a bucket. d_left_counting_model_test.cpp has the models.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "filters/d_left_counting_samples.hpp"

namespace tamis::test {
namespace {

using Filter = DLeftCountingFilter;

TEST(DLeftLimits, Options) {
  const auto status = [](std::uint64_t capacity, double fpr) {
    const Filter::Config config{.capacity = capacity, .fpr = fpr};
    const auto size = Filter::size_for(config);
    // The filter is made only if that takes little memory.
    if (size.ok() && *size < 1 << 20) {
      EXPECT_TRUE(Filter::create(config).ok());
    } else if (!size.ok()) {
      EXPECT_EQ(Filter::create(config).status(), size.status());
    }
    return size.status();
  };
  EXPECT_EQ(status(1, 0.99), Status::kOk);
  EXPECT_EQ(status(24, 24 * 0x1p-30), Status::kOk);
  EXPECT_EQ(status(24, 23.9 * 0x1p-30), Status::kInvalidOption) << "31 bits of remainder";
  EXPECT_EQ(status(1'000'000, 0x1p-48), Status::kInvalidOption);
  EXPECT_EQ(status(24 * sizing::kMaxDLeftBuckets, 0.9),
            sizeof(void*) == 4 ? Status::kTooLarge : Status::kOk);
  EXPECT_EQ(status(24 * sizing::kMaxDLeftBuckets + 1, 0.9), Status::kTooLarge);
  EXPECT_EQ(status(sizing::kMaxCount, 0x1p-48), Status::kTooLarge);
}

TEST(DLeftSizing, BucketsAndBits) {
  for (const std::uint64_t n : {1u, 2u, 24u, 25u, 48u, 1'000u, 123'457u}) {
    for (const double fpr : {0.9, 0.5, 0.1, 0.01, 1e-4, 1e-6}) {
      const Filter filter = make_empty<Filter>(n, Hasher(), fpr);
      EXPECT_EQ(filter.buckets(), (n + 23) / 24);
      const auto rate = [&](std::uint32_t r) {
        const double fingerprints =
            std::ldexp(static_cast<double>(filter.buckets()), static_cast<int>(r));
        return -std::expm1(static_cast<double>(n) * std::log1p(-1 / fingerprints));
      };
      EXPECT_NEAR(filter.fpr() / rate(filter.remainder_bits()), 1, 1e-13);
      EXPECT_LE(filter.fpr(), fpr);
      if (filter.remainder_bits() > 5) {
        EXPECT_GT(rate(filter.remainder_bits() - 1), fpr);
      }
      EXPECT_EQ(filter.size_bytes(),
                (filter.buckets() * (filter.remainder_bits() + 2) + 1) / 2 * 8);
    }
  }
}

TEST(DLeftSizing, HalfTheBitsOfACountingBloomFilter) {
  for (const std::uint64_t n : {100'000u, 1'000'000u}) {
    const auto bytes = Filter::size_for({.capacity = n, .fpr = 0.01});
    ASSERT_TRUE(bytes.ok());
    EXPECT_LE(8 * static_cast<double>(*bytes) / static_cast<double>(n), 19.1);
    EXPECT_LE(8 * *bytes, 4 * sizing::bloom_size(n, 0.01).bits / 2);
  }
}

TEST(DLeftPermutations, EachIsABijection) {
  for (const std::uint32_t buckets : {1u, 2u, 3u, 7u, 8u, 41u, 64u, 1'000u}) {
    for (const std::uint32_t bits : {5u, 6u, 8u, 10u}) {
      for (std::size_t table = 0; table < 4; ++table) {
        std::vector<bool> is_taken(std::size_t{buckets} << bits);
        for (std::uint32_t remainder = 0; remainder < 1u << bits; ++remainder) {
          const std::uint32_t shift = d_left_shifts(remainder, buckets)[table];
          ASSERT_LT(shift, buckets);
          for (std::uint32_t bucket = 0; bucket < buckets; ++bucket) {
            const std::size_t image = std::size_t{(bucket + shift) % buckets} << bits | remainder;
            ASSERT_FALSE(is_taken[image]) << "sub-table " << table;
            is_taken[image] = true;
          }
        }
      }
    }
  }
  const auto largest = static_cast<std::uint32_t>(sizing::kMaxDLeftBuckets);
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    const auto shifts = d_left_shifts(i * 10'007 & 0x3fffffff, largest);
    ASSERT_EQ(shifts[0], 0u);
    ASSERT_LT(*std::max_element(shifts.begin(), shifts.end()), largest);
  }
}

// The four buckets of a key are as good as independent: over all remainders, each pair of
// sub-tables has each difference of shifts about equally often.
TEST(DLeftPermutations, ShiftsDoNotFollowOneAnother) {
  for (const std::uint32_t buckets : {2u, 5u, 16u}) {
    for (const auto& [i, j] :
         {std::pair{0u, 1u}, {0u, 2u}, {0u, 3u}, {1u, 2u}, {1u, 3u}, {2u, 3u}}) {
      std::vector<std::uint64_t> often(buckets);
      for (std::uint32_t remainder = 0; remainder < 1u << 14; ++remainder) {
        const auto shifts = d_left_shifts(remainder, buckets);
        ++often[(shifts[j] + buckets - shifts[i]) % buckets];
      }
      for (const std::uint64_t times : often)
        EXPECT_TRUE(is_plausible(times, 1u << 14, 1.0 / buckets));
    }
  }
}

TEST(DLeftFull, NothingChanges) {
  for (const std::uint64_t capacity : {1u, 24u, 25u, 1'000u}) {
    auto filter = make_empty<Filter>(capacity, Hasher(), 1e-5);
    std::vector<Hash> keys;
    std::optional<Hash> refused;
    for (std::uint64_t i = 0; !refused.has_value(); ++i) {
      const Bytes before = wire_bytes(filter);
      const Result<bool> inserted = filter.insert(Hash{i});
      if (inserted.ok()) {
        keys.push_back(Hash{i});
        continue;
      }
      refused = Hash{i};
      ASSERT_EQ(inserted.status(), Status::kFull);
      ASSERT_EQ(wire_bytes(filter), before);
    }
    EXPECT_FALSE(filter.may_contain(*refused));
    EXPECT_EQ(filter.count(), keys.size());
    EXPECT_GE(keys.size(), filter.buckets() == 1 ? 32 : capacity);
    for (const Hash key : keys) {
      EXPECT_TRUE(filter.may_contain(key));
      const Result<bool> again = filter.insert(key);
      EXPECT_TRUE(again.ok() && !*again) << "a copy needs no room";
    }
    // The refused key's buckets are full: room for it comes with the first key erased from one of
    // them.
    while (!is_ok(filter.insert(*refused))) {
      ASSERT_FALSE(keys.empty());
      EXPECT_TRUE(filter.erase(keys.back()) && filter.erase(keys.back()));
      keys.pop_back();
    }
    EXPECT_TRUE(filter.may_contain(*refused));
    EXPECT_EQ(filter.validate(), Status::kOk);
  }
}

// A fill also shows that the smaller capacities with the same geometry hold theirs: their keys are
// its first.
TEST(DLeftFull, EveryCapacityHolds) {
  for (const double fpr : {0.9, 0.01, 1e-6}) {
    for (std::uint64_t capacity = 1; capacity <= 1'000; ++capacity) {
      const auto is_like = [&](const Filter& a, const Filter& b) {
        return a.buckets() == b.buckets() && a.remainder_bits() == b.remainder_bits();
      };
      const Filter here = make_empty<Filter>(capacity, Hasher(), fpr);
      if (capacity < 1'000 && is_like(here, make_empty<Filter>(capacity + 1, Hasher(), fpr)))
        continue;
      for (std::uint64_t seed = 0; seed < 30; ++seed) {
        auto filter = make_empty<Filter>(capacity, Hasher(HashId::kXxh3, seed), fpr);
        ASSERT_TRUE(is_like(filter, here));
        for (std::uint64_t i = 0; i < capacity; ++i) {
          ASSERT_TRUE(is_ok(filter.insert(Hash{fmix64(i)}))) << capacity << " keys, seed " << seed;
        }
      }
    }
  }
}

TEST(DLeftRate, AbsentKeysAtTheRateOfTheCells) {
  constexpr std::uint64_t kAbsentKeys = 200'000;
  for (const double fpr : {0.9, 0.3, 0.01, 0.001}) {
    for (const std::uint64_t keys : {24u, 1'000u, 20'000u}) {
      auto filter = make_empty<Filter>(keys, Hasher(), fpr);
      std::set<std::pair<std::uint64_t, std::uint64_t>> fingerprints;
      for (std::uint64_t i = 0; i < keys; ++i) {
        ASSERT_TRUE(is_ok(filter.insert(Hash{i})));
        const std::uint64_t g = Hasher().mix(Hash{i});
        fingerprints.emplace(reduce(g, filter.buckets()),
                             g & ((1u << filter.remainder_bits()) - 1));
      }
      const double rate = static_cast<double>(fingerprints.size()) /
                          std::ldexp(filter.buckets(), static_cast<int>(filter.remainder_bits()));
      EXPECT_DOUBLE_EQ(filter.estimated_fpr(), rate);
      const std::uint64_t hits = hits_of(
          filter, kAbsentKeys, [](std::uint64_t i) { return Hash{(std::uint64_t{1} << 40) + i}; });
      EXPECT_TRUE(is_plausible(hits, kAbsentKeys, rate)) << hits << " at " << rate;
      if (keys > 24) {
        EXPECT_NEAR(rate / filter.fpr(), 1, 0.1);
      }
    }
  }
}

TEST(DLeftWire, TheCellsOfABucket) {
  // Two buckets of cells of 9 bits behind the record; x has two copies.
  Filter filter = with_bits(2, 7);
  const std::uint64_t x = g_of(0, 77, filter), y = g_of(0, 5, filter);
  for (const std::uint64_t g : {x, x, y}) ASSERT_TRUE(is_ok(filter.insert(hash_of(g))));
  const Bytes bytes = wire_bytes(filter);
  ASSERT_EQ(detail::load_le32(bytes.data() + 80) & 0x1ff, 77u | 2u << 7)
      << "the first cell of sub-table 0";
  // Sets a cell; `count` is what the header then says.
  const auto with_cell = [&](std::size_t cell, std::uint32_t value, std::uint64_t count) {
    Bytes changed = bytes;
    for (std::size_t j = 0; j < 9; ++j) {
      const std::size_t bit = 9 * cell + j;
      const auto mask = static_cast<std::byte>(1u << bit % 8);
      changed[80 + bit / 8] =
          (changed[80 + bit / 8] & ~mask) | (value >> j & 1 ? mask : std::byte{0});
    }
    set64(changed, kCountAt, count);
    return DeepCheck<Filter>::of(changed);
  };
  EXPECT_EQ(with_cell(7, 1, 3), Status::kCorrupt) << "a remainder without a counter";
  EXPECT_EQ(with_cell(7, 6 | 1 << 7, 4), Status::kOk) << "another key";
  EXPECT_EQ(with_cell(7, 6 | 1 << 7, 3), Status::kCorrupt) << "and not counted";
  EXPECT_EQ(with_cell(7, 77 | 1 << 7, 4), Status::kCorrupt) << "a remainder twice in a bucket";
  EXPECT_EQ(with_cell(8, 77 | 1 << 7, 4), Status::kOk) << "another bucket, another key";
  for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{4}, sizing::kMaxCount}) {
    EXPECT_EQ(with_cell(0, 77 | 3 << 7, count), Status::kOk) << "a stuck counter: any count";
  }
}

}  // namespace
}  // namespace tamis::test
