// The rate of false positives of every filter of structures.def. Absent keys are looked up, and
// their hits must be possible at estimated_fpr(), by the exact binomial tails.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "support/samples.hpp"

namespace tamis::test {
namespace {

template <class F>
class RateContract : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kKeys = 5'000;

  // A filter as full as it was designed for: every generation of those that have several.
  template <class KeyOf>
  static F fill(const Hasher& hasher, KeyOf key_of) {
    if constexpr (BuiltOnce<F>) {
      Hashes hashes;
      for (std::uint64_t i = 0; i < kKeys; ++i) {
        hashes.push_back(static_cast<std::uint64_t>(hasher(key_of(i))));
      }
      auto built = build<F>(config_for<F>(kKeys, hasher), hashes);
      EXPECT_TRUE(built.ok() && holds_all(*built, hashes));
      return std::move(*built);
    } else {
      return fill_up(hasher, key_of);
    }
  }

  template <class KeyOf>
  static F fill_up(const Hasher& hasher, KeyOf key_of) {
    F filter = make_empty<F>(kKeys, hasher);
    std::uint64_t generations = 1;
    if constexpr (Rotating<F>) generations = filter.generations();
    for (std::uint64_t i = 0; i < kKeys * generations; ++i) {
      if constexpr (Rotating<F>) {
        if (i > 0 && i % kKeys == 0) filter.rotate();
      }
      EXPECT_TRUE(is_ok(filter.insert(key_of(i)))) << i;
    }
    return filter;
  }

  template <class KeyOf>
  static void expect_plausible(const F& filter, std::uint64_t absent_keys, KeyOf absent_key,
                               const std::string& what) {
    const std::uint64_t hits = hits_of(filter, absent_keys, absent_key);
    EXPECT_TRUE(is_plausible(hits, absent_keys, filter.estimated_fpr()))
        << what << ": " << hits << " of " << absent_keys << " at " << filter.estimated_fpr();
  }

