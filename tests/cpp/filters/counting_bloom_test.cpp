// Properties of counting Bloom filters: counters that stick, deletes, copies, and the Bloom filter
// of them.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <tamis/detail/mcg_positions.hpp>
#include "support/samples.hpp"

namespace tamis::test {
namespace {

CountingBloomFilter counting(std::uint64_t capacity, std::uint32_t counter_bits = 4,
                             double fpr = 0.01, const Hasher& hasher = Hasher()) {
  auto made = CountingBloomFilter::create({capacity, fpr, counter_bits, hasher});
  EXPECT_TRUE(made.ok()) << code(made.status());
  return std::move(*made);
}

Hash key(std::uint64_t i) { return Hash{fmix64(i)}; }
Hash absent_key(std::uint64_t i) { return Hash{fmix64((std::uint64_t{1} << 40) + i)}; }

// The positions of a key by their definition, each once.
std::set<std::uint64_t> positions(const CountingBloomFilter& filter, Hash hash) {
  std::uint64_t x = filter.hasher().mix(hash);
  std::set<std::uint64_t> found;
  for (std::uint32_t i = 0; i < filter.hashes(); ++i, x *= 0xf1357aea2e62a9c5) {
    found.insert(((x >> 32) * filter.counters()) >> 32);
  }
  return found;
}

std::vector<std::uint32_t> counters(const CountingBloomFilter& filter) {
  std::vector<std::uint32_t> values;
  for (std::uint64_t i = 0; i < filter.counters(); ++i) values.push_back(*filter.counter_at(i));
  return values;
}

class CountingBloomWidths : public ::testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(All, CountingBloomWidths, ::testing::Range(2u, 17u));

TEST_P(CountingBloomWidths, AgainstAModel) {
  auto filter = counting(40, GetParam(), 0.05);
  const std::uint32_t most = (1u << GetParam()) - 1;
  std::vector<std::uint32_t> model(filter.counters());
  std::uint64_t count = 0;
  std::mt19937_64 random(GetParam());
  for (int step = 0; step < 3'000; ++step) {
    const Hash hash = key(random() % 60);
    const auto where = positions(filter, hash);
    const bool had = std::all_of(where.begin(), where.end(), [&](auto i) { return model[i] != 0; });
    ASSERT_EQ(filter.may_contain(hash), had);
    if (random() % 9 < 5) {
      const Result<bool> is_new = filter.insert(hash);
      ASSERT_TRUE(is_new.ok());
      ASSERT_EQ(*is_new, !had);
      for (const auto i : where) model[i] += model[i] < most ? 1 : 0;
      ++count;
    } else {
      const Result<bool> erased = filter.erase(hash);
      ASSERT_TRUE(erased.ok());
      ASSERT_EQ(*erased, had);
      if (had) {
        for (const auto i : where) model[i] -= model[i] < most ? 1 : 0;
        count -= count > 0 ? 1 : 0;
      }
    }
    ASSERT_EQ(filter.count(), count);
    if (step % 50 == 0) {
      ASSERT_EQ(counters(filter), model) << step;
    }
    std::uint32_t least = most;
    for (const auto i : where) least = std::min(least, model[i]);
    ASSERT_EQ(filter.count_of(hash), least);
  }
  EXPECT_EQ(counters(filter), model);
  EXPECT_EQ(filter.validate(), Status::kOk);
}

TEST_P(CountingBloomWidths, SaturatesAndSticks) {
  auto filter = counting(10, GetParam());
  const std::uint32_t most = (1u << GetParam()) - 1;
  for (std::uint32_t i = 1; i < most; ++i) {
    filter.insert(key(1));
    ASSERT_EQ(filter.count_of(key(1)), i);
  }
  // Below the largest value, every copy can be erased again.
  for (std::uint32_t i = most - 1; i > 0; --i) {
    ASSERT_TRUE(filter.erase(key(1)));
    ASSERT_EQ(filter.count_of(key(1)), i - 1);
  }
  EXPECT_FALSE(filter.erase(key(1)));
  EXPECT_EQ(filter.count(), 0u);
  EXPECT_EQ(counters(filter), std::vector<std::uint32_t>(filter.counters()));

  for (std::uint32_t i = 0; i < most + 3; ++i) filter.insert(key(1));
  EXPECT_EQ(filter.count_of(key(1)), most);
  EXPECT_EQ(filter.count(), most + 3);
  const auto full = counters(filter);
  for (std::uint32_t i = 0; i < most + 10; ++i) {
    ASSERT_TRUE(filter.erase(key(1))) << "each delete that answers true";
    ASSERT_EQ(filter.count(), i < most + 3 ? most + 2 - i : 0) << "lowers the count";
  }
  EXPECT_EQ(counters(filter), full) << "and no stuck counter";
  EXPECT_TRUE(filter.may_contain(key(1)));
  EXPECT_EQ(filter.validate(), Status::kOk);
}

TEST_P(CountingBloomWidths, MergeAddsAndSaturates) {
  const std::uint32_t most = (1u << GetParam()) - 1;
  for (const std::uint32_t right_copies : {1u, most / 2, most - 1, most}) {
    auto left = counting(10, GetParam()), right = counting(10, GetParam());
    for (std::uint32_t i = 0; i < most / 2 + 1; ++i) left.insert(key(1));
    for (std::uint32_t i = 0; i < right_copies; ++i) right.insert(key(1));
    right.insert(key(2));
    const auto before = counters(left), added = counters(right);
    ASSERT_EQ(left.merge(right), Status::kOk);
    const auto after = counters(left);
    for (std::size_t i = 0; i < after.size(); ++i) {
      ASSERT_EQ(after[i], std::min(before[i] + added[i], most)) << i;
    }
    EXPECT_EQ(left.count(), most / 2 + 1 + right_copies + 1);
    EXPECT_EQ(counters(right), added);
    EXPECT_EQ(left.validate(), Status::kOk);
  }
}

// After any erase, above all of false positives, no counter wraps, and the count stays at 0 or
// above.
TEST(CountingBloomErase, NeverUnderflows) {
  for (const std::uint32_t bits : {2u, 4u, 16u}) {
    auto filter = counting(20, bits, 0.5);
    for (std::uint64_t i = 0; i < 20; ++i) filter.insert(key(i));
    std::uint32_t largest = 0;
    for (const auto value : counters(filter)) largest = std::max(largest, value);
    std::uint64_t erased = 0;
    for (std::uint64_t i = 0; i < 5'000; ++i) {
      const Result<bool> answer = filter.erase(absent_key(i));
      ASSERT_TRUE(answer.ok());
      erased += *answer ? 1u : 0u;
      for (const auto value : counters(filter)) ASSERT_LE(value, largest);
    }
    EXPECT_GT(erased, 0u);
    EXPECT_LE(filter.count(), 20u);
    EXPECT_EQ(filter.validate(), Status::kOk);
    const auto decoded = decode<CountingBloomFilter>(wire_bytes(filter));
    ASSERT_TRUE(decoded.ok());
    EXPECT_EQ(wire_bytes(*decoded), wire_bytes(filter));
  }
}

// One key has 36 positions in 78 counters. Some are the same, and count once in each operation.
TEST(CountingBloomPositions, ThatFallTogetherCountOnce) {
  for (std::uint64_t capacity = 1; capacity <= 3; ++capacity) {
    std::size_t doubled = 0;
    for (std::uint64_t i = 0; i < 200; ++i) {
      auto filter = counting(capacity, 4, 0x1p-48);
      const auto where = positions(filter, key(i));
      doubled += filter.hashes() - where.size();
      for (std::uint32_t copies = 1; copies <= 3; ++copies) {
        filter.insert(key(i));
        ASSERT_EQ(filter.count_of(key(i)), copies);
        for (std::uint64_t at = 0; at < filter.counters(); ++at) {
          ASSERT_EQ(*filter.counter_at(at), where.contains(at) ? copies : 0);
        }
      }
      for (int copies = 3; copies > 0; --copies) ASSERT_TRUE(filter.erase(key(i)));
      ASSERT_FALSE(filter.erase(key(i)));
      ASSERT_EQ(counters(filter), std::vector<std::uint32_t>(filter.counters()));
    }
    EXPECT_GT(doubled, 0u);
  }
}

TEST(CountingBloomPositions, Distinct) {
  for (std::uint64_t i = 0; i < 2'000; ++i) {
    const std::uint64_t bits = i % 90 + 1;
    const auto hashes = static_cast<std::uint32_t>(i % 64 + 1);
    detail::McgPositions probe(fmix64(i), bits);
    std::vector<std::uint64_t> expected;
    for (std::uint32_t k = 0; k < hashes; ++k) {
      const std::uint64_t position = probe.next();
      ASSERT_LT(position, bits);
      const bool is_first = std::find(expected.begin(), expected.end(), position) == expected.end();
      if (is_first) expected.push_back(position);
    }
    const detail::DistinctPositions distinct(fmix64(i), bits, hashes);
    ASSERT_EQ(std::vector(distinct.begin(), distinct.end()), expected);
  }
}

// The payload of to_bloom() is that of the Bloom filter which was made from the keys.
TEST(CountingBloomToBloom, EqualsTheBloomFilterOfTheSameKeys) {
  for (const Hasher& hasher : hashers_of<CountingBloomFilter>()) {
    for (const std::uint32_t bits : {2u, 4u, 16u}) {
      for (const auto& [capacity, fpr] : {std::pair{1u, 0x1p-48}, {100u, 0.01}, {1'000u, 0.3}}) {
        auto filter = counting(capacity, bits, fpr, hasher);
        auto bloom = make_empty<BloomFilter>(capacity, hasher, fpr);
        for (std::uint64_t i = 0; i < capacity; ++i) {
          const Bytes one = make_key(KeyFamily::kUrls, 1, i);
          ASSERT_EQ(filter.insert(one), bloom.insert(one));
          if (i % 3 == 0) {
            filter.insert(one);
          }
        }
        const auto made = filter.to_bloom();
        ASSERT_TRUE(made.ok());
        const Bytes a = wire_bytes(*made), b = wire_bytes(bloom);
        ASSERT_EQ(a.size(), b.size());
        EXPECT_TRUE(std::equal(a.begin() + 64, a.end(), b.begin() + 64));
        EXPECT_EQ(made->capacity(), capacity);
        EXPECT_EQ(made->hasher(), hasher);
        EXPECT_EQ(made->validate(), Status::kOk);
        EXPECT_DOUBLE_EQ(made->estimated_fpr(), filter.estimated_fpr());
        EXPECT_EQ(made->fpr(), filter.fpr());
        auto merged = bloom.clone();
        ASSERT_TRUE(merged.ok());
        EXPECT_EQ(merged->merge(*made), Status::kOk) << "it is a partner for merge";
      }
    }
  }
}

// Deletes of false positives make count and counters differ. The Bloom filter is still valid.
TEST(CountingBloomToBloom, IsValidWhateverWasErased) {
  auto emptied = counting(10);
  emptied.insert(key(1));
  ASSERT_TRUE(emptied.erase(key(1)));
  EXPECT_EQ(emptied.to_bloom()->count(), 0u);
  EXPECT_EQ(emptied.to_bloom()->validate(), Status::kOk);

  // Counters that stuck outlive the count.
  auto stuck = counting(10, 2);
  for (int i = 0; i < 5; ++i) stuck.insert(key(1));
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(stuck.erase(key(1)));
  ASSERT_EQ(stuck.count(), 0u);
  ASSERT_TRUE(stuck.may_contain(key(1)));
  EXPECT_EQ(stuck.to_bloom()->count(), 1u);

  auto filter = counting(20, 4, 0.5);
  for (std::uint64_t i = 0; i < 20; ++i) filter.insert(key(i));
  for (std::uint64_t i = 0; i < 3'000; ++i) {
    filter.erase(absent_key(i));
    for (const CountingBloomFilter* each : {&filter, &stuck}) {
      const auto made = each->to_bloom();
      ASSERT_TRUE(made.ok());
      ASSERT_EQ(made->validate(), Status::kOk);
    }
  }
  EXPECT_TRUE(decode<BloomFilter>(wire_bytes(*filter.to_bloom())).ok());
  EXPECT_TRUE(decode<BloomFilter>(wire_bytes(*stuck.to_bloom())).ok());
}

TEST(CountingBloomLimits, Options) {
  for (const std::uint32_t bits : {0u, 1u, 17u, 32u, ~0u}) {
    EXPECT_EQ(status_of<CountingBloomFilter>({.capacity = 10, .counter_bits = bits}),
              Status::kInvalidOption)
        << bits;
  }
  auto filter = counting(10);
  EXPECT_TRUE(filter.counter_at(filter.counters() - 1).ok());
  EXPECT_EQ(filter.counter_at(filter.counters()).status(), Status::kInvalidOption);
  EXPECT_EQ(filter.counter_at(~std::uint64_t{0}).status(), Status::kInvalidOption);
  for (const std::uint32_t bits : {3u, 5u, 16u}) {
    const Bytes before = wire_bytes(filter);
    EXPECT_EQ(filter.merge(counting(10, bits)), Status::kIncompatible);
    EXPECT_EQ(filter.merge(counting(11)), Status::kIncompatible);
    EXPECT_EQ(wire_bytes(filter), before);
  }
}

}  // namespace
}  // namespace tamis::test
