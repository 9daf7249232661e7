// bindings/routes.cpp - the pages, shards or block bits (routes.hpp) of hashes in the scratch.

#include <tamis/routes.hpp>

#include "part.hpp"
#include "scratch.hpp"

namespace {

using namespace tamis;
using namespace tamis::bindings;

constexpr bool is_places(std::uint32_t places) noexcept {
  return places != 0 && places <= kMaxPlaces;
}

}  // namespace

// Writes the page or the shard of each hash to the scratch's values.
TAMIS_EXPORT("routes", "_tamis_route")
std::int32_t tamis_route(std::uint64_t seed, std::uint32_t is_shard, std::uint32_t places,
                         std::uint32_t count) {
  if (count > kBatchKeys || !is_places(places)) return negative(Status::kInvalidOption);
  const Route route = is_shard != 0 ? Route::kShard : Route::kPage;
  routes_of({scratch.hashes, count}, route, seed, places, scratch.values);
  return 0;
}

// Writes nine numbers for each hash, its block and its bits, to the scratch's bytes.
TAMIS_EXPORT("routes", "_tamis_route_blocks")
std::int32_t tamis_route_blocks(std::uint64_t seed, std::uint32_t blocks, std::uint32_t count) {
  constexpr std::size_t kMost = kScratchBytes / (kBlockNumbers * sizeof(std::uint32_t));
  if (count > kMost || count > kBatchKeys || !is_places(blocks))
    return negative(Status::kInvalidOption);
  block_routes_of({scratch.hashes, count}, seed, blocks,
                  reinterpret_cast<std::uint32_t*>(scratch.bytes));
  return 0;
}
