// Routes against 128-bit arithmetic, and against the bits that BlockedBloomFilter sets.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include <tamis/filters/blocked_bloom.hpp>
#include <tamis/routes.hpp>
#include "support/container.hpp"

namespace tamis::test {
namespace {

constexpr std::uint64_t kSeeds[] = {0, 1, 0x123456789abcdef0, ~std::uint64_t{0}};

std::vector<std::uint64_t> some_hashes(std::size_t count) {
  std::vector<std::uint64_t> hashes(count);
  for (std::size_t i = 0; i < count; ++i) hashes[i] = splitmix64(i);
  hashes.front() = 0;
  hashes.back() = ~std::uint64_t{0};
  return hashes;
}

TEST(Routes, AreTheHighPartOfAProduct) {
  __extension__ using Wide = unsigned __int128;
  const auto hashes = some_hashes(5000);
  std::vector<std::uint32_t> places(hashes.size());
  for (const Route route : {Route::kPage, Route::kShard}) {
    for (const std::uint64_t seed : kSeeds) {
      for (const std::uint32_t count : {1u, 2u, 3u, 83'334u, kMaxPlaces - 1, kMaxPlaces}) {
        routes_of(to_hashes(hashes), route, seed, count, places.data());
        const std::uint64_t added = splitmix64(seed ^ static_cast<std::uint64_t>(route));
        for (std::size_t i = 0; i < hashes.size(); ++i) {
          const Wide product = Wide{fmix64(hashes[i] + added)} * count;
          ASSERT_EQ(places[i], static_cast<std::uint32_t>(product >> 64));
          ASSERT_EQ(places[i], route_of(Hash{hashes[i]}, route, seed, count));
        }
      }
    }
  }
}

// The pages of one list and the shards of another say nothing of each other.
TEST(Routes, DifferByTheirConstantsAndSeeds) {
  const Hash hash{1};
  EXPECT_NE(route_seed(Route::kPage, 0), route_seed(Route::kShard, 0));
  EXPECT_NE(route_of(hash, Route::kPage, 0, kMaxPlaces),
            route_of(hash, Route::kPage, 1, kMaxPlaces));
  EXPECT_NE(route_of(hash, Route::kPage, 0, kMaxPlaces),
            route_of(hash, Route::kShard, 0, kMaxPlaces));
}

// In a page's filter every g occurs, as it does in a filter of all keys.
TEST(Routes, LeaveTheMixOfAFilterEven) {
  constexpr std::uint32_t kPages = 16, kParts = 16;
  std::array<std::uint32_t, kParts> found{};
  std::uint32_t all = 0;
  for (const std::uint64_t hash : some_hashes(160'000)) {
    if (route_of(Hash{hash}, Route::kPage, 0, kPages) != 5) continue;
    ++found[reduce(fmix64(hash), kParts)];
    ++all;
  }
  // Six standard deviations of a binomial count.
  const double mean = static_cast<double>(all) / kParts;
  for (const std::uint32_t part : found) EXPECT_NEAR(part, mean, 6 * std::sqrt(mean));
}

TEST(Routes, GiveTheBitsOfABlockedBloomFilter) {
  const auto hashes = some_hashes(3000);
  std::vector<std::uint32_t> numbers(kBlockNumbers * hashes.size());
  for (const std::uint64_t seed : kSeeds) {
    for (const std::uint32_t blocks : {1u, 7u, 1000u}) {
      block_routes_of(to_hashes(hashes), seed, blocks, numbers.data());
      std::vector<std::uint32_t> words(8 * blocks);
      auto filter =
          Access::of_blocks<BlockedBloomFilter>(blocks, 3000, Hasher(HashId::kXxh3, seed));
      ASSERT_TRUE(filter.ok());
      for (std::size_t i = 0; i < hashes.size(); ++i) {
        const std::uint32_t* of_key = numbers.data() + kBlockNumbers * i;
        ASSERT_LT(of_key[0], blocks);
        for (std::uint32_t lane = 0; lane < 8; ++lane) {
          ASSERT_EQ(of_key[1 + lane] / 32, lane);
          words[8 * of_key[0] + lane] |= std::uint32_t{1} << of_key[1 + lane] % 32;
        }
        filter->insert(Hash{hashes[i]});
        if (i % 500 != 0 && i + 1 != hashes.size()) continue;
        ASSERT_TRUE(std::ranges::equal(Access::words(*filter), words));
      }
    }
  }
}

// The most places that there may be, as the block too.
TEST(Routes, ReachTheLastPlace) {
  std::uint32_t numbers[kBlockNumbers];
  const std::uint64_t last = unfmix64(~std::uint64_t{0});
  const Hash hashes[] = {Hash{last}, Hash{last - route_seed(Route::kPage, 7)}};
  block_routes_of({hashes, 1}, 0, kMaxPlaces, numbers);
  EXPECT_EQ(numbers[0], kMaxPlaces - 1);
  std::uint32_t place = 0;
  routes_of({hashes + 1, 1}, Route::kPage, 7, kMaxPlaces, &place);
  EXPECT_EQ(place, kMaxPlaces - 1);
}

}  // namespace
}  // namespace tamis::test
