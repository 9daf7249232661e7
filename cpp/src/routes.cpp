#include <tamis/routes.hpp>

#include <utility>

#include <tamis/detail/split_block.hpp>

namespace tamis {
namespace {

// The lanes' constants are in the code, because the table of these constants belongs to the part of
// the wasm for blocked Bloom filters.
template <std::size_t... kLane>
void put_bits(std::uint32_t h, std::uint32_t* out, std::index_sequence<kLane...>) noexcept {
  ((out[kLane] = static_cast<std::uint32_t>(32 * kLane) + ((h * detail::kSalt[kLane]) >> 27)), ...);
}

}  // namespace

void routes_of(std::span<const Hash> hashes, Route route, std::uint64_t seed, std::uint32_t places,
               std::uint32_t* out) noexcept {
  for (const Hash hash : hashes) *out++ = route_of(hash, route, seed, places);
}

void block_routes_of(std::span<const Hash> hashes, std::uint64_t seed, std::uint32_t blocks,
                     std::uint32_t* out) noexcept {
  for (const Hash hash : hashes) {
    const std::uint64_t g = fmix64(static_cast<std::uint64_t>(hash) + seed);
    *out++ = static_cast<std::uint32_t>(reduce(g, blocks));
    put_bits(static_cast<std::uint32_t>(g), out, std::make_index_sequence<detail::kLanes>());
    out += detail::kLanes;
  }
}

}  // namespace tamis
