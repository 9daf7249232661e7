// Builds of binary fuse filters: any number of keys, keys of any pattern, and hashes that were
// chosen to collide.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>

#include "contract/static_sweeps.hpp"
#include "filters/binary_fuse_samples.hpp"

namespace tamis::test {
namespace {

// fuse() looks up every key. At 11,480 to 11,521 keys, as at 37,453, the published segments have
// just grown, and builds are known to fail. long/static_long_test.cpp builds with every number up to
// 20,000.
TEST(BinaryFuseBuild, AnyNumberOfKeys) {
  const auto builds = [](std::uint64_t keys, std::uint32_t arity) {
    const auto filter = fuse(fuse_hashes(keys, keys), fuse_config(8, arity));
    EXPECT_EQ(filter.count(), keys);
    EXPECT_EQ(filter.arity(), arity);
    EXPECT_EQ(filter.validate(), Status::kOk);
    EXPECT_LT(attempt_of(filter), 16u) << keys << " keys, arity " << arity;
    const auto decoded = decode<BinaryFuseFilter>(wire_bytes(filter));
    ASSERT_TRUE(decoded.ok()) << keys;
  };
  for (const std::uint32_t arity : {3u, 4u}) {
    for (std::uint64_t keys = 0; keys <= 300; ++keys) builds(keys, arity);
    for (std::uint64_t keys = 310; keys <= 2'000; keys += 10) builds(keys, arity);
    for (std::uint64_t keys = 2'500; keys <= 20'000; keys += 500) builds(keys, arity);
    for (std::uint64_t keys = 11'190; keys <= 11'550; keys += 40) builds(keys, arity);
    builds(37'453, arity);
    builds(100'000, arity);
  }
}

TEST(BinaryFuseBuild, TheArityThatSuitsTheNumber) {
  EXPECT_EQ(fuse({}, fuse_config(8)).arity(), 3u);
  EXPECT_EQ(fuse(fuse_hashes(99'999), fuse_config(8)).arity(), 3u);
  EXPECT_EQ(fuse(fuse_hashes(100'000), fuse_config(8)).arity(), 4u);
}

TEST(BinaryFuseBuild, KeysOfAnyPattern) {
  for (const std::uint32_t arity : {3u, 4u}) {
    for (const std::uint64_t keys : {10u, 1'000u, 20'000u}) {
      Hashes low, high, ends;
      for (std::uint64_t i = 0; i < keys; ++i) {
        low.push_back(i);
        high.push_back(i << 32);
        ends.push_back(bits_reversed(i));
      }
      for (const Hashes& hashes : {low, high, ends}) {
        const auto filter = fuse(hashes, fuse_config(8, arity));
        EXPECT_EQ(filter.count(), keys);
        EXPECT_LT(attempt_of(filter), 16u);
      }
    }
  }
}

TEST(BinaryFuseBuild, EverySeed) {
  std::map<std::uint32_t, int> attempts;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const std::uint64_t given = seed < 2 ? seed - 1 : fmix64(seed);
    const auto filter = fuse(fuse_hashes(500), fuse_config(8, 3, Hasher(HashId::kXxh3, given)));
    ++attempts[attempt_of(filter, given)];
  }
  EXPECT_GT(attempts[0], 0);
  EXPECT_GT(attempts[1], 0) << "another seed was never needed: the tables could be smaller";
  EXPECT_EQ(attempts[sizing::kFuseAttempts], 0) << "a seed that no attempt has";
}

// The hash with this g at this attempt, if the seed is 0.
std::uint64_t hash_with(std::uint64_t g, std::uint32_t attempt) {
  return unfmix64(g) - (attempt == 0 ? 0 : attempt_seed(0, 0, attempt));
}

// More keys than a byte can count, all with the same slots. So the build needs another seed.
TEST(BinaryFuseHostile, AllKeysInTheSameSlots) {
  for (const std::uint32_t arity : {3u, 4u}) {
    for (const std::uint64_t keys : {2u, 40u, 256u, 257u, 300u}) {
      const auto shape = sizing::fuse_shape(keys, arity, 0);
      const FusePlaces places(shape);
      const auto first = places.slots(fmix64(1));
      Hashes hashes;
      for (std::uint64_t i = 0; hashes.size() < keys; ++i) {
        const std::uint64_t g = (fmix64(1) >> 32 << 32) | i;  // slot 0 is that of fmix64(1)
        const auto slots = places.slots(g);
        if (std::equal(slots.begin(), slots.begin() + arity, first.begin()))
          hashes.push_back(hash_with(g, 0));
      }
      const auto filter = fuse(hashes, fuse_config(8, arity));
      EXPECT_EQ(filter.count(), keys);
      EXPECT_GT(attempt_of(filter), 0u);
      EXPECT_LT(attempt_of(filter), 20u);
    }
  }
}

// For each attempt there are two keys with the same slots, so no attempt can succeed.
TEST(BinaryFuseHostile, CollisionsAtEveryAttemptAreAnError) {
  for (const std::uint32_t arity : {3u, 4u}) {
    constexpr std::uint64_t kKeys = 2 * sizing::kFuseAttempts;
    Hashes hashes;
    std::uint64_t next = 0;
    for (std::uint32_t attempt = 0; attempt < sizing::kFuseAttempts; ++attempt) {
      const FusePlaces places(sizing::fuse_shape(kKeys, arity, attempt));
      std::map<FusePlaces::Slots, std::uint64_t> seen;
      for (;;) {
        const std::uint64_t g = splitmix64(++next);
        auto slots = places.slots(g);
        if (arity == 3) slots[3] = 0;
        const auto [other, is_new] = seen.try_emplace(slots, g);
        if (is_new) continue;
        hashes.push_back(hash_with(g, attempt));
        hashes.push_back(hash_with(other->second, attempt));
        break;
      }
    }
    Hashes keys = hashes;
    EXPECT_EQ(BinaryFuseFilter::build(fuse_config(8, arity), keys).status(), Status::kBuildFailed);
    // Another seed given makes other attempts.
    fuse(hashes, fuse_config(8, arity, Hasher(HashId::kXxh3, 1)));
    // Without one of the pairs its attempt may succeed. One more key replaces it, and keeps the
    // tables.
    Hashes without = hashes;
    for (std::uint32_t attempt = 0; attempt < 20; ++attempt) {
      without[2 * attempt] = splitmix64(++next);
    }
    EXPECT_LT(attempt_of(fuse(without, fuse_config(8, arity))), 20u);
  }
}

}  // namespace
}  // namespace tamis::test
