// Promises of every type of structures.def that is built once. The sweeps are a part of those in
// long/static_long_test.cpp, as far as the sanitizers have the time.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "contract/static_sweeps.hpp"

namespace tamis::test {
namespace {

template <class F>
class StaticContract : public ::testing::Test {
 protected:
  static Bytes bytes_of_build(const Hashes& hashes, const Hasher& hasher) {
    const auto built = build<F>(config_for<F>(0, hasher), hashes);
    EXPECT_TRUE(built.ok()) << code(built.status());
    return built.ok() ? wire_bytes(*built) : Bytes();
  }
};
TYPED_TEST_SUITE(StaticContract, BuiltOnceTypes);

TYPED_TEST(StaticContract, EveryTenthNumberOfKeysBuilds) {
  sweep<TypeParam>(0, 70, 1, 4);
  sweep<TypeParam>(80, 2'000, 10, 1);
}

TYPED_TEST(StaticContract, ThePlateauEdgesBuild) { sweep_plateau_edges<TypeParam>(40, 1); }

TYPED_TEST(StaticContract, NoFalseNegative) {
  for (const Hasher& hasher : hashers_of<TypeParam>()) {
    for (const KeyFamily family : kKeyFamilies) {
      for (const std::uint64_t keys : {1u, 2u, 3u, 7u, 100u, 2'000u}) {
        Hashes hashes;
        for (std::uint64_t i = 0; i < keys; ++i) {
          hashes.push_back(static_cast<std::uint64_t>(hasher(make_key(family, 0, i))));
        }
        const auto built = build<TypeParam>(config_for<TypeParam>(keys, hasher), hashes);
        ASSERT_TRUE(built.ok()) << code(built.status());
        EXPECT_EQ(built->count(), keys);
        for (std::uint64_t i = 0; i < keys; ++i) {
          ASSERT_TRUE(holds(*built, hashes[i])) << name_of(hasher) << ", key " << i;
          const Bytes key = make_key(family, 0, i);
          ASSERT_TRUE(built->may_contain(key)) << name_of(hasher) << ", key " << i;
        }
      }
    }
  }
}

TYPED_TEST(StaticContract, AwkwardKeysAreKeys) {
  const std::vector<Bytes> keys = awkward_keys();
  for (const Hasher& hasher : hashers_of<TypeParam>()) {
    Hashes hashes;
    for (const Bytes& key : keys) {
      hashes.push_back(static_cast<std::uint64_t>(hasher(HeapCopy(key).span())));
    }
    const auto built = build<TypeParam>(config_for<TypeParam>(0, hasher), hashes);
    ASSERT_TRUE(built.ok()) << code(built.status());
    EXPECT_EQ(built->count(), keys.size());
    for (const Bytes& key : keys) {
      EXPECT_TRUE(built->may_contain(HeapCopy(key).span())) << key.size();
    }
  }
}

TYPED_TEST(StaticContract, WithoutKeysItContainsNothing) {
  for (const Hasher& hasher : hashers_of<TypeParam>()) {
    for (const auto& config : variants<TypeParam>(hasher, 0)) {
      const auto built = build<TypeParam>(config, {});
      ASSERT_TRUE(built.ok()) << code(built.status());
      const auto again = decode<TypeParam>(wire_bytes(*built), {.key = key_for(hasher.id())});
      ASSERT_TRUE(again.ok()) << code(again.status());
      for (const TypeParam* empty : {&*built, &*again}) {
        EXPECT_EQ(empty->count(), 0u);
        EXPECT_EQ(empty->size_bytes(), 0u);
        EXPECT_EQ(empty->validate(), Status::kOk);
        EXPECT_EQ(empty->estimated_fpr(), 0);
        const Hashes absent_keys = even_hashes(10'000, 7);
        ask_batch(*empty, absent_keys);
        EXPECT_TRUE(std::ranges::none_of(absent_keys,
                                         [&](std::uint64_t hash) { return claims(*empty, hash); }));
        // The hash that mixes to 0 is an absent key as any other.
        EXPECT_FALSE(claims(*empty, std::uint64_t{0} - hasher.seed()));
        for (const Bytes& key : awkward_keys()) EXPECT_FALSE(empty->may_contain(key));
      }
    }
  }
}

TYPED_TEST(StaticContract, CopiesOfAKeyAreOneKey) {
  for (const std::uint64_t keys : {1u, 2u, 3u, 40u, 1'500u}) {
    const Hashes distinct = even_hashes(keys, keys);
    const Hasher hasher(HashId::kXxh3, 3);
    const Bytes expected = this->bytes_of_build(distinct, hasher);
    for (const std::size_t copies : {2u, 3u, 70u}) {
      Hashes in_turn, in_runs;
      for (std::size_t copy = 0; copy < copies; ++copy) {
        in_turn.insert(in_turn.end(), distinct.begin(), distinct.end());
      }
      for (const std::uint64_t hash : distinct) in_runs.insert(in_runs.end(), copies, hash);
      EXPECT_EQ(this->bytes_of_build(in_turn, hasher), expected) << keys << " x " << copies;
      EXPECT_EQ(this->bytes_of_build(in_runs, hasher), expected) << keys << " x " << copies;
    }
    // One of them many times.
    Hashes one_often = distinct;
    one_often.insert(one_often.end(), 5'000, distinct.front());
    EXPECT_EQ(this->bytes_of_build(one_often, hasher), expected) << keys;
  }
}

TYPED_TEST(StaticContract, AllEqualIsOneKey) {
  for (const std::uint64_t hash : {std::uint64_t{0}, ~std::uint64_t{0}, fmix64(1)}) {
    const Bytes expected = this->bytes_of_build({hash}, Hasher());
    for (const std::size_t copies : {2u, 64u, 65u, 1'000u, 100'000u}) {
      EXPECT_EQ(this->bytes_of_build(Hashes(copies, hash), Hasher()), expected) << copies;
    }
  }
}

TYPED_TEST(StaticContract, AnyOrderGivesTheSameBytes) {
  for (const std::uint64_t keys : {2u, 64u, 65u, 1'000u, 45'000u}) {
    Hashes hashes = even_hashes(keys, 5);
    const Bytes expected = this->bytes_of_build(hashes, Hasher());
    std::ranges::reverse(hashes);
    EXPECT_EQ(this->bytes_of_build(hashes, Hasher()), expected) << keys;
    std::ranges::sort(hashes);
    EXPECT_EQ(this->bytes_of_build(hashes, Hasher()), expected) << keys;
    for (std::uint64_t i = keys - 1; i > 0; --i) std::swap(hashes[i], hashes[fmix64(i) % (i + 1)]);
    EXPECT_EQ(this->bytes_of_build(hashes, Hasher()), expected) << keys;
  }
}

TYPED_TEST(StaticContract, ASeedGivesTheSameBytesAndAnotherOthers) {
  for (const std::uint64_t keys : {1u, 10u, 1'000u, 40'000u}) {
    const Hashes hashes = even_hashes(keys, 9);
    std::vector<Bytes> all;
    for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
      const Hasher hasher(HashId::kXxh3, seed);
      all.push_back(this->bytes_of_build(hashes, hasher));
      EXPECT_EQ(this->bytes_of_build(hashes, hasher), all.back()) << keys << ", seed " << seed;
      // The payloads differ, and not the headers alone.
      for (std::size_t other = 0; other + 1 < all.size() && keys > 1; ++other) {
        EXPECT_FALSE(std::equal(all[other].begin() + kHeaderBytes, all[other].end(),
                                all.back().begin() + kHeaderBytes, all.back().end()))
            << keys << ", seed " << seed;
      }
    }
  }
}

TYPED_TEST(StaticContract, NumbersInsteadOfHashesBuild) {
  for (const std::uint64_t keys : {1u, 50u, 64u, 65u, 1'000u, 12'000u, 40'000u}) {
    for (const std::uint64_t seed : {std::uint64_t{0}, fmix64(keys)}) {
      const Hasher hasher(HashId::kXxh3, seed);
      const auto expect_numbers = [&](const char* what, auto number) {
        Hashes hashes(keys);
        for (std::uint64_t i = 0; i < keys; ++i) hashes[i] = number(i);
        expect_builds<TypeParam>(hashes, hasher, 7, std::to_string(keys) + ", " + what);
      };
      expect_numbers("i", [](std::uint64_t i) { return i; });
      expect_numbers("i << 32", [](std::uint64_t i) { return i << 32; });
      expect_numbers("i << 47", [](std::uint64_t i) { return i << 47; });
      expect_numbers("bit-reversed i", bits_reversed);
      expect_numbers("-i", [](std::uint64_t i) { return ~i; });
      expect_numbers("i squared", [](std::uint64_t i) { return i * i; });
    }
  }
}

// The hashes make keys meet in one place of the structure, at the first attempt and then at each of
// the first 64. The attempts end, and a structure that was built holds its keys.
TYPED_TEST(StaticContract, ChosenHashesEndInAnAnswer) {
  for (const unsigned shift : {0u, 8u, 20u, 32u}) {
    for (const std::uint64_t attempts : {1u, 2u, 65u}) {
      Hashes hashes;
      for (std::uint64_t attempt = 0; attempt < attempts; ++attempt) {
        const std::uint64_t seed =
            attempt == 0 ? 0 : attempt_seed(0, 0, static_cast<std::uint32_t>(attempt - 1));
        const std::uint64_t place = fmix64(shift + 100 * attempt) << 32;
        for (std::uint64_t i = 0; i < 200; ++i)
          hashes.push_back(unfmix64(place + (i << shift)) - seed);
      }
      for (const auto& config : variants<TypeParam>(Hasher(), 7)) {
        const auto built = build<TypeParam>(config, hashes);
        if (built.ok()) {
          EXPECT_TRUE(holds_all(*built, hashes)) << attempts << " attempts";
        } else {
          EXPECT_EQ(built.status(), Status::kBuildFailed) << code(built.status());
        }
      }
    }
  }
}

TYPED_TEST(StaticContract, HashedBeforehandAndInBatchesIsTheSame) {
  for (const Hasher& hasher : hashers_of<TypeParam>()) {
    for (const std::uint64_t keys : {0u, 1u, 300u}) {
      const auto built = make_filled<TypeParam>(keys, hasher);
      for (std::uint64_t i = 0; i < 2 * keys + 100; ++i) {
        const Bytes key = own_key(i);
        ASSERT_EQ(built.may_contain(key), built.may_contain(hasher(key)));
        if constexpr (StaticMap<TypeParam>) ASSERT_EQ(built.get(key), built.get(hasher(key)));
      }
      for (std::uint64_t size = 0; size <= 100; ++size) {
        Hashes hashes = own_hashes(hasher, size);
        hashes.shrink_to_fit();
        ask_batch(built, hashes);
      }
    }
  }
}

TYPED_TEST(StaticContract, TheRateOfEveryWidth) {
  for (const std::uint64_t keys : {20u, 700u, 5'000u}) sweep_rates<TypeParam>(keys, 1, 32, 10'000);
}

}  // namespace
}  // namespace tamis::test
