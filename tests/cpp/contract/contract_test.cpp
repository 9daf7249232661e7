// Promises of every mutable filter of structures.def. Other files test rates, deletes and unions,
// and container_test.cpp tests the promises of every structure about its bytes.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include "support/samples.hpp"

namespace tamis::test {
namespace {

template <class F>
class FilterContract : public ::testing::Test {};
TYPED_TEST_SUITE(FilterContract, MutableFilters);

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
          ASSERT_TRUE(is_ok(filter.insert(make_key(family, 0, i))));
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
      if (key.empty() && hasher.id() == HashId::kDataSketches) continue;  // never in
      // A copy of exactly its size: a hash that reads on is seen by AddressSanitizer.
      const Result<bool> added = filter.insert(HeapCopy(key).span());
      ASSERT_TRUE(added.ok());
      EXPECT_TRUE(*added) << name_of(hasher) << ", length " << key.size();
    }
    for (const Bytes& key : keys) {
      if (key.empty() && hasher.id() == HashId::kDataSketches) continue;
      EXPECT_TRUE(filter.may_contain(HeapCopy(key).span()))
          << name_of(hasher) << ", length " << key.size();
    }
  }
}

TYPED_TEST(FilterContract, InsertAnswersWhetherTheKeyWasCertainlyNew) {
  for (const Hasher& hasher : hashers_of<TypeParam>()) {
    auto filter = make_empty<TypeParam>(300, hasher, 0.2);
    std::uint64_t fresh = 0, inserts = 0, refused = 0;
    // This goes over capacity too, where many keys seem to be present already.
    for (std::uint64_t i = 0; i < 600; ++i) {
      const Bytes key = own_key(i);
      const bool was = filter.may_contain(key);
      const Bytes before = wire_bytes(filter);
      const Result<bool> added = filter.insert(key);
      if (!added.ok()) {
        ASSERT_TRUE(has_trait<TypeParam>(kBounded)) << code(added.status());
        ASSERT_EQ(added.status(), Status::kFull);
        ASSERT_EQ(wire_bytes(filter), before);
        ++refused;
        continue;
      }
      ASSERT_EQ(*added, !was);
      ASSERT_TRUE(filter.may_contain(key));
      fresh += *added ? 1u : 0u;
      ++inserts;
      ASSERT_EQ(filter.count(), has_trait<TypeParam>(kCopies) ? inserts : fresh);
    }
    EXPECT_LT(fresh, 600u);
    EXPECT_EQ(refused > 0, has_trait<TypeParam>(kBounded)) << refused;
    EXPECT_EQ(filter.validate(), Status::kOk);
  }
}

// A filter that may be full is not, for any set of keys up to its capacity.
TYPED_TEST(FilterContract, HoldsItsCapacity) {
  for (const std::uint64_t capacity : {1u, 2u, 3u, 4u, 5u, 8u, 16u, 33u, 100u, 257u}) {
    for (std::uint64_t seed = 0; seed < 2'000 / capacity + 5; ++seed) {
      auto filter = make_empty<TypeParam>(capacity, Hasher(HashId::kXxh3, seed));
      for (std::uint64_t i = 0; i < capacity; ++i) {
        const Result<bool> added = filter.insert(make_key(KeyFamily::kIntegers, 0, i));
        ASSERT_TRUE(added.ok()) << "key " << i << " of " << capacity << ", seed " << seed;
      }
    }
  }
}

TYPED_TEST(FilterContract, DuplicatesChangeNothing) {
  for (const Hasher& hasher : hashers_of<TypeParam>()) {
    auto filter = make_filled<TypeParam>(200, hasher);
    const Bytes before = wire_bytes(filter);
    const std::uint64_t count = filter.count();
    const double rate = filter.estimated_fpr();
    std::uint64_t copies = 0;
    for (std::uint64_t i = 0; i < 200; ++i) {
      const Result<bool> added = filter.insert(own_key(i));
      if (!added.ok()) {
        ASSERT_TRUE(has_trait<TypeParam>(kBounded) && added.status() == Status::kFull);
        continue;
      }
      ASSERT_FALSE(*added);
      ++copies;
    }
    EXPECT_EQ(filter.count(), has_trait<TypeParam>(kCopies) ? count + copies : count);
    if (!has_trait<TypeParam>(kCopies)) EXPECT_EQ(filter.estimated_fpr(), rate);
    // A lock is no key; a copy is one.
    if (!has_trait<TypeParam>(kCopies | kLocks))
      EXPECT_EQ(wire_bytes(filter), before) << name_of(hasher);
    EXPECT_EQ(filter.validate(), Status::kOk);
  }
}

TYPED_TEST(FilterContract, ForgetsByWholePeriods) {
  if constexpr (Rotating<TypeParam>) {
    for (const Hasher& hasher : hashers_of<TypeParam>()) {
      auto filter = make_filled<TypeParam>(50, hasher);
      const Bytes fresh = wire_bytes(make_empty<TypeParam>(50, hasher));
      ASSERT_EQ(filter.count(), 50u);
      for (std::size_t period = 1; period < filter.generations(); ++period) {
        filter.rotate();
        // The first key is prolonged each time, and counted in each generation.
        const Result<bool> added = filter.insert(own_key(0));
        ASSERT_TRUE(added.ok() && !*added);
        EXPECT_EQ(filter.count(), 50u + period);
        for (std::uint64_t i = 0; i < 50; ++i) {
          ASSERT_TRUE(filter.may_contain(own_key(i)));
        }
      }
      filter.rotate();
      EXPECT_TRUE(filter.may_contain(own_key(0)));
      EXPECT_EQ(filter.count(), filter.generations() - 1);
      for (std::size_t i = 0; i < filter.generations(); ++i) filter.rotate();
      EXPECT_EQ(filter.count(), 0u);
      EXPECT_EQ(filter.estimated_fpr(), 0);
      EXPECT_EQ(wire_bytes(filter).size(), fresh.size());
    }
  }
}

