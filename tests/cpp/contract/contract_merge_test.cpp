// Promises of every mutable filter of structures.def with a union or an intersection. Unlike
// filters are refused.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "support/samples.hpp"

namespace tamis::test {
namespace {

template <class F>
class UnionContract : public ::testing::Test {};
template <class T>
struct CanMix : std::bool_constant<MutableFilter<T> && (Mergeable<T> || Intersectable<T>)> {};
using Mixing = Select<CanMix, AllStructures>::List;
TYPED_TEST_SUITE(UnionContract, Mixing);

// The count after a union of `distinct` keys. A filter that holds copies has the sum of both.
template <class F>
void expect_count(const F& merged, std::uint64_t distinct, std::uint64_t one, std::uint64_t other) {
  if (has_trait<F>(kCopies)) {
    EXPECT_EQ(merged.count(), one + other);
    return;
  }
  EXPECT_GE(merged.count(), std::max(one, other));
  EXPECT_LE(merged.count(), one + other);
  // Over their capacity, filters count fewer keys than they got.
  const auto keys = static_cast<double>(std::clamp(distinct, std::max(one, other), one + other));
  EXPECT_NEAR(static_cast<double>(merged.count()), keys, 2 + 0.05 * keys);
}

TYPED_TEST(UnionContract, MergeIsTheUnion) {
  if constexpr (Mergeable<TypeParam>) {
    for (const Hasher& hasher : hashers_of<TypeParam>()) {
      auto left = make_empty<TypeParam>(400, hasher);
      auto right = make_empty<TypeParam>(400, hasher);
      auto both = make_empty<TypeParam>(400, hasher);
      for (std::uint64_t i = 0; i < 200; ++i) {
        const Bytes one = make_key(KeyFamily::kUrls, 0, i);
        const Bytes other = make_key(KeyFamily::kUrls, 0, i + 100);
        ASSERT_TRUE(is_ok(left.insert(one)) && is_ok(right.insert(other)));
        ASSERT_TRUE(is_ok(both.insert(one)) && is_ok(both.insert(other)));
      }
      const std::uint64_t before = left.count();
      ASSERT_EQ(left.merge(right), Status::kOk);
      expect_count(left, 300, before, right.count());
      EXPECT_EQ(left.validate(), Status::kOk);
      // The payload is that of a filter that got all inserts of both; only the count may differ.
      const Bytes merged = wire_bytes(left);
      const Bytes built = wire_bytes(both);
      EXPECT_TRUE(std::equal(merged.begin() + kHeaderBytes, merged.end(),
                             built.begin() + kHeaderBytes, built.end()))
          << name_of(hasher);
      for (std::uint64_t i = 0; i < 300; ++i) {
        ASSERT_TRUE(left.may_contain(make_key(KeyFamily::kUrls, 0, i)));
      }
      // The filter is merged with itself, and with an empty one.
      auto copy = left.clone();
      const auto none = left.empty_copy();
      ASSERT_TRUE(copy.ok() && none.ok());
      ASSERT_EQ(copy->merge(*none), Status::kOk);
      EXPECT_EQ(wire_bytes(*copy), merged);
      ASSERT_EQ(copy->merge(*copy), Status::kOk);
      EXPECT_EQ(copy->count(), has_trait<TypeParam>(kCopies) ? 2 * left.count() : left.count());
      EXPECT_EQ(copy->estimated_fpr(), left.estimated_fpr());
      EXPECT_EQ(copy->validate(), Status::kOk);
    }
  }
}

// Equal filters, a subset, an overlap and disjoint filters, also far over their capacity.
TYPED_TEST(UnionContract, CountOfTheUnion) {
  if constexpr (Mergeable<TypeParam>) {
    const auto holding = [](std::uint64_t from, std::uint64_t to) {
      auto filter = make_empty<TypeParam>(1'000, Hasher());
      for (std::uint64_t i = from; i < to; ++i) {
        EXPECT_TRUE(is_ok(filter.insert(make_key(KeyFamily::kUrls, 0, i))));
      }
      return filter;
    };
    for (const std::uint64_t keys : {0u, 1u, 10u, 1'000u, 3'000u}) {
      for (const std::uint64_t from : {std::uint64_t{0}, keys / 10, keys / 2, keys}) {
        for (const std::uint64_t to : {keys, from + keys}) {
          const auto one = holding(0, keys), other = holding(from, to);
          auto left = holding(0, keys), right = holding(from, to);
          ASSERT_EQ(left.merge(other), Status::kOk);
          ASSERT_EQ(right.merge(one), Status::kOk);
          // With a subset the larger count stays.
          const std::uint64_t distinct = to <= keys ? one.count() : to;
          expect_count(left, distinct, one.count(), other.count());
          EXPECT_EQ(wire_bytes(left), wire_bytes(right)) << keys << ", " << from << ", " << to;
          // A filter that is in already changes nothing, where no copies are held.
          const Bytes merged = wire_bytes(left);
          ASSERT_EQ(left.merge(other), Status::kOk);
          if (!has_trait<TypeParam>(kCopies)) {
            EXPECT_EQ(wire_bytes(left), merged);
          }
        }
      }
    }
  }
}

TYPED_TEST(UnionContract, IntersectKeepsTheCommonKeys) {
  if constexpr (Intersectable<TypeParam>) {
    for (const Hasher& hasher : hashers_of<TypeParam>()) {
      auto left = make_empty<TypeParam>(400, hasher);
      auto right = make_empty<TypeParam>(400, hasher);
      for (std::uint64_t i = 0; i < 300; ++i) {
        const Bytes key = make_key(KeyFamily::kUrls, 0, i);
        if (i < 200) {
          ASSERT_TRUE(is_ok(left.insert(key)));
        }
        if (i >= 150) {
          ASSERT_TRUE(is_ok(right.insert(key)));
        }
      }
      ASSERT_EQ(left.intersect(right), Status::kOk);
      EXPECT_NEAR(static_cast<double>(left.count()), 50, 15);
      EXPECT_EQ(left.validate(), Status::kOk);
      for (std::uint64_t i = 150; i < 200; ++i) {
        EXPECT_TRUE(left.may_contain(make_key(KeyFamily::kUrls, 0, i)));
      }
      const auto none = left.empty_copy();
      ASSERT_TRUE(none.ok());
      ASSERT_EQ(left.intersect(*none), Status::kOk);
      EXPECT_EQ(wire_bytes(left), wire_bytes(*none));
    }
  }
}

TYPED_TEST(UnionContract, UnlikeFiltersDoNotMix) {
  const auto hashers = hashers_of<TypeParam>();
  for (const Hasher& hasher : hashers) {
    std::vector<TypeParam> others;
    for (const Hasher& other : hashers) {
      if (other != hasher) others.push_back(make_filled<TypeParam>(20, other));
    }
    others.push_back(make_filled<TypeParam>(20, hasher, 4'000));
    if (is_hash_once(hasher.id())) {
      others.push_back(make_filled<TypeParam>(20, Hasher(sip_key(1))));
      const bool is_keyed = hasher.id() == HashId::kSipHash;
      others.push_back(
          make_filled<TypeParam>(20, is_keyed ? Hasher(sip_key(), 99) : Hasher(hasher.id(), 99)));
    }
    auto filter = make_filled<TypeParam>(20, hasher);
    const Bytes before = wire_bytes(filter);
    for (const TypeParam& other : others) {
      if constexpr (Mergeable<TypeParam>) {
        EXPECT_EQ(filter.merge(other), Status::kIncompatible);
      }
      if constexpr (Intersectable<TypeParam>) {
        EXPECT_EQ(filter.intersect(other), Status::kIncompatible);
      }
      EXPECT_EQ(wire_bytes(filter), before);
    }
  }
}

}  // namespace
}  // namespace tamis::test
