// Properties of Bloom filters besides their positions: the limits of the schemes, the geometry, the
// rate and the estimates.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "filters/bloom_samples.hpp"

namespace tamis::test {
namespace {

Status status_by(std::uint64_t bits, std::uint32_t hashes, HashId id, std::uint64_t seed = 0) {
  return status_of<BloomFilter>({.bits = bits, .hashes = hashes, .hasher = Hasher(id, seed)});
}

std::string printed(const BloomFilter& filter) {
  std::string text(static_cast<std::size_t>(filter.bits()), '?');
  EXPECT_EQ(filter.print(0, text), Status::kOk);
  return text;
}

TEST(BloomLimits, Hashes) {
  for (const HashId id : {HashId::kXxh3, HashId::kSeeds}) {
    EXPECT_EQ(status_by(1'000, 0, id), Status::kInvalidOption);
    EXPECT_EQ(status_by(1'000, 1, id), Status::kOk);
    EXPECT_EQ(status_by(1'000, 64, id), Status::kOk);
    EXPECT_EQ(status_by(1'000, 65, id), Status::kInvalidOption);
    EXPECT_EQ(status_by(1'000, ~std::uint32_t{0}, id), Status::kInvalidOption);
    EXPECT_EQ(status_by(0, 7, id), Status::kInvalidOption);
  }
  for (const HashId id : {HashId::kNone, HashId::kSipHash}) {
    EXPECT_EQ(status_by(1'000, 7, id), Status::kInvalidOption) << "no hash, or no key";
  }
}

TEST(BloomLimits, Bits) {
  EXPECT_EQ(status_by(sizing::kMaxBits + 1, 7, HashId::kXxh3), Status::kTooLarge);
  EXPECT_EQ(status_by(~std::uint64_t{0}, 7, HashId::kXxh3), Status::kTooLarge);
  const auto most = BloomFilter::size_for({.bits = sizing::kMaxBits, .hashes = 7});
  ASSERT_TRUE(most.ok());
  EXPECT_EQ(*most, sizing::kMaxBits / 8);
  for (const std::uint64_t bits : {1u, 63u, 64u, 65u, 128u}) {
    const auto size = BloomFilter::size_for({.bits = bits, .hashes = 1});
    ASSERT_TRUE(size.ok());
    EXPECT_EQ(*size, (bits + 63) / 64 * 8);
  }
}

TEST(BloomLimits, DigestNeedsBitsToTheHashesUnder2To512) {
  // 2^512 itself is too much: 64 times 8 bits, and 32 times 16.
  for (const auto& [bits, most] :
       {std::pair{10'000'000u, 22u}, {1'000u, 51u}, {256u, 63u}, {65'536u, 31u}}) {
    EXPECT_EQ(status_by(bits, most, HashId::kDigest), Status::kOk) << bits;
    EXPECT_EQ(status_by(bits, most + 1, HashId::kDigest), Status::kInvalidOption) << bits;
  }
  EXPECT_EQ(status_by(255, 64, HashId::kDigest), Status::kOk);
  EXPECT_EQ(status_by(1, 64, HashId::kDigest), Status::kOk);
}

TEST(BloomLimits, SchemesOfOthers) {
  for (const std::uint32_t hashes : {1u, 3u, 64u}) {
    EXPECT_EQ(status_by(1'000, hashes, HashId::kMurmur2aFnv1a), Status::kInvalidOption);
  }
  EXPECT_EQ(status_by(1'000, 2, HashId::kMurmur2aFnv1a), Status::kOk);
  for (const std::uint64_t bits : {1u, 63u, 65u, 100u}) {
    EXPECT_EQ(status_by(bits, 5, HashId::kGuava), Status::kInvalidOption);
  }
  EXPECT_EQ(status_by(128, 5, HashId::kGuava), Status::kOk);
  for (const HashId id : {HashId::kDigest, HashId::kMurmur2aFnv1a, HashId::kGuava}) {
    EXPECT_EQ(status_by(128, 2, id, 1), Status::kInvalidOption) << "a seed";
  }
  for (const HashId id : {HashId::kXxh3, HashId::kSeeds}) {
    EXPECT_EQ(status_by(128, 2, id, 1), Status::kOk);
  }
}

// decode() reads all that create() takes: the header holds a capacity of up to 2^53 - 1.
TEST(BloomLimits, CapacitiesThatTheHeaderHolds) {
  const auto config = [](std::uint64_t capacity) {
    return BloomFilter::Config{.capacity = capacity, .bits = 64, .hashes = 1};
  };
  for (const std::uint64_t capacity :
       {sizing::kMaxCount + 1, std::uint64_t{1} << 60, ~std::uint64_t{0}}) {
    EXPECT_EQ(status_of<BloomFilter>(config(capacity)), Status::kInvalidOption);
  }
  for (const std::uint64_t capacity : {std::uint64_t{1}, sizing::kMaxCount}) {
    const auto filter = BloomFilter::create(config(capacity));
    ASSERT_TRUE(filter.ok());
    const auto again = decode<BloomFilter>(wire_bytes(*filter));
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again->capacity(), capacity);
  }
}

TEST(BloomGeometry, ByCapacityAndRate) {
  for (const Hasher& hasher : hashers_of<BloomFilter>()) {
    const auto filter = make_empty<BloomFilter>(1'000, hasher);
    const auto size = sizing::bloom_size(1'000, 0.01);
    switch (hasher.id()) {
      case HashId::kMurmur2aFnv1a:
        // -2 n / ln(1 - sqrt(p)) = 18,982.4, which is too few by one bit
        EXPECT_EQ(filter.bits(), 18'984u);
        EXPECT_EQ(filter.hashes(), 2u);
        break;
      case HashId::kGuava:
      case HashId::kGuava32:
      case HashId::kSparkV1:
      case HashId::kSparkV2:
      case HashId::kRedisBloom:
      case HashId::kDataSketches:
        EXPECT_EQ(filter.bits(), (size.bits + 63) / 64 * 64);
        EXPECT_EQ(filter.hashes(), size.hashes);
        break;
      default:
        EXPECT_EQ(filter.bits(), size.bits);
        EXPECT_EQ(filter.hashes(), size.hashes);
    }
    EXPECT_EQ(filter.header().payload_bytes, 16 + (filter.bits() + 63) / 64 * 8);
  }
}

TEST(BloomGeometry, GuavaRoundsUpToWholeWords) {
  bool was_whole = false;
  for (std::uint64_t capacity = 1; capacity <= 400; ++capacity) {
    const std::uint64_t bits = sizing::bloom_size(capacity, 0.01).bits;
    const auto filter = make_empty<BloomFilter>(capacity, Hasher(HashId::kGuava));
    ASSERT_EQ(filter.bits(), (bits + 63) / 64 * 64) << capacity;
    was_whole |= bits % 64 == 0;
  }
  EXPECT_TRUE(was_whole) << "no capacity of these needs no rounding";
}

TEST(BloomGeometry, ByBitsAndHashes) {
  EXPECT_EQ(bloom(1'000, 7).capacity(), 99u);
  EXPECT_EQ(bloom(1, 64).capacity(), 1u);
  EXPECT_EQ(bloom(8'192, 2).capacity(), 2'839u);
  // Half a geometry is none.
  EXPECT_EQ(BloomFilter::create({.capacity = 5, .bits = 100}).status(), Status::kInvalidOption);
  EXPECT_EQ(BloomFilter::create({.capacity = 5, .hashes = 3}).status(), Status::kInvalidOption);
}

TEST(BloomGeometry, OneBit) {
  auto filter = bloom(1, 1);
  EXPECT_FALSE(filter.may_contain(bytes_of("a")));
  filter.insert(bytes_of("a"));
  EXPECT_TRUE(filter.may_contain(bytes_of("anything")));
  EXPECT_EQ(filter.estimated_fpr(), 1);
  EXPECT_EQ(filter.validate(), Status::kOk);
}

TEST(BloomEstimates, CountFromTheFill) {
  for (const std::uint64_t keys : {0u, 1u, 10u, 1'000u, 5'000u}) {
    const auto filter = make_filled<BloomFilter>(keys, Hasher(), 5'000);
    EXPECT_NEAR(filter.estimate_count(), static_cast<double>(keys),
                1 + 0.03 * static_cast<double>(keys));
    const double m = static_cast<double>(filter.bits());
    EXPECT_NEAR(filter.estimate_count(), -m / filter.hashes() * std::log(1 - filter.fill_ratio()),
                1e-6);
  }
}

TEST(BloomEstimates, UnionFromTheFill) {
  auto left = make_empty<BloomFilter>(5'000, Hasher());
  auto right = make_empty<BloomFilter>(5'000, Hasher());
  for (std::uint64_t i = 0; i < 3'000; ++i) {
    left.insert(Hash{fmix64(i)});
    right.insert(Hash{fmix64(i + 1'000)});
  }
  const auto both = left.estimate_union(right);
  ASSERT_TRUE(both.ok());
  EXPECT_NEAR(*both, 4'000, 120);
  ASSERT_EQ(left.merge(right), Status::kOk);
  EXPECT_EQ(left.estimate_count(), *both);
  const auto other = bloom(640, 5);
  EXPECT_EQ(left.estimate_union(other).status(), Status::kIncompatible);
}

TEST(BloomMerge, WantsTheSameBitsAndHashes) {
  auto filter = bloom(640, 5);
  for (const auto& [bits, hashes] : {std::pair{640u, 4u}, {640u, 6u}, {639u, 5u}, {704u, 5u}}) {
    const auto other = bloom(bits, hashes);
    EXPECT_EQ(filter.merge(other), Status::kIncompatible) << bits << ", " << hashes;
    EXPECT_EQ(filter.intersect(other), Status::kIncompatible) << bits << ", " << hashes;
    EXPECT_EQ(filter.estimate_union(other).status(), Status::kIncompatible);
  }
}

// A filter of one hash with these bits.
BloomFilter with_bits(const std::string& text) {
  auto filter = bloom(text.size(), 1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (std::uint64_t n = 0; text[i] == '1' && !*filter.test(i); ++n) {
      auto one = bloom(text.size(), 1);
      one.insert(Hash{fmix64(n)});
      if (*one.test(i)) filter.insert(Hash{fmix64(n)});
    }
  }
  EXPECT_EQ(printed(filter), text);
  return filter;
}

TEST(BloomMerge, CountWithoutAnEstimate) {
  struct Row {
    const char *one, *other;
    std::uint64_t merged, common;
  };
  for (const auto& [one, other, merged, common] :
       std::initializer_list<Row>{{"11110000", "00001111", 8, 0},  // all bits of the union are set
                                  {"11111111", "00000000", 8, 0},
                                  {"11111111", "00001111", 8, 4},
                                  {"11111111", "11111111", 8, 8},
                                  {"00000000", "00000000", 0, 0},
                                  {"1100000000", "0000000011", 4, 0},
                                  {"1100000000", "0100000000", 2, 1},
                                  {"1100000000", "0110000000", 4, 1}}) {
    auto united = with_bits(one), cut = with_bits(one);
    ASSERT_EQ(united.merge(with_bits(other)), Status::kOk);
    ASSERT_EQ(cut.intersect(with_bits(other)), Status::kOk);
    EXPECT_EQ(united.count(), merged) << one << ", " << other;
    EXPECT_EQ(cut.count(), common) << one << ", " << other;
    EXPECT_EQ(united.validate(), Status::kOk);
    EXPECT_EQ(cut.validate(), Status::kOk);
  }
  // A full filter is the union itself, whatever its count is.
  auto full = bloom(1'000, 3);
  full.fill();
  auto few = bloom(1'000, 3);
  few.insert(Hash{1});
  ASSERT_EQ(few.merge(full), Status::kOk);
  EXPECT_EQ(few.count(), full.capacity());
}

// Capacities may differ: they are no part of the geometry.
TEST(BloomMerge, CapacitiesMayDiffer) {
  const auto size = sizing::bloom_size(100, 0.01);
  auto by_capacity = make_filled<BloomFilter>(100, Hasher());
  auto by_bits = bloom(size.bits, size.hashes);
  ASSERT_NE(by_capacity.capacity(), by_bits.capacity());
  const std::uint64_t capacity = by_bits.capacity();
  ASSERT_EQ(by_bits.merge(by_capacity), Status::kOk);
  EXPECT_EQ(by_bits.capacity(), capacity);
  EXPECT_TRUE(by_bits.may_contain(make_key(KeyFamily::kUrls, 0, 99)));
}

TEST(BloomUniversal, ContainsEverything) {
  for (const std::uint64_t bits : {1u, 63u, 64u, 65u, 1'000u}) {
    auto filter = bloom(bits, 3);
    filter.fill();
    EXPECT_EQ(printed(filter), std::string(bits, '1'));
    EXPECT_EQ(filter.fill_ratio(), 1);
    EXPECT_EQ(filter.estimated_fpr(), 1);
    EXPECT_EQ(filter.estimate_count(), std::numeric_limits<double>::infinity());
    EXPECT_EQ(filter.count(), filter.capacity());
    EXPECT_EQ(filter.validate(), Status::kOk);
    for (std::uint64_t i = 0; i < 100; ++i) {
      ASSERT_TRUE(filter.may_contain(make_key(KeyFamily::kRandom, 0, i)));
    }
    const auto decoded = decode<BloomFilter>(wire_bytes(filter));
    ASSERT_TRUE(decoded.ok());
    EXPECT_EQ(wire_bytes(*decoded), wire_bytes(filter));
    filter.clear();
    EXPECT_EQ(printed(filter), std::string(bits, '0'));
  }
}

TEST(BloomPrint, PartsAndBounds) {
  auto filter = bloom(200, 4);
  for (std::uint64_t i = 0; i < 20; ++i) filter.insert(Hash{fmix64(i)});
  const std::string all = printed(filter);
  std::string part(70, '?');
  ASSERT_EQ(filter.print(60, part), Status::kOk);
  EXPECT_EQ(part, all.substr(60, 70));
  ASSERT_EQ(filter.print(200, std::span<char>()), Status::kOk);
  EXPECT_EQ(filter.print(201, std::span<char>()), Status::kInvalidOption);
  EXPECT_EQ(filter.print(131, part), Status::kInvalidOption);
  EXPECT_EQ(filter.print(~std::uint64_t{0}, part), Status::kInvalidOption);
  EXPECT_EQ(filter.test(200).status(), Status::kInvalidOption);
  EXPECT_EQ(filter.test(~std::uint64_t{0}).status(), Status::kInvalidOption);
}

// A textbook filter of 16 bits: one key at 1 and 8, another at 8 and 7.
TEST(BloomArticles, SixteenBits) {
  Bytes bytes = wire_bytes(bloom(16, 2));
  bytes[kCountAt] = std::byte{2};  // the count
  bytes[80] = std::byte{0x82};     // bits 1 and 7
  bytes[81] = std::byte{0x01};     // bit 8
  repair_crcs(bytes);
  const auto filter = decode<BloomFilter>(bytes);
  ASSERT_TRUE(filter.ok());
  EXPECT_EQ(printed(*filter), "0100000110000000");
  EXPECT_NEAR(filter->estimate_count(), 1.661, 5e-4);
  EXPECT_NEAR(filter->estimated_fpr(), 0.0352, 5e-5);
}

// 8,192 bits, Murmur2A and FNV-1a.
TEST(BloomArticles, Countries) {
  auto filter = bloom(8'192, 2, Hasher(HashId::kMurmur2aFnv1a));
  const double counts[] = {1.000122, 2.000488, 3.001099};
  const double rates[] = {5.959e-8, 2.383e-7, 5.360e-7};
  std::size_t i = 0;
  for (const char* name : {"Holland", "Russia", "Canada"}) {
    filter.insert(bytes_of(name));
    EXPECT_NEAR(filter.estimate_count(), counts[i], 1e-6);
    EXPECT_NEAR(sizing::bloom_fpr(8'192, 2, static_cast<double>(i + 1)), rates[i], rates[i] * 2e-3);
    ++i;
  }
  EXPECT_TRUE(filter.may_contain(bytes_of("Holland")));
  EXPECT_TRUE(filter.may_contain(bytes_of("Russia")));
  EXPECT_FALSE(filter.may_contain(bytes_of("China")));
}

}  // namespace
}  // namespace tamis::test