TYPED_TEST(FilterContract, HashedBeforehandIsTheSame) {
  for (const Hasher& hasher : hashers_of<TypeParam>()) {
    auto by_key = make_empty<TypeParam>(200, hasher);
    auto by_hash = make_empty<TypeParam>(200, hasher);
    for (std::uint64_t i = 0; i < 200; ++i) {
      const Bytes key = make_key(KeyFamily::kHighBytes, 0, i);
      const Result<bool> added = by_key.insert(key);
      ASSERT_TRUE(added.ok());
      if (is_hash_once(hasher.id())) {
        const Result<bool> added_hash = by_hash.insert(hasher(key));
        ASSERT_TRUE(added_hash.ok());
        ASSERT_EQ(*added_hash, *added);
        ASSERT_TRUE(by_key.may_contain(hasher(key)));
      }
    }
    if (is_hash_once(hasher.id())) {
      EXPECT_EQ(wire_bytes(by_key), wire_bytes(by_hash)) << name_of(hasher);
    } else {
      // The scheme needs the key's bytes. An insert is a fault, and nothing is certainly absent.
      EXPECT_DEBUG_DEATH((void)by_hash.insert(Hash{1}), "is_hash_once");
      EXPECT_TRUE(by_hash.may_contain(Hash{1}));
      EXPECT_EQ(by_hash.count(), 0u);
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
  const auto status = [](std::uint64_t capacity, double fpr) {
    return status_of<TypeParam>(config_for<TypeParam>(capacity, Hasher(), fpr));
  };
  EXPECT_EQ(status(0, 0.01), Status::kInvalidOption);
  EXPECT_EQ(status(sizing::kMaxCount + 1, 0.01), Status::kInvalidOption);
  EXPECT_EQ(status(~std::uint64_t{0}, 0.01), Status::kInvalidOption);
  for (const double fpr : {0.0, 1.0, 2.0, -0.01, 1e-40, std::nextafter(0x1p-48, 0.0), std::nan(""),
                           HUGE_VAL, -HUGE_VAL}) {
    EXPECT_EQ(status(100, fpr), Status::kInvalidOption) << fpr;
  }
  double least = 0x1p-48;
  if constexpr (requires { TypeParam::kMinFpr; }) {
    least = TypeParam::kMinFpr;
    EXPECT_EQ(status(100, std::nextafter(least, 0.0)), Status::kInvalidOption);
  } else if (has_trait<TypeParam>(kBounded)) {
    // The least rate is that of the widest fingerprint: what is below one that is refused is
    // refused.
    while (least < 1 && status(100, least) != Status::kOk) {
      EXPECT_EQ(status(100, least), Status::kInvalidOption) << least;
      least *= 2;
    }
    EXPECT_LE(least, 0x1p-20);
    for (double fpr = least; fpr < 1; fpr *= 2) EXPECT_EQ(status(100, fpr), Status::kOk) << fpr;
  }
  EXPECT_EQ(status(100, least), Status::kOk);
  EXPECT_EQ(status(sizing::kMaxCount, least), Status::kTooLarge);
  EXPECT_EQ(status(sizing::kMaxCount, 0.01), Status::kTooLarge);
}

TYPED_TEST(FilterContract, HashesThatTheTypeDoesNotAllowAreRefused) {
  const auto status = [](const Hasher& hasher) {
    return status_of<TypeParam>(config_for<TypeParam>(100, hasher));
  };
  std::set<HashId> allowed;
  for (const Hasher& hasher : hashers_of<TypeParam>()) allowed.insert(hasher.id());
  allowed.erase(HashId::kSipHash);  // which wants its key
  for (std::uint8_t id = 0; id <= kHashIds; ++id) {
    EXPECT_EQ(status(Hasher(HashId{id})),
              allowed.contains(HashId{id}) ? Status::kOk : Status::kInvalidOption)
        << static_cast<int>(id);
  }
  EXPECT_EQ(status(Hasher(SipKey{})), Status::kOk) << "zeros are a key like any other";
}

TYPED_TEST(FilterContract, ClearAndEmptyCopyAreFresh) {
  for (const Hasher& hasher : hashers_of<TypeParam>()) {
    const Bytes fresh = wire_bytes(make_empty<TypeParam>(50, hasher));
    auto filter = make_filled<TypeParam>(50, hasher);
    const auto copy = filter.empty_copy();
    ASSERT_TRUE(copy.ok());
    EXPECT_EQ(wire_bytes(*copy), fresh) << name_of(hasher);
    filter.clear();
    EXPECT_EQ(wire_bytes(filter), fresh) << name_of(hasher);
    // Also after what leaves more than keys behind.
    if constexpr (Growing<TypeParam>) {
      for (std::uint64_t i = 0; i < 500; ++i) add(filter, i);
      EXPECT_GT(filter.layers(), 1u);
    } else {
      for (std::uint64_t i = 0; i < 50; ++i) add(filter, i);
    }
    if constexpr (DeletableFilter<TypeParam>) {
      for (std::uint64_t i = 0; i < 30; ++i) (void)filter.erase(own_key(i));
    }
    if constexpr (Rotating<TypeParam>) filter.rotate();
    const auto second = filter.empty_copy();
    ASSERT_TRUE(second.ok());
    EXPECT_EQ(wire_bytes(*second), fresh) << name_of(hasher);
    filter.clear();
    EXPECT_EQ(wire_bytes(filter), fresh) << name_of(hasher);
  }
}

}  // namespace
}  // namespace tamis::test
