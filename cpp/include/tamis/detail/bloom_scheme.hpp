// tamis/detail/bloom_scheme.hpp - what the schemes of BloomFilter have of their own.
//
// One table names all that need the key itself. So the wasm can be cut into BloomFilter with `mcg`
// and a part per scheme: a part brings its word of the table along.
#pragma once

#include <cstdint>
#include <span>

#include <tamis/hash.hpp>

namespace tamis::detail {

struct BloomScheme {
  // Fills `out` with a key's positions, which are below `bits`. nullptr where they follow from one
  // hash.
  void (*find_positions)(Key key, std::uint64_t seed, std::uint64_t bits,
                         std::span<std::uint64_t> out) noexcept = nullptr;
  // What the geometry must be besides the two below; nullptr for nothing.
  bool (*is_allowed)(std::uint64_t bits, std::uint32_t hashes) noexcept = nullptr;
  // What the number of bits is a multiple of.
  std::uint32_t bits_step = 1;
  // The only number of hashes; 0 for any.
  std::uint32_t hashes = 0;
};

// nullptr for an id that no loaded scheme has.
[[nodiscard]] const BloomScheme* find_bloom_scheme(HashId id) noexcept;

}  // namespace tamis::detail
