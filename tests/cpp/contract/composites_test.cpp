// The rates of filters that are made of parts, in the cases in which they are hardest to keep.

#include <gtest/gtest.h>

#include "support/samples.hpp"

namespace tamis::test {
namespace {
Hash key(std::uint64_t i) { return Hash{fmix64(i)}; }
Hash absent_key(std::uint64_t i) { return Hash{fmix64((std::uint64_t{1} << 40) + i)}; }

// If the seeds of the parts were alike, the tombstones would be a subset of the first part, in the
// same places.
TEST(Composites, TombstoneEstimate) {
  constexpr std::uint64_t kAbsentKeys = 200'000;
  for (const double fpr : {0.3, 0.01}) {
    auto filter = make_empty<TombstoneBloomFilter>(20'000, Hasher(), fpr);
    for (std::uint64_t i = 0; i < 20'000; ++i) ASSERT_TRUE(is_ok(filter.insert(key(i))));
    for (std::uint64_t i = 0; i < 18'000; ++i) ASSERT_TRUE(is_ok(filter.erase(key(i))));
    const std::uint64_t hits = hits_of(filter, kAbsentKeys, absent_key);
    EXPECT_TRUE(is_plausible(hits, kAbsentKeys, filter.estimated_fpr()))
        << hits << ", says " << filter.estimated_fpr();
  }
}

// The sum over the fills of a block has a bounded number of terms, for any options and headers.
TEST(Composites, SizingIsQuick) {
  BlockedBloomFilter::Config config;
  config.capacity = std::uint64_t{1} << 42;
  EXPECT_TRUE(BlockedBloomFilter::size_for(config).ok());
}
TEST(Composites, FprOfASmallFileIsQuick) {
  Bytes bytes = wire_bytes(make_empty<BlockedBloomFilter>(40, Hasher()));  // 2 blocks
  set64(bytes, 32, std::uint64_t{1} << 47);
  repair_crcs(bytes);
  const auto filter = decode<BlockedBloomFilter>(bytes);
  ASSERT_TRUE(filter.ok());
  EXPECT_EQ(filter->fpr(), 1);
}
TEST(Composites, DecodeOfASmallFileIsQuick) {
  Bytes bytes = wire_bytes(make_empty<ScalableBloomFilter>(40, Hasher()));
  set64(bytes, 32, std::uint64_t{1} << 43);
  set64(bytes, 96, std::uint64_t{1} << 43);
  repair_crcs(bytes);
  EXPECT_EQ(decode<ScalableBloomFilter>(bytes).status(), Status::kCorrupt);
}

// Also of classic parts, however small.
TEST(Composites, ScalableKeepsItsRate) {
  constexpr std::uint64_t kAbsentKeys = 20'000;
  const double fpr = 1e-6;
  std::uint64_t hits = 0, asked = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    auto filter = make_empty<ScalableBloomFilter>(100, Hasher(HashId::kXxh3, seed), fpr);
    for (std::uint64_t i = 0; i < 100; ++i) ASSERT_TRUE(is_ok(filter.insert(key(i))));
    hits += hits_of(filter, kAbsentKeys, absent_key);
    asked += kAbsentKeys;
  }
  EXPECT_GE(binomial_upper_tail(asked, fpr, hits), kAlpha) << hits << " of " << asked;
}
TEST(Composites, RotatingKeepsItsRate) {
  constexpr std::uint64_t kAbsentKeys = 20'000;
  std::uint64_t hits = 0, asked = 0;
  double fpr = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    auto filter = RotatingBloomFilter::create({100, 0.01, 64, 0, Hasher(HashId::kXxh3, seed)});
    ASSERT_TRUE(filter.ok());
    for (std::uint64_t i = 0; i < 6'400; ++i) {
      ASSERT_TRUE(is_ok(filter->insert(key(i))));
      if (i % 100 == 99 && i != 6'399) filter->rotate();
    }
    fpr = filter->fpr();
    hits += hits_of(*filter, kAbsentKeys, absent_key);
    asked += kAbsentKeys;
  }
  EXPECT_GE(binomial_upper_tail(asked, fpr, hits), kAlpha)
      << hits << " of " << asked << ", designed " << fpr;
}

// A rate has 53 bits: others would be a second encoding of the same filter.
TEST(Composites, ScalableRatesHaveOneEncoding) {
  const auto filter = make_empty<ScalableBloomFilter>(10, Hasher(), 0.5);
  const Bytes bytes = wire_bytes(filter);
  for (const std::size_t at : {std::size_t{72}, std::size_t{80}}) {
    Bytes other = bytes;
    other[at] |= std::byte{1};
    repair_crcs(other);
    EXPECT_EQ(decode<ScalableBloomFilter>(other).status(), Status::kCorrupt);
  }
}

// A file must keep the rate that it claims: a layer for 2^40 keys in the bits for 40 does not.
TEST(Composites, ScalableRefusesALayerThatCannotKeepItsRate) {
  for (const double fpr : {0.01, 0x1p-14}) {
    Bytes bytes = wire_bytes(make_empty<ScalableBloomFilter>(40, Hasher(), fpr));
    ASSERT_TRUE(decode<ScalableBloomFilter>(bytes).ok());
    for (const std::size_t at : {32u, 96u}) {
      set64(bytes, at, std::uint64_t{1} << 40);
    }
    repair_crcs(bytes);
    EXPECT_EQ(decode<ScalableBloomFilter>(bytes).status(), Status::kCorrupt);
  }
}

// The expectation of few bits is no rate above 1.
TEST(Composites, RatesAreRates) {
  Bytes bytes = wire_bytes(make_empty<TombstoneBloomFilter>(3, Hasher(), 0x1p-14));
  for (const std::size_t at : {32u, 72u}) {
    set64(bytes, at, std::uint64_t{1} << 50);
  }
  repair_crcs(bytes);
  const auto filter = decode<TombstoneBloomFilter>(bytes);
  ASSERT_TRUE(filter.ok());
  EXPECT_EQ(filter->fpr(), 1);
}

// Every generation has the same keys, since a repeat prolongs the life of a key. If the seeds were
// alike, the errors would be too.
TEST(Composites, RotatingEstimateOfRepeats) {
  auto filter = make_empty<RotatingBloomFilter>(20'000, Hasher(), 0.2);
  for (int period = 0; period < 2; ++period) {
    if (period > 0) filter.rotate();
    for (std::uint64_t i = 0; i < 20'000; ++i) ASSERT_TRUE(is_ok(filter.insert(key(i))));
  }
  const std::uint64_t hits = hits_of(filter, 100'000, absent_key);
  EXPECT_TRUE(is_plausible(hits, 100'000, filter.estimated_fpr()))
      << hits << ", says " << filter.estimated_fpr();
}
}  // namespace
}  // namespace tamis::test
