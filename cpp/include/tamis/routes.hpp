// tamis/routes.hpp - from the hash of a key to its page, its shard, and its bits in a block.
//
// A set that is divided by its keys needs a mix of its own, since all keys of one page have the same
// route. If the route were the filter's g, a page's filter would see a small part of all g. Its rate
// would be wrong. So a constant changes the seed, and the seed is mixed before it meets the hash.
#pragma once

#include <cstdint>
#include <span>

#include <tamis/hash.hpp>

namespace tamis {

// The constants that change the seed: the first 8 bytes, the highest first, of SHA-256("tamis
// pages") and of SHA-256("tamis shards").
enum class Route : std::uint64_t { kPage = 0x822a5403944b7272, kShard = 0x073fe97d2f06ecab };

// The largest number of pages, shards or blocks.
inline constexpr std::uint32_t kMaxPlaces = std::uint32_t{1} << 31;

// The number that is added to a hash before it is mixed.
[[nodiscard]] constexpr std::uint64_t route_seed(Route route, std::uint64_t seed) noexcept {
  return splitmix64(seed ^ static_cast<std::uint64_t>(route));
}

// The place of a key, below `places`: floor(fmix64(h + route_seed) places / 2^64).
[[nodiscard]] constexpr std::uint32_t route_of(Hash hash, Route route, std::uint64_t seed,
                                               std::uint32_t places) noexcept {
  const std::uint64_t mixed = fmix64(static_cast<std::uint64_t>(hash) + route_seed(route, seed));
  return static_cast<std::uint32_t>(mulhi_narrow(mixed, places));
}

// Computes route_of() for each hash.
void routes_of(std::span<const Hash> hashes, Route route, std::uint64_t seed, std::uint32_t places,
               std::uint32_t* out) noexcept;

// The count of numbers that block_routes_of() gives for a key.
inline constexpr std::uint32_t kBlockNumbers = 9;

// Gives for each hash its block among `blocks` of BlockedBloomFilter, and the key's eight bits in
// it. Bit 32 i + j is bit j of lane i.
void block_routes_of(std::span<const Hash> hashes, std::uint64_t seed, std::uint32_t blocks,
                     std::uint32_t* out) noexcept;

}  // namespace tamis
