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
      const std::uint64_t counts = left.count() + right.count();
      ASSERT_EQ(left.merge(right), Status::kOk);
      EXPECT_EQ(left.count(), counts);
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
      EXPECT_EQ(copy->count(), 2 * counts);
      EXPECT_EQ(copy->estimated_fpr(), left.estimated_fpr());
      EXPECT_EQ(copy->validate(), Status::kOk);
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