  // At capacity the fill is near the designed one: eight standard deviations of the fill move the
  // rate by less than a fifth.
  static void expect_as_designed(const F& filter, const std::string& what) {
    if constexpr (Growing<F>) {
      EXPECT_LE(filter.estimated_fpr(), filter.fpr()) << what;
    } else {
      EXPECT_NEAR(filter.estimated_fpr() / filter.fpr(), 1, 0.2) << what;
    }
  }
};
TYPED_TEST_SUITE(RateContract, Filters);

TYPED_TEST(RateContract, TheRateIsThatOfTheFill) {
  for (const Hasher& hasher : hashers_of<TypeParam>()) {
    for (const KeyFamily family : kKeyFamilies) {
      const auto what = name_of(hasher) + ", family " + std::to_string(static_cast<int>(family));
      const auto filter =
          this->fill(hasher, [&](std::uint64_t i) { return make_key(family, 0, i); });
      this->expect_plausible(
          filter, 100'000, [&](std::uint64_t i) { return make_key(family, 1, i); }, what);
      this->expect_as_designed(filter, what);
    }
  }
}

// Short neighbouring keys: the consecutive numbers, in 2 to 8 bytes of either order, and as text.
Bytes sequential_key(std::size_t family, std::uint64_t number) {
  if (family == 14) {
    const std::string text = "k-" + std::to_string(100'000 + number);
    return Bytes(bytes_of(text).begin(), bytes_of(text).end());
  }
  Bytes key(2 + family / 2);
  for (std::byte& byte : key) {
    byte = static_cast<std::byte>(number);
    number >>= 8;
  }
  if (family % 2 == 1) std::ranges::reverse(key);
  return key;
}

TYPED_TEST(RateContract, ShortSequentialKeysHaveTheRateOfTheFill) {
  for (const Hasher& hasher : hashers_of<TypeParam>()) {
    // FNV-1a leaves traces of such keys in its low bits. The scheme keeps that.
    if (hasher.id() == HashId::kMurmur2aFnv1a) continue;
    for (std::size_t family = 0; family <= 14; ++family) {
      const auto what = name_of(hasher) + ", family " + std::to_string(family);
      const auto filter =
          this->fill(hasher, [&](std::uint64_t i) { return sequential_key(family, i); });
      // Behind all keys; two bytes have room for so many.
      this->expect_plausible(
          filter, 10'000, [&](std::uint64_t i) { return sequential_key(family, 40'000 + i); },
          what);
      // npm-bloomfilter's FNV-1a gives such keys more bits than chance does; the rate follows them.
      if (hasher.id() != HashId::kNpmBloomfilter) this->expect_as_designed(filter, what);
    }
  }
}

template <class F>
class FillContract : public RateContract<F> {};
TYPED_TEST_SUITE(FillContract, MutableFilters);

// The filters are lightly filled, half full, and far over capacity, for several rates.
TYPED_TEST(FillContract, TheEstimateIsRightAtEveryFill) {
  const Hasher hasher(HashId::kXxh3, 5);
  for (const double fpr : {0.3, 0.01, 0.0001}) {
    for (const std::uint64_t percent : {10u, 50u, 90u, 150u, 400u}) {
      auto filter = make_empty<TypeParam>(2'000, hasher, fpr);
      for (std::uint64_t i = 0; i < 20 * percent; ++i) {
        const Result<bool> added = filter.insert(make_key(KeyFamily::kRandom, 0, i));
        ASSERT_TRUE(added.ok() || (has_trait<TypeParam>(kBounded) && percent > 100));
      }
      this->expect_plausible(
          filter, 20'000, [](std::uint64_t i) { return make_key(KeyFamily::kRandom, 1, i); },
          std::to_string(fpr) + " at " + std::to_string(percent) + " %");
    }
  }
}

TYPED_TEST(FillContract, AGrowingFilterKeepsItsRate) {
  if constexpr (Growing<TypeParam>) {
    for (const double fpr : {0.1, 0.01}) {
      auto filter = make_empty<TypeParam>(100, Hasher(), fpr);
      std::uint64_t added = 0;
      for (const std::uint64_t times : {1u, 10u, 100u, 1'000u}) {
        for (; added < 100 * times; ++added) {
          ASSERT_TRUE(is_ok(filter.insert(make_key(KeyFamily::kRandom, 0, added))));
        }
        EXPECT_LE(filter.estimated_fpr(), filter.fpr()) << times;
        this->expect_plausible(
            filter, 50'000, [](std::uint64_t i) { return make_key(KeyFamily::kRandom, 1, i); },
            std::to_string(times) + " times its first capacity");
      }
    }
  }
}

// Keys come and go, ten times the capacity of them: the rate is that of those which are in.
TYPED_TEST(FillContract, TheRateAfterManyDeletes) {
  if constexpr (DeletableFilter<TypeParam>) {
    constexpr std::uint64_t kHeld = 1'000;
    for (const double fpr : {0.1, 0.005}) {
      auto filter = make_empty<TypeParam>(kHeld, Hasher(HashId::kXxh3, 3), fpr);
      const auto key = [](std::uint64_t i) { return make_key(KeyFamily::kUrls, 0, i); };
      // Tombstones are made for as many deletes as the capacity.
      const std::uint64_t rounds = has_trait<TypeParam>(kTombstones | kLocks) ? kHeld : 10 * kHeld;
      for (std::uint64_t i = 0; i < kHeld + rounds; ++i) {
        if (i >= kHeld) (void)filter.erase(key(i - kHeld));
        const Result<bool> added = filter.insert(key(i));
        if (has_trait<TypeParam>(kTombstones)) {
          ASSERT_TRUE(added.ok() || added.status() == Status::kTombstoned);
        } else {
          ASSERT_TRUE(added.ok()) << i;
          ASSERT_TRUE(filter.may_contain(key(i)));
        }
      }
      if (has_trait<TypeParam>(kCopies)) {
        EXPECT_EQ(filter.count(), kHeld);
        EXPECT_NEAR(filter.estimated_fpr() / filter.fpr(), 1, 0.3);
      }
      this->expect_plausible(
          filter, 100'000, [](std::uint64_t i) { return make_key(KeyFamily::kUrls, 1, i); },
          std::to_string(fpr));
      EXPECT_EQ(filter.validate(), Status::kOk);
    }
  }
}

}  // namespace
}  // namespace tamis::test
