// What every mutable filter of filters.def promises. container_test.cpp has what every structure
// promises about its bytes.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "samples.hpp"

namespace tamis::test {
namespace {

template <class F>
class FilterContract : public ::testing::Test {};
TYPED_TEST_SUITE(FilterContract, MutableFilters);

// Keys that break what is written for short ASCII ones.
std::vector<Bytes> awkward_keys() {
  std::vector<Bytes> keys = {Bytes(), Bytes(1), Bytes(1, std::byte{0x80}),
                             Bytes(1, std::byte{0xff}),
                             Bytes(std::size_t{1} << 20, std::byte{0xa5})};
  // Around the block lengths of the hashes.
  for (const std::size_t length : {2u, 3u, 4u, 7u, 8u, 9u, 15u, 16u, 17u, 111u, 112u, 127u, 128u,
                                   129u, 240u, 241u, 1'024u, 1'025u}) {
    keys.push_back(Bytes(length, std::byte{0xfe}));
  }
  return keys;
}

TYPED_TEST(FilterContract, AnEmptyFilterContainsNothing) {
  for (const Hasher& hasher : hashers_of<TypeParam>()) {
    const auto filter = make_empty<TypeParam>(100, hasher);
    EXPECT_EQ(filter.count(), 0u);
    EXPECT_EQ(filter.capacity(), 100u);
    EXPECT_EQ(filter.estimated_fpr(), 0);
    EXPECT_EQ(filter.validate(), Status::kOk);
    for (const Bytes& key : awkward_keys()) EXPECT_FALSE(filter.may_contain(key));
  }
}

TYPED_TEST(FilterContract, NoFalseNegative) {
  for (const Hasher& hasher : hashers_of<TypeParam>()) {
    for (const KeyFamily family : kKeyFamilies) {
      for (const std::uint64_t keys : {1u, 2u, 3u, 7u, 100u, 2'000u}) {
        auto filter = make_empty<TypeParam>(keys, hasher);
        for (std::uint64_t i = 0; i < keys; ++i) {
          ASSERT_TRUE(filter.insert(make_key(family, 0, i)).ok());
        }
        for (std::uint64_t i = 0; i < keys; ++i) {
          ASSERT_TRUE(filter.may_contain(make_key(family, 0, i)))
              << name_of(hasher) << ", key " << i << " of " << keys;
        }
        ASSERT_EQ(filter.validate(), Status::kOk);
      }
    }
  }
}

TYPED_TEST(FilterContract, AwkwardKeysAreKeys) {
  const std::vector<Bytes> keys = awkward_keys();
  for (const Hasher& hasher : hashers_of<TypeParam>()) {
    auto filter = make_empty<TypeParam>(keys.size(), hasher, 1e-6);
    for (const Bytes& key : keys) {
      // A copy of exactly its size: a hash that reads on is seen by AddressSanitizer.
      const auto added = filter.insert(HeapCopy(key).span());
      ASSERT_TRUE(added.ok());
      EXPECT_TRUE(*added) << name_of(hasher) << ", length " << key.size();
    }
    for (const Bytes& key : keys) {
      EXPECT_TRUE(filter.may_contain(HeapCopy(key).span()))
          << name_of(hasher) << ", length " << key.size();
    }
  }
}

TYPED_TEST(FilterContract, InsertAnswersWhetherTheKeyWasCertainlyNew) {
  for (const Hasher& hasher : hashers_of<TypeParam>()) {
    auto filter = make_empty<TypeParam>(300, hasher, 0.2);
    std::uint64_t fresh = 0;
    // Over capacity too, where many keys are thought to be there already.
    for (std::uint64_t i = 0; i < 600; ++i) {
      const Bytes key = make_key(KeyFamily::kUrls, 0, i);
      const bool was = filter.may_contain(key);
      const auto added = filter.insert(key);
      ASSERT_TRUE(added.ok());
      ASSERT_EQ(*added, !was);
      fresh += *added ? 1u : 0u;
      ASSERT_EQ(filter.count(), fresh);
    }
    EXPECT_LT(fresh, 600u);
  }
}

TYPED_TEST(FilterContract, DuplicatesChangeNothing) {
  for (const Hasher& hasher : hashers_of<TypeParam>()) {
    auto filter = make_filled<TypeParam>(200, hasher);
    const Bytes before = encoded(filter);
    for (std::uint64_t i = 0; i < 200; ++i) {
      const auto added = filter.insert(make_key(KeyFamily::kUrls, 0, i));
      ASSERT_TRUE(added.ok());
      ASSERT_FALSE(*added);
    }
    EXPECT_EQ(encoded(filter), before) << name_of(hasher);
  }
}

TYPED_TEST(FilterContract, HashedBeforehandIsTheSame) {
  for (const Hasher& hasher : hashers_of<TypeParam>()) {
    auto by_key = make_empty<TypeParam>(200, hasher);
    auto by_hash = make_empty<TypeParam>(200, hasher);
    for (std::uint64_t i = 0; i < 200; ++i) {
      const Bytes key = make_key(KeyFamily::kHighBytes, 0, i);
      const auto added = by_key.insert(key);
      ASSERT_TRUE(added.ok());
      if (is_hash_once(hasher.id())) {
        const auto added_hash = by_hash.insert(hasher(key));
        ASSERT_TRUE(added_hash.ok());
        ASSERT_EQ(*added_hash, *added);
        ASSERT_TRUE(by_key.may_contain(hasher(key)));
      } else {
        // Needs the key's bytes: an insert is refused, and nothing is certainly absent.
        ASSERT_EQ(by_hash.insert(Hash{i}).status(), Status::kUnsupported);
        ASSERT_TRUE(by_hash.may_contain(Hash{i}));
      }
    }
    if (is_hash_once(hasher.id())) {
      EXPECT_EQ(encoded(by_key), encoded(by_hash)) << name_of(hasher);
    } else {
      EXPECT_EQ(by_hash.count(), 0u);
    }
  }
}

TYPED_TEST(FilterContract, TheRateIsThatOfTheFill) {
  constexpr std::uint64_t kKeys = 5'000;
  constexpr std::uint64_t kStrangers = 100'000;
  for (const Hasher& hasher : hashers_of<TypeParam>()) {
    for (const KeyFamily family : kKeyFamilies) {
      auto filter = make_empty<TypeParam>(kKeys, hasher);
      for (std::uint64_t i = 0; i < kKeys; ++i) {
        ASSERT_TRUE(filter.insert(make_key(family, 0, i)).ok());
      }
      std::uint64_t hits = 0;
      for (std::uint64_t i = 0; i < kStrangers; ++i) {
        hits += filter.may_contain(make_key(family, 1, i)) ? 1u : 0u;
      }
      EXPECT_TRUE(is_plausible(hits, kStrangers, filter.estimated_fpr()))
          << name_of(hasher) << ", family " << static_cast<int>(family) << ": " << hits << " of "
          << kStrangers << " at " << filter.estimated_fpr();
      // At capacity the fill is near the designed one: eight standard deviations of the fill move
      // the rate by less than a fifth.
      EXPECT_NEAR(filter.estimated_fpr() / filter.fpr(), 1, 0.2) << name_of(hasher);
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

TYPED_TEST(FilterContract, ShortSequentialKeysHaveTheRateOfTheFill) {
  constexpr std::uint64_t kKeys = 5'000;
  constexpr std::uint64_t kStrangers = 20'000;
  for (const Hasher& hasher : hashers_of<TypeParam>()) {
    // FNV-1a leaves traces of such keys in its low bits; the scheme is what it is elsewhere.
    if (hasher.id() == HashId::kMurmur2aFnv1a) continue;
    for (std::size_t family = 0; family <= 14; ++family) {
      auto filter = make_empty<TypeParam>(kKeys, hasher);
      for (std::uint64_t i = 0; i < kKeys; ++i) {
        ASSERT_TRUE(filter.insert(sequential_key(family, i)).ok());
      }
      std::uint64_t hits = 0;
      for (std::uint64_t i = kKeys; i < kKeys + kStrangers; ++i) {
        hits += filter.may_contain(sequential_key(family, i)) ? 1u : 0u;
      }
      EXPECT_TRUE(is_plausible(hits, kStrangers, filter.estimated_fpr()))
          << name_of(hasher) << ", family " << family << ": " << hits << " of " << kStrangers
          << " at " << filter.estimated_fpr();
      EXPECT_NEAR(filter.estimated_fpr() / filter.fpr(), 1, 0.2)
          << name_of(hasher) << ", family " << family;
    }
  }
}

TYPED_TEST(FilterContract, TheDesignedRateIsNotAboveTheAsked) {
  for (const Hasher& hasher : hashers_of<TypeParam>()) {
    for (const double fpr : {0.9, 0.5, 0.1, 0.01, 0.001, 1e-6}) {
      for (const std::uint64_t capacity : {1u, 2u, 3u, 10u, 1'000u, 54'321u}) {
        const auto config = config_for<TypeParam>(capacity, hasher, fpr);
        const auto filter = TypeParam::create(config);
        const auto size = TypeParam::size_for(config);
        ASSERT_TRUE(filter.ok() && size.ok());
        EXPECT_LE(filter->fpr(), fpr) << capacity << " keys, " << name_of(hasher);
        EXPECT_GT(filter->fpr(), 0);
        EXPECT_EQ(filter->capacity(), capacity);
        EXPECT_EQ(filter->size_bytes(), *size);
      }
    }
  }
}

TYPED_TEST(FilterContract, OptionsOutsideTheirRangeAreRefused) {
  const Hasher hasher;
  const auto status = [&](std::uint64_t capacity, double fpr) {
    const auto config = config_for<TypeParam>(capacity, hasher, fpr);
    const auto made = TypeParam::create(config);
    EXPECT_EQ(TypeParam::size_for(config).status(), made.status());
    return made.status();
  };
  EXPECT_EQ(status(0, 0.01), Status::kInvalidOption);
  EXPECT_EQ(status(sizing::kMaxCount + 1, 0.01), Status::kInvalidOption);
  EXPECT_EQ(status(~std::uint64_t{0}, 0.01), Status::kInvalidOption);
  for (const double fpr : {0.0, 1.0, 2.0, -0.01, 1e-40, std::nextafter(0x1p-48, 0.0), std::nan(""),
                           HUGE_VAL, -HUGE_VAL}) {
    EXPECT_EQ(status(100, fpr), Status::kInvalidOption) << fpr;
  }
  EXPECT_EQ(status(100, 0x1p-48), Status::kOk);
  EXPECT_EQ(status(sizing::kMaxCount, 0x1p-48), Status::kTooLarge);
}

TYPED_TEST(FilterContract, ClearAndEmptyCopyAreFresh) {
  for (const Hasher& hasher : hashers_of<TypeParam>()) {
    const Bytes fresh = encoded(make_empty<TypeParam>(50, hasher));
    auto filter = make_filled<TypeParam>(50, hasher);
    const auto copy = filter.empty_copy();
    ASSERT_TRUE(copy.ok());
    EXPECT_EQ(encoded(*copy), fresh) << name_of(hasher);
    filter.clear();
    EXPECT_EQ(encoded(filter), fresh) << name_of(hasher);
  }
}

TYPED_TEST(FilterContract, MergeIsTheUnion) {
  if constexpr (Mergeable<TypeParam>) {
    for (const Hasher& hasher : hashers_of<TypeParam>()) {
      auto left = make_empty<TypeParam>(400, hasher);
      auto right = make_empty<TypeParam>(400, hasher);
      auto both = make_empty<TypeParam>(400, hasher);
      for (std::uint64_t i = 0; i < 300; ++i) {
        const Bytes key = make_key(KeyFamily::kUrls, 0, i);
        if (i < 200) {
          ASSERT_TRUE(left.insert(key).ok());
        }
        if (i >= 100) {
          ASSERT_TRUE(right.insert(key).ok());
        }
        ASSERT_TRUE(both.insert(key).ok());
      }
      const std::uint64_t counts = left.count() + right.count();
      ASSERT_EQ(left.merge(right), Status::kOk);
      EXPECT_EQ(left.count(), counts);
      EXPECT_EQ(left.validate(), Status::kOk);
      // The payload is that of a filter built from the union; only the count may differ.
      const Bytes merged = encoded(left);
      const Bytes built = encoded(both);
      EXPECT_TRUE(std::equal(merged.begin() + kHeaderBytes, merged.end(),
                             built.begin() + kHeaderBytes, built.end()))
          << name_of(hasher);
      const Bytes once = encoded(left);
      auto copy = left.clone();
      ASSERT_TRUE(copy.ok());
      ASSERT_EQ(copy->merge(*copy), Status::kOk);
      EXPECT_EQ(encoded(*copy).size(), once.size());
      EXPECT_EQ(copy->validate(), Status::kOk);
    }
  }
}

TYPED_TEST(FilterContract, IntersectKeepsTheCommonKeys) {
  if constexpr (Intersectable<TypeParam>) {
    for (const Hasher& hasher : hashers_of<TypeParam>()) {
      auto left = make_empty<TypeParam>(400, hasher);
      auto right = make_empty<TypeParam>(400, hasher);
      for (std::uint64_t i = 0; i < 300; ++i) {
        const Bytes key = make_key(KeyFamily::kUrls, 0, i);
        if (i < 200) {
          ASSERT_TRUE(left.insert(key).ok());
        }
        if (i >= 150) {
          ASSERT_TRUE(right.insert(key).ok());
        }
      }
      const std::uint64_t least = std::min(left.count(), right.count());
      ASSERT_EQ(left.intersect(right), Status::kOk);
      EXPECT_EQ(left.count(), least);
      EXPECT_EQ(left.validate(), Status::kOk);
      for (std::uint64_t i = 150; i < 200; ++i) {
        EXPECT_TRUE(left.may_contain(make_key(KeyFamily::kUrls, 0, i)));
      }
      const auto none = left.empty_copy();
      ASSERT_TRUE(none.ok());
      ASSERT_EQ(left.intersect(*none), Status::kOk);
      EXPECT_EQ(encoded(left), encoded(*none));
    }
  }
}

TYPED_TEST(FilterContract, UnlikeFiltersDoNotMix) {
  const auto hashers = hashers_of<TypeParam>();
  for (const Hasher& hasher : hashers) {
    std::vector<TypeParam> others;
    for (const Hasher& other : hashers) {
      if (!other.is_same(hasher)) others.push_back(make_filled<TypeParam>(20, other));
    }
    others.push_back(make_filled<TypeParam>(20, hasher, 4'000));
    if (is_hash_once(hasher.id())) {
      others.push_back(make_filled<TypeParam>(20, Hasher(sip_key(1))));
      const bool is_keyed = hasher.id() == HashId::kSipHash;
      others.push_back(
          make_filled<TypeParam>(20, is_keyed ? Hasher(sip_key(), 99) : Hasher(hasher.id(), 99)));
    }
    auto filter = make_filled<TypeParam>(20, hasher);
    const Bytes before = encoded(filter);
    for (const TypeParam& other : others) {
      if constexpr (Mergeable<TypeParam>) {
        EXPECT_EQ(filter.merge(other), Status::kIncompatible);
      }
      if constexpr (Intersectable<TypeParam>) {
        EXPECT_EQ(filter.intersect(other), Status::kIncompatible);
      }
      EXPECT_EQ(encoded(filter), before);
    }
  }
}

}  // namespace
}  // namespace tamis::test
