// Properties of split-block Bloom filters: the sizes, the rate against the exact formula, and which
// lanes are in use.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>

#include "support/samples.hpp"

namespace tamis::test {
namespace {

BlockedBloomFilter blocked(std::uint64_t capacity, double fpr) {
  return make_empty<BlockedBloomFilter>(capacity, Hasher(), fpr);
}

Hash key(std::uint64_t i) { return Hash{fmix64(i)}; }
Hash absent_key(std::uint64_t i) { return Hash{fmix64((std::uint64_t{1} << 40) + i)}; }

// The binomial sum by another road: logarithms of factorials, all terms.
double rate_by_definition(std::uint64_t blocks, std::uint64_t keys) {
  double sum = 0;
  for (std::uint64_t i = 0; i <= keys; ++i) {
    const double fill = 1 - std::pow(31.0 / 32, static_cast<double>(i));
    const double rate = std::min(1.0, std::pow(fill, 8) + static_cast<double>(i) / 4294967296.0);
    const double chance = blocks == 1
                              ? (i == keys ? 1 : 0)
                              : std::exp(ln_binomial(keys, 1 / static_cast<double>(blocks), i));
    sum += chance * rate;
  }
  return sum;
}

TEST(BlockedBloomSizing, TheRateIsTheBinomialSum) {
  for (const std::uint64_t keys : {1u, 2u, 3u, 10u, 100u, 1'000u, 20'000u}) {
    for (const std::uint64_t blocks : {1u, 2u, 3u, 10u, 100u, 1'000u}) {
      const double exact = rate_by_definition(blocks, keys);
      EXPECT_NEAR(sizing::blocked_bloom_fpr(static_cast<double>(blocks), static_cast<double>(keys)),
                  exact, exact * 1e-9)
          << keys << " keys, " << blocks << " blocks";
    }
  }
}

TEST(BlockedBloomSizing, TheFewestBlocksThatKeepTheRate) {
  for (const std::uint64_t capacity : {1u, 2u, 10u, 33u, 1'000u, 100'000u}) {
    for (const double fpr : {0.999, 0.5, 0.3, 0.01, 0.001, 0x1p-12, 0x1p-20, 0x1p-24}) {
      const std::uint64_t blocks = blocked(capacity, fpr).blocks();
      const auto rate = [&](std::uint64_t count) {
        return sizing::blocked_bloom_fpr(static_cast<double>(count), static_cast<double>(capacity));
      };
      EXPECT_LE(rate(blocks), fpr) << capacity << ", " << fpr;
      EXPECT_TRUE(blocks == 1 || rate(blocks - 1) > fpr) << capacity << ", " << fpr;
      EXPECT_EQ(blocked(capacity, fpr).fpr(), rate(blocks));
    }
  }
}

// The figures of the banner, and those of the published table.
TEST(BlockedBloomSizing, BitsPerKey) {
  const auto bits = [](double fpr) {
    const auto size = BlockedBloomFilter::size_for({.capacity = 1'000'000, .fpr = fpr});
    EXPECT_TRUE(size.ok());
    return 8 * static_cast<double>(*size) / 1e6;
  };
  EXPECT_NEAR(bits(0.01), 10.53, 0.005);
  EXPECT_NEAR(bits(0x1p-8), 12.85, 0.01);
  EXPECT_NEAR(bits(0x1p-12), 22.2, 0.05);
  EXPECT_NEAR(bits(0x1p-24), 117.8, 0.05);
  const double table[][2] = {{8, 3.32},  {10, 1.26},  {12, 0.54},
                             {16, 0.13}, {20, 0.042}, {24, 0.016}};
  for (const auto& [c, percent] : table) {
    const double rate = sizing::blocked_bloom_fpr(1e6 * c / 256, 1e6);
    EXPECT_NEAR(100 * rate, percent, percent * 0.04) << c << " bits a key";
  }
}

// A fresh set of keys for each absent key: then the hits are binomial with the designed rate itself.
TEST(BlockedBloomRate, ExactForFewKeys) {
  for (const std::uint64_t capacity : {1u, 2u, 10u, 300u}) {
    const std::uint64_t rounds = capacity == 300 ? 8'000 : 60'000;
    for (const double fpr : {0.3, 0.03, 0.01}) {
      auto filter = blocked(capacity, fpr);
      std::uint64_t hits = 0, number = 0;
      for (std::uint64_t round = 0; round < rounds; ++round) {
        filter.clear();
        for (std::uint64_t i = 0; i < capacity; ++i) filter.insert(key(number++));
        hits += filter.may_contain(absent_key(round)) ? 1u : 0u;
      }
      EXPECT_LE(filter.fpr(), fpr);
      EXPECT_TRUE(is_plausible(hits, rounds, filter.fpr()))
          << hits << " of " << rounds << " for " << capacity << " keys, designed " << filter.fpr();
    }
  }
}

TEST(BlockedBloomEstimate, IsTheMeanOverBlocksOfTheirLanes) {
  const auto filter = make_filled<BlockedBloomFilter>(500, Hasher());
  const Bytes bytes = wire_bytes(filter);
  double sum = 0;
  for (std::size_t block = 0; block < filter.blocks(); ++block) {
    double product = 1;
    for (std::size_t lane = 0; lane < 8; ++lane) {
      product *= std::popcount(detail::load_le32(bytes.data() + 72 + 32 * block + 4 * lane)) / 32.0;
    }
    sum += product;
  }
  EXPECT_DOUBLE_EQ(filter.estimated_fpr(), sum / static_cast<double>(filter.blocks()));
  EXPECT_EQ(blocked(500, 0.01).estimated_fpr(), 0);
}

TEST(BlockedBloomWire, EachLaneOfAUsedBlockIsUsed) {
  auto filter = blocked(100, 0.01);
  filter.insert(bytes_of("key"));
  const Bytes bytes = wire_bytes(filter);
  int refused = 0;
  for (std::size_t lane = 0; lane < filter.blocks() * 8; ++lane) {
    Bytes changed = bytes;
    const std::uint32_t was = detail::load_le32(changed.data() + 72 + 4 * lane);
    set32(changed, 72 + 4 * lane, was == 0 ? 1 : 0);
    repair_crcs(changed);
    EXPECT_EQ(decode<BlockedBloomFilter>(changed).status(), Status::kCorrupt) << lane;
    ++refused;
  }
  EXPECT_GT(refused, 8);
}

TEST(BlockedBloomMerge, CapacitiesMayDifferBlocksMayNot) {
  auto filter = make_filled<BlockedBloomFilter>(100, Hasher());
  auto other = blocked(99, 0.01);
  ASSERT_EQ(other.blocks(), filter.blocks());
  for (std::uint64_t i = 0; i < 50; ++i) other.insert(absent_key(i));
  ASSERT_EQ(filter.merge(other), Status::kOk);
  EXPECT_EQ(filter.capacity(), 100u);
  for (std::uint64_t i = 0; i < 50; ++i) EXPECT_TRUE(filter.may_contain(absent_key(i)));
  const Bytes before = wire_bytes(filter);
  EXPECT_EQ(filter.merge(blocked(1'000, 0.01)), Status::kIncompatible);
  EXPECT_EQ(wire_bytes(filter), before);
}

}  // namespace
}  // namespace tamis::test
