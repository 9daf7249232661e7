// Properties of the scalable filter: layers that come with the keys, and a rate that stays.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "support/samples.hpp"

namespace tamis::test {
namespace {

using Config = ScalableBloomFilter::Config;

ScalableBloomFilter scalable(const Config& config) {
  auto made = ScalableBloomFilter::create(config);
  EXPECT_TRUE(made.ok()) << code(made.status());
  return std::move(*made);
}

Hash key(std::uint64_t i) { return Hash{fmix64(i)}; }
Hash absent_key(std::uint64_t i) { return Hash{fmix64((std::uint64_t{1} << 40) + i)}; }

struct Layer {
  std::uint64_t bits, capacity, count;
  std::uint32_t hashes;
};

// The rates as the bytes have them.
std::vector<Layer> layers_of(const ScalableBloomFilter& filter) {
  const Bytes bytes = wire_bytes(filter);
  std::vector<Layer> layers;
  for (std::size_t i = 0; i < filter.layers(); ++i) {
    const std::byte* at = bytes.data() + 88 + 32 * i;
    layers.push_back({detail::load_le64(at), detail::load_le64(at + 8), detail::load_le64(at + 16),
                      detail::load_le32(at + 24)});
  }
  return layers;
}

// Inserts until `keys` are stored.
void fill(ScalableBloomFilter& filter, std::uint64_t keys, std::uint64_t& next) {
  while (filter.count() < keys) ASSERT_TRUE(is_ok(filter.insert(key(next++))));
}

TEST(ScalableBloomRate, StaysUnderItsBoundHoweverManyKeysCome) {
  constexpr std::uint64_t kAbsentKeys = 100'000, kCapacity = 100;
  for (const double fpr : {0.2, 0.01, 0.002}) {
    for (const std::uint32_t growth : {2u, 4u, 16u}) {
      auto filter = scalable({kCapacity, fpr, growth, 0.85, Hasher(HashId::kXxh3, growth)});
      EXPECT_LE(filter.fpr(), fpr);
      EXPECT_GE(filter.fpr(), fpr * (1 - 1e-9));
      std::uint64_t next = 0;
      for (const std::uint64_t times : {1u, 10u, 100u, 1'000u}) {
        fill(filter, times * kCapacity, next);
        const std::uint64_t hits = hits_of(filter, kAbsentKeys, absent_key);
        EXPECT_GE(binomial_upper_tail(kAbsentKeys, fpr, hits), kAlpha)
            << hits << " of " << kAbsentKeys << " at " << times << " times, rate " << fpr;
        EXPECT_LE(filter.estimated_fpr(), fpr);
        if (fpr < 0.1) {
          EXPECT_TRUE(is_plausible(hits, kAbsentKeys, filter.estimated_fpr()))
              << hits << ", estimated " << filter.estimated_fpr();
        }
      }
      // Every key, those of the first layer too.
      for (std::uint64_t i = 0; i < next; ++i) ASSERT_TRUE(filter.may_contain(key(i)));
      EXPECT_EQ(filter.validate(), Status::kOk);
    }
  }
}

TEST(ScalableBloomLayers, GrowByTheirFactor) {
  for (const std::uint32_t growth : {1u, 2u, 3u, 16u}) {
    auto filter = scalable({5, 0.01, growth, 0.85, {}});
    std::uint64_t next = 0, room = 0, capacity = 5;
    for (std::size_t layers = 1; layers <= 4; ++layers, capacity *= growth) {
      EXPECT_EQ(filter.layers(), layers - (layers == 1 ? 0 : 1)) << "none before it is needed";
      fill(filter, room + 1, next);
      EXPECT_EQ(filter.layers(), layers);
      room += capacity;
      fill(filter, room, next);
      EXPECT_EQ(filter.layers(), layers) << "full by count";
      EXPECT_EQ(filter.count(), room);
    }
    std::uint64_t expected = 5;
    for (const Layer& layer : layers_of(filter)) {
      EXPECT_EQ(layer.capacity, expected);
      EXPECT_EQ(layer.count, expected);
      expected *= growth;
    }
    EXPECT_EQ(filter.capacity(), 5u);
    EXPECT_EQ(filter.growth(), growth);
  }
}

// The designed rates p (1 - t) t^i add up to less than p, for any number of layers.
TEST(ScalableBloomLayers, EachKeepsItsShareOfTheRate) {
  for (const double tightening : {0.5, 0.85, 0.99}) {
    for (const double fpr : {0.3, 0.01, 0x1p-11}) {
      auto filter = scalable({100, fpr, 1, tightening, {}});
      std::uint64_t next = 0;
      fill(filter, 1'500, next);
      double sum = 0;
      const auto layers = layers_of(filter);
      ASSERT_EQ(layers.size(), 15u);
      for (std::size_t i = 0; i < layers.size(); ++i) {
        const double share = fpr * (1 - tightening) * std::pow(tightening, static_cast<double>(i));
        const double bits = static_cast<double>(layers[i].bits);
        const double rate = layers[i].hashes == 0 ? sizing::blocked_bloom_fpr(bits / 256, 100)
                                                  : sizing::bloom_fpr(bits, layers[i].hashes, 100);
        EXPECT_LE(rate, share * (1 + 1e-12)) << i;
        EXPECT_EQ(layers[i].hashes == 0, share >= 0x1p-12) << i << ": split blocks down to 2^-12";
        sum += rate;
      }
      EXPECT_LE(sum, fpr);
      EXPECT_NEAR(filter.tightening(), tightening, 1e-15);
    }
  }
}

TEST(ScalableBloomLayers, BlockedAndClassicOnes) {
  constexpr std::uint64_t kAbsentKeys = 400'000;
  auto filter = scalable({2'000, 0x1p-10, 2, 0.5, {}});  // 2^-11, 2^-12, 2^-13, ...
  std::uint64_t next = 0;
  fill(filter, 2'000 * 15, next);
  const auto layers = layers_of(filter);
  ASSERT_EQ(layers.size(), 4u);
  EXPECT_EQ(layers[0].hashes, 0u);
  EXPECT_EQ(layers[1].hashes, 0u);
  EXPECT_NE(layers[2].hashes, 0u);
  EXPECT_NE(layers[3].hashes, 0u);
  for (std::uint64_t i = 0; i < next; ++i) ASSERT_TRUE(filter.may_contain(key(i)));
  const std::uint64_t hits = hits_of(filter, kAbsentKeys, absent_key);
  EXPECT_TRUE(is_plausible(hits, kAbsentKeys, filter.estimated_fpr())) << hits;
  auto decoded = decode<ScalableBloomFilter>(wire_bytes(filter));
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(wire_bytes(*decoded), wire_bytes(filter));
  // A decoded filter grows as the original does.
  std::uint64_t again = next;
  fill(filter, 40'000, next);
  fill(*decoded, 40'000, again);
  EXPECT_EQ(next, again);
  EXPECT_EQ(wire_bytes(*decoded), wire_bytes(filter));
}

// A repeat needs no room, so it succeeds even if nothing more can be stored.
TEST(ScalableBloomFull, After64LayersNothingChanges) {
  auto filter = scalable({2, 0.5, 1, 0.9, {}});
  std::uint64_t next = 0;
  fill(filter, 128, next);
  EXPECT_EQ(filter.layers(), 64u);
  const Bytes before = wire_bytes(filter);
  std::uint64_t refused = 0;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const bool had = filter.may_contain(absent_key(i));
    const Result<bool> is_new = filter.insert(absent_key(i));
    if (had) {
      ASSERT_TRUE(is_new.ok());
      ASSERT_FALSE(*is_new);
    } else {
      ASSERT_EQ(is_new.status(), Status::kFull);
      ASSERT_FALSE(filter.may_contain(absent_key(i)));
      ++refused;
    }
  }
  EXPECT_GT(refused, 50u);
  EXPECT_EQ(wire_bytes(filter), before);
  for (std::uint64_t i = 0; i < next; ++i) ASSERT_TRUE(filter.may_contain(key(i)));
  EXPECT_FALSE(*filter.insert(key(0)));
  filter.clear();
  EXPECT_EQ(filter.layers(), 1u);
  EXPECT_TRUE(*filter.insert(key(0)));
}

// From the least rate on the layers' rates fall below 2^-60 long before the 64th.
TEST(ScalableBloomFull, WhereTheNextRateWouldBeTooLow) {
  auto filter = scalable({1, 0x1p-32, 1, 0.5, {}});  // layer i: 2^-(33 + i)
  std::uint64_t next = 0;
  fill(filter, 8, next);
  EXPECT_EQ(filter.layers(), 8u);
  const Bytes before = wire_bytes(filter);
  EXPECT_EQ(filter.insert(absent_key(0)).status(), Status::kFull);
  EXPECT_EQ(wire_bytes(filter), before);
  EXPECT_TRUE(decode<ScalableBloomFilter>(before).ok());
}

TEST(ScalableBloomFull, RefusedMemoryChangesNothing) {
  for (const double fpr : {0.01, 0x1p-14}) {
    auto filter = scalable({3, fpr, 2, 0.85, {}});
    std::uint64_t next = 0, refused = 0;
    for (const std::uint64_t room : {3u, 9u, 21u, 45u, 93u}) {
      fill(filter, room, next);
      ASSERT_FALSE(filter.may_contain(absent_key(0)));
      const Bytes before = wire_bytes(filter);
      for (std::size_t nth = 1;; ++nth) {
        tamis_fail_allocation(nth);
        const Result<bool> is_new = filter.insert(key(next));
        tamis_fail_allocation(0);
        if (is_new.ok()) break;
        ASSERT_EQ(is_new.status(), Status::kOutOfMemory);
        ASSERT_EQ(wire_bytes(filter), before);
        ASSERT_EQ(filter.validate(), Status::kOk);
        ++refused;
      }
      ASSERT_TRUE(filter.may_contain(key(next++)));
    }
    EXPECT_GE(refused, 5u);
    for (std::uint64_t i = 0; i < next; ++i) ASSERT_TRUE(filter.may_contain(key(i)));
  }
}

TEST(ScalableBloomFull, ALayerTooLargeForThisMachine) {
  const Config config{sizing::kMaxCount, 0x1p-32, 16, 0.85, {}};
  EXPECT_EQ(status_of<ScalableBloomFilter>(config), Status::kTooLarge);
}

TEST(ScalableBloomOptions, Limits) {
  const auto status = status_of<ScalableBloomFilter>;
  EXPECT_EQ(status({10, 0.01, 1, 0.5, {}}), Status::kOk);
  EXPECT_EQ(status({10, 0.01, 16, 0.99, {}}), Status::kOk);
  for (const std::uint32_t growth : {0u, 17u, ~0u}) {
    EXPECT_EQ(status({10, 0.01, growth, 0.85, {}}), Status::kInvalidOption);
  }
  for (const double tightening : {0.0, 0.499999, 0.9900001, 1.0, -0.5, std::nan(""), 1e300}) {
    EXPECT_EQ(status({10, 0.01, 2, tightening, {}}), Status::kInvalidOption) << tightening;
  }
  EXPECT_EQ(status({10, 0x1p-32, 2, 0.99, {}}), Status::kOk);
  EXPECT_EQ(status({10, std::nextafter(1.0, 0.0), 2, 0.85, {}}), Status::kOk);
}

// Rates are stored in units of 2^-64, rounded down. A decoded filter is the same, and never
// promises more than the options.
TEST(ScalableBloomWire, RatesSurviveTheJourney) {
  for (const double fpr : {0x1p-32, 1e-9, 1e-5, 1.0 / 3, 0.01, 0.7, std::nextafter(1.0, 0.0)}) {
    for (const double tightening : {0.5, 1.0 / 1.7, 0.85, 0.99}) {
      const auto filter = scalable({10, fpr, 2, tightening, {}});
      const Bytes bytes = wire_bytes(filter);
      EXPECT_EQ(detail::load_le64(bytes.data() + 72),
                static_cast<std::uint64_t>(std::ldexp(fpr, 64)));
      EXPECT_LE(filter.fpr(), fpr);
      EXPECT_GE(filter.fpr(), fpr * (1 - 0x1p-15));
      const auto decoded = decode<ScalableBloomFilter>(bytes);
      ASSERT_TRUE(decoded.ok()) << fpr << ", " << tightening;
      EXPECT_EQ(decoded->fpr(), filter.fpr());
      EXPECT_EQ(decoded->tightening(), filter.tightening());
      EXPECT_EQ(wire_bytes(*decoded), bytes);
    }
  }
}

}  // namespace
}  // namespace tamis::test
