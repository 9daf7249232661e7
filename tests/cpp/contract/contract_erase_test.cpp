// Promises of every filter of structures.def with keys that can be erased.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "support/samples.hpp"

namespace tamis::test {
namespace {

template <class F>
class EraseContract : public ::testing::Test {};
TYPED_TEST_SUITE(EraseContract, DeletableFilters);

TYPED_TEST(EraseContract, ErasingAnAbsentKeyChangesNothing) {
  for (const Hasher& hasher : hashers_of<TypeParam>()) {
    for (const std::uint64_t keys : {0u, 1u, 200u}) {
      auto filter = make_filled<TypeParam>(keys, hasher);
      const Bytes before = wire_bytes(filter);
      std::uint64_t absent = 0;
      for (std::uint64_t i = 0; i < 500; ++i) {
        const Bytes absent_key = make_key(KeyFamily::kUrls, 1, i);
        if (filter.may_contain(absent_key)) continue;
        const Result<bool> erased =
            i % 2 == 0 ? filter.erase(absent_key) : filter.erase(hasher(absent_key));
        ASSERT_TRUE(erased.ok() && !*erased);
        ++absent;
      }
      EXPECT_GT(absent, 400u);
      EXPECT_EQ(wire_bytes(filter), before);
    }
  }
}

TYPED_TEST(EraseContract, ErasingAPresentKeyTakesOneFromTheCountAndNoOtherKey) {
  for (const Hasher& hasher : hashers_of<TypeParam>()) {
    auto filter = make_filled<TypeParam>(200, hasher);
    std::vector<bool> is_held(200, true);
    std::uint64_t erased = 0, hidden = 0, kept = 0;
    for (std::uint64_t i = 0; i < 200; i += 2) {
      const Bytes before = wire_bytes(filter);
      const std::uint64_t count = filter.count();
      const bool was = filter.may_contain(own_key(i));
      const Result<bool> answer =
          i % 4 == 0 ? filter.erase(own_key(i)) : filter.erase(hasher(own_key(i)));
      if (answer.ok() && *answer) {
        ASSERT_TRUE(was);
        ASSERT_EQ(filter.count(), count - 1);
        is_held[i] = false;
        ++erased;
      } else {
        // Hidden by a tombstone, or locked: nothing changes.
        ASSERT_EQ(wire_bytes(filter), before);
        ASSERT_EQ(filter.count(), count);
        if (answer.ok()) {
          ASSERT_TRUE(!was && has_trait<TypeParam>(kTombstones));
          ++hidden;
        } else {
          ASSERT_TRUE(was && has_trait<TypeParam>(kLocks));
          ASSERT_EQ(answer.status(), Status::kNotDeletable);
          ++kept;
        }
      }
      for (std::uint64_t other = 0; other < 200; ++other) {
        if (!is_held[other] || has_trait<TypeParam>(kTombstones)) continue;
        ASSERT_TRUE(filter.may_contain(own_key(other))) << other << " after " << i;
      }
    }
    EXPECT_EQ(filter.validate(), Status::kOk);
    EXPECT_LE(hidden, 10u);
    EXPECT_GE(erased, has_trait<TypeParam>(kLocks) ? 20u : 90u) << kept;
  }
}

// The keys that the tombstones hide are as many as false_negative_rate() says.
TYPED_TEST(EraseContract, FalseNegativesAreThoseOfTheTombstones) {
  if constexpr (requires(const TypeParam& filter) { filter.false_negative_rate(); }) {
    EXPECT_TRUE(has_trait<TypeParam>(kTombstones));
    constexpr std::uint64_t kKeys = 20'000;
    // The last of them is the rate of filters that are made of bits, and not of blocks.
    for (const double fpr : {0.1, 0.01, 0x1p-14}) {
      auto filter = make_empty<TypeParam>(kKeys, Hasher(), fpr);
      for (std::uint64_t i = 0; i < kKeys; ++i) ASSERT_TRUE(is_ok(filter.insert(own_key(i))));
      EXPECT_EQ(filter.false_negative_rate(), 0);
      for (std::uint64_t i = 0; i < kKeys / 2; ++i) (void)filter.erase(own_key(i));
      std::uint64_t hidden = 0;
      for (std::uint64_t i = kKeys / 2; i < kKeys; ++i)
        hidden += filter.may_contain(own_key(i)) ? 0 : 1;
      EXPECT_TRUE(is_plausible(hidden, kKeys / 2, filter.false_negative_rate()))
          << hidden << " at " << filter.false_negative_rate();
      // An insert that could not be found again is refused, and nothing changes.
      const Bytes before = wire_bytes(filter);
      for (std::uint64_t i = 0; i < 100; ++i) {
        EXPECT_FALSE(filter.may_contain(own_key(i)));
        EXPECT_EQ(filter.insert(own_key(i)).status(), Status::kTombstoned);
        EXPECT_EQ(filter.insert(Hasher()(own_key(i))).status(), Status::kTombstoned);
      }
      EXPECT_EQ(wire_bytes(filter), before);
    }
  } else {
    EXPECT_FALSE(has_trait<TypeParam>(kTombstones));
  }
}

// A locked key stays after any call, and can be added again.
TYPED_TEST(EraseContract, LockedKeysStay) {
  if constexpr (has_trait<TypeParam>(kLocks)) {
    for (const Hasher& hasher : hashers_of<TypeParam>()) {
      auto filter = make_filled<TypeParam>(200, hasher);
      for (std::uint64_t i = 0; i < 200; ++i) add(filter, i);  // the second time locks
      const Bytes before = wire_bytes(filter);
      for (std::uint64_t i = 0; i < 200; ++i) {
        EXPECT_EQ(filter.erase(own_key(i)).status(), Status::kNotDeletable);
        EXPECT_EQ(filter.erase(hasher(own_key(i))).status(), Status::kNotDeletable);
      }
      EXPECT_EQ(wire_bytes(filter), before);
    }
  }
}

// If copies are held, the bytes are those of the keys that are left, after any inserts and erases.
// At the end there are none.
TYPED_TEST(EraseContract, WithoutKeysItIsEmptyAgain) {
  if constexpr (has_trait<TypeParam>(kCopies)) {
    for (const Hasher& hasher : hashers_of<TypeParam>()) {
      const Bytes fresh = wire_bytes(make_empty<TypeParam>(200, hasher, 1e-6));
      auto filter = make_empty<TypeParam>(200, hasher, 1e-6);
      for (int round = 0; round < 3; ++round) {
        for (std::uint64_t i = 0; i < 90; ++i) {
          add(filter, i);
          add(filter, i);
        }
        EXPECT_EQ(filter.count(), 180u);
        for (std::uint64_t i = 0; i < 180; ++i) {
          const Result<bool> erased = filter.erase(own_key(i * 7 % 90));
          ASSERT_TRUE(erased.ok() && *erased);
          // The second copy is there until the second erase.
          ASSERT_EQ(filter.may_contain(own_key(i * 7 % 90)), i < 90);
        }
        EXPECT_EQ(wire_bytes(filter), fresh);
      }
    }
  }
}

// There are more copies than a counter holds. The key stays for good, no other is lost, and the
// count goes on, down to 0.
TYPED_TEST(EraseContract, AStuckCounterNeverFalls) {
  if constexpr (Counted<TypeParam>) {
    for (const Hasher& hasher : hashers_of<TypeParam>()) {
      auto filter = make_filled<TypeParam>(50, hasher, 100);
      const std::uint32_t most = stuck_at(filter);
      for (std::uint32_t copies = 1; copies <= most + 2; ++copies) {
        EXPECT_GE(filter.count_of(own_key(0)), std::min(copies, most));
        add(filter, 0);
      }
      ASSERT_EQ(filter.count_of(own_key(0)), most);
      const std::uint64_t count = filter.count();
      for (std::uint64_t i = 1; i <= count + 3; ++i) {
        const Result<bool> erased = filter.erase(own_key(0));
        ASSERT_TRUE(erased.ok() && *erased);
        EXPECT_EQ(filter.count(), count - std::min(i, count));
        EXPECT_EQ(filter.count_of(own_key(0)), most);
      }
      for (std::uint64_t i = 0; i < 50; ++i) ASSERT_TRUE(filter.may_contain(own_key(i)));
      EXPECT_EQ(filter.validate(), Status::kOk);
    }
  }
}

}  // namespace
}  // namespace tamis::test
