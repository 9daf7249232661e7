// tamis/routes.hpp - computes a key's page, its shard, or its bits in a block, from its hash.
//
// Pages and shards need their own mix of the hash. If the filter's g chose the page, the filter of
// a page would only see keys from a small range of g, and its rate would be wrong. So the seed is
// changed by a constant and mixed before it is added to the hash.
#pragma once

#include <cstdint>
#include <span>

#include <tamis/hash.hpp>

namespace tamis {

// The constants that change the seed: the first 8 bytes of SHA-256("tamis pages") and of
// SHA-256("tamis shards"), as big-endian numbers.
enum class Route : std::uint64_t { kPage = 0x822a5403944b7272, kShard = 0x073fe97d2f06ecab };

// The largest number of pages, shards or blocks.
inline constexpr std::uint32_t kMaxPlaces = std::uint32_t{1} << 31;

// The number that is added to a hash before the sum is mixed.
[[nodiscard]] constexpr std::uint64_t route_seed(Route route, std::uint64_t seed) noexcept {
  return splitmix64(seed ^ static_cast<std::uint64_t>(route));
}

// The page or shard of a key, below `places`: floor(fmix64(h + route_seed) places / 2^64).
[[nodiscard]] constexpr std::uint32_t route_of(Hash hash, Route route, std::uint64_t seed,
                                               std::uint32_t places) noexcept {
  const std::uint64_t mixed = fmix64(static_cast<std::uint64_t>(hash) + route_seed(route, seed));
  return static_cast<std::uint32_t>(mulhi_narrow(mixed, places));
}

// Computes route_of() for each hash.
void routes_of(std::span<const Hash> hashes, Route route, std::uint64_t seed, std::uint32_t places,
               std::uint32_t* out) noexcept;

// How many numbers block_routes_of() writes for each key.
inline constexpr std::uint32_t kBlockNumbers = 9;

// For each hash, writes its block among the `blocks` of a BlockedBloomFilter, and then the key's
// eight bits in that block: 32 i + j is bit j of lane i.
void block_routes_of(std::span<const Hash> hashes, std::uint64_t seed, std::uint32_t blocks,
                     std::uint32_t* out) noexcept;

}  // namespace tamis
