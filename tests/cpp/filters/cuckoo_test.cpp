// Properties of cuckoo filters besides their sizes and fullness: the places of a key, copies, the
// rate and the limits.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <utility>

#include "filters/cuckoo_samples.hpp"

namespace tamis::test {
namespace {

TEST(CuckooPlaces, PartnersAreMutualAndNeverEqual) {
  for (std::uint32_t m = 2; m <= 130; m += 2) {
    for (std::uint32_t f = 4; f <= 8; ++f) {
      const CuckooPlaces places(m, f);
      for (std::uint32_t fingerprint = 1; fingerprint < 1u << f; ++fingerprint) {
        for (std::uint32_t i = 0; i < m; ++i) {
          const std::uint32_t j = places.partner(i, fingerprint);
          ASSERT_LT(j, m);
          ASSERT_EQ((i + j) % 2, 1u) << m << ", " << f << ", " << fingerprint << ", " << i;
          ASSERT_EQ(places.partner(j, fingerprint), i);
        }
      }
    }
  }
}

TEST(CuckooPlaces, AlsoInTheLargestTables) {
  for (const std::uint32_t m : {1'000'002u, 0x7ffffffeu, 0x80000000u, 0x80000002u, 0xfffffffeu}) {
    for (const std::uint32_t f : {4u, 5u, 16u, 31u, 32u}) {
      const CuckooPlaces places(m, f);
      const auto most = static_cast<std::uint32_t>((std::uint64_t{1} << f) - 1);
      for (std::uint64_t n = 0; n < 2'000; ++n) {
        const std::uint64_t g = n == 0 ? 0 : n == 1 ? ~std::uint64_t{0} : fmix64(n);
        const std::uint32_t fingerprint = places.fingerprint(g);
        ASSERT_GE(fingerprint, 1u);
        ASSERT_LE(fingerprint, most);
        for (const std::uint32_t i : {0u, 1u, m / 2, m - 1, places.first(g)}) {
          const std::uint32_t j = places.partner(i, fingerprint);
          ASSERT_LT(j, m);
          ASSERT_EQ((i + j) % 2, 1u);
          ASSERT_EQ(places.partner(j, fingerprint), i);
        }
      }
      EXPECT_EQ(places.fingerprint(0), 1u);
      EXPECT_EQ(places.fingerprint(0xffffffff), most);
      EXPECT_EQ(places.first(~std::uint64_t{0}), m - 1);
    }
  }
}

TEST(CuckooPlaces, AreThoseOfTheFormat) {
  for (const std::uint32_t m : {2u, 4u, 6u, 100u, 65'536u, 1'000'002u, 0xfffffffeu}) {
    for (std::uint32_t f = 4; f <= 32; ++f) {
      const CuckooPlaces places(m, f);
      for (std::uint64_t n = 0; n < 200; ++n) {
        const Place place = place_of(fmix64(n), m, f);
        ASSERT_EQ(places.fingerprint(fmix64(n)), place.fingerprint);
        ASSERT_EQ(places.first(fmix64(n)), place.first);
        ASSERT_EQ(places.partner(places.first(fmix64(n)), places.fingerprint(fmix64(n))),
                  place.second);
      }
    }
  }
}

// Look-ups compare lanes of words. This compares every slot by itself, for all widths.
TEST(CuckooLookUp, AnswersWhatTheSlotsSay) {
  for (const std::uint32_t b : kBucketSizes) {
    for (std::uint32_t f = 4; f <= 32; ++f) {
      auto filter = cuckoo(60, f, b);
      for (std::uint64_t i = 0; i < 60; ++i) ASSERT_TRUE(is_ok(filter.insert(Hash{i})));
      const auto slots = slots_of(filter);
      std::uint64_t hits = 0;
      for (std::uint64_t i = 0; i < 2'000; ++i) {
        const Place place = place_of(fmix64(i), filter.buckets(), f);
        bool is_in = false;
        for (std::uint64_t s = 0; s < b; ++s) {
          is_in = is_in ||
                  slots[static_cast<std::size_t>(place.first * b + s)] == place.fingerprint ||
                  slots[static_cast<std::size_t>(place.second * b + s)] == place.fingerprint;
        }
        ASSERT_EQ(filter.may_contain(Hash{i}), is_in) << "b " << b << ", f " << f << ", key " << i;
        hits += is_in ? 1u : 0u;
      }
      EXPECT_GE(hits, 60u);
    }
  }
}

TEST(CuckooCopies, TwiceTheBucketSizeThenFull) {
  for (const std::uint32_t b : kBucketSizes) {
    for (const std::uint32_t f : {4u, 11u, 32u}) {
      auto filter = cuckoo(300, f, b);
      const Hash hash{f};
      for (std::uint32_t copy = 0; copy < 2 * b; ++copy) {
        const Result<bool> added = filter.insert(hash);
        ASSERT_TRUE(added.ok());
        EXPECT_EQ(*added, copy == 0);
        EXPECT_EQ(filter.count(), copy + 1u);
      }
      const Bytes before = wire_bytes(filter);
      EXPECT_EQ(filter.insert(hash).status(), Status::kFull);
      EXPECT_EQ(wire_bytes(filter), before);
      const Result<bool> absent = filter.insert_if_absent(hash);
      EXPECT_TRUE(absent.ok() && !*absent) << "it is there: nothing to do, full or not";
      for (std::uint32_t copy = 2 * b; copy > 0; --copy) {
        EXPECT_TRUE(filter.may_contain(hash));
        const Result<bool> erased = filter.erase(hash);
        EXPECT_TRUE(erased.ok() && *erased);
      }
      EXPECT_FALSE(filter.may_contain(hash));
      const Result<bool> erased = filter.erase(hash);
      EXPECT_TRUE(erased.ok() && !*erased);
      EXPECT_EQ(filter.count(), 0u);
    }
  }
}

TEST(CuckooIfAbsent, AddsOnceAndAnswersAsInsert) {
  auto filter = cuckoo(500, 6);
  auto twin = cuckoo(500, 6);
  for (std::uint64_t i = 0; i < 500; ++i) {
    const Bytes key = make_key(KeyFamily::kUrls, 0, i % 400);
    const bool was = twin.may_contain(key);
    const Result<bool> added = filter.insert_if_absent(key);
    ASSERT_TRUE(added.ok());
    ASSERT_EQ(*added, !was);
    if (!was) {
      ASSERT_TRUE(is_ok(twin.insert(key)));
    }
    ASSERT_EQ(filter.count(), twin.count());
  }
  EXPECT_EQ(wire_bytes(filter), wire_bytes(twin));
  EXPECT_LE(filter.count(), 400u);
}

TEST(CuckooRate, OfAbsentKeysAtEveryLoad) {
  constexpr std::uint64_t kAbsentKeys = 200'000;
  for (const auto& [b, f] :
       {std::pair{1u, 12u}, {2u, 9u}, {4u, 4u}, {4u, 7u}, {4u, 10u}, {8u, 5u}}) {
    auto filter = cuckoo(30'000, f, b, Hasher(HashId::kXxh3, 5));
    EXPECT_EQ(filter.estimated_fpr(), 0);
    std::uint64_t next = 0;
    for (const std::uint64_t keys : {3'000u, 15'000u, 30'000u}) {
      while (next < keys) ASSERT_TRUE(is_ok(filter.insert(Hash{next++})));
      const std::uint64_t hits = hits_of(
          filter, kAbsentKeys, [](std::uint64_t i) { return Hash{(std::uint64_t{1} << 40) + i}; });
      EXPECT_TRUE(is_plausible(hits, kAbsentKeys, filter.estimated_fpr()))
          << "b " << b << ", f " << f << ", " << keys << " keys: " << hits;
    }
    EXPECT_LE(filter.estimated_fpr(), filter.fpr());
    EXPECT_NEAR(filter.estimated_fpr() / filter.fpr(), 1, 0.05);
  }
}

TEST(CuckooLimits, Options) {
  for (const std::uint32_t b : {0u, 3u, 5u, 6u, 7u, 9u, 16u, 1u << 31, ~0u}) {
    EXPECT_EQ(status_of<CuckooFilter>({.capacity = 100, .bucket_size = b}), Status::kInvalidOption)
        << b;
  }
  for (const std::uint32_t f : {1u, 3u, 33u, 64u, ~0u}) {
    EXPECT_EQ(status_of<CuckooFilter>({.capacity = 100, .fingerprint_bits = f}),
              Status::kInvalidOption)
        << f;
  }
  for (const double fpr : {0.0, -1.0, 1.0, 1e-40, std::nan("")}) {
    EXPECT_EQ(status_of<CuckooFilter>({.capacity = 100, .fpr = fpr, .fingerprint_bits = 8}),
              Status::kOk);
  }
}

TEST(CuckooLimits, RateAndSize) {
  // 32 bits give 2 b load / (2^32 - 1).
  EXPECT_EQ(status_of<CuckooFilter>({.capacity = 1'000, .fpr = 0x1p-29}), Status::kOk);
  EXPECT_EQ(status_of<CuckooFilter>({.capacity = 1'000, .fpr = 0x1p-30}), Status::kInvalidOption);
  EXPECT_EQ(status_of<CuckooFilter>({.capacity = 1'000, .fpr = 0x1p-30, .bucket_size = 2}),
            Status::kOk);
  EXPECT_EQ(status_of<CuckooFilter>({.capacity = sizing::kMaxCount, .fpr = 0x1p-48}),
            Status::kInvalidOption);
  EXPECT_EQ(status_of<CuckooFilter>({.capacity = sizing::kMaxCount}), Status::kTooLarge);
  EXPECT_EQ(status_of<CuckooFilter>({.capacity = sizing::kMaxCount, .fingerprint_bits = 32}),
            Status::kTooLarge);
  EXPECT_EQ(status_of<CuckooFilter>({.capacity = 20'000'000'000}), Status::kTooLarge)
      << "2^32 buckets";
  EXPECT_EQ(
      status_of<CuckooFilter>({.capacity = 2'000'000, .fingerprint_bits = 4, .bucket_size = 1}),
      Status::kTooLarge);
  const auto most = CuckooFilter::size_for({.capacity = 16'000'000'000});
  ASSERT_TRUE(most.ok());
  EXPECT_EQ(*most / 8,
            (std::uint64_t{sizing::cuckoo_buckets(16'000'000'000, 4, 10)} * 40 + 63) / 64);
}

}  // namespace
}  // namespace tamis::test
