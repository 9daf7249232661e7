// tamis/hash/bloom_scheme.hpp - the schemes of Bloom filters, one row each.
//
// Only find_bloom_scheme finds the schemes that need the key itself. So a build may have fewer
// schemes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <tamis/hash.hpp>

namespace tamis::detail {

// A key, and the place for its positions. It is passed by reference. A copied span is written to
// memory in halves and read whole, and a processor waits for that.
struct PositionRequest {
  Key key;
  std::uint64_t seed;
  std::uint64_t bits;
  // The positions are written here.
  std::span<std::uint64_t> out;
  // The bits that are looked up, or nullptr if all positions are wanted, set or not.
  const std::uint64_t* words;

  // Takes one position after the other. False if the bit is not set, so that no further position
  // matters.
  [[nodiscard, gnu::always_inline]] bool put(std::size_t i, std::uint64_t position) const noexcept {
    out[i] = position;
    return words == nullptr ||
           (words[static_cast<std::size_t>(position / 64)] >> (position % 64) & 1) != 0;
  }
};

struct BloomScheme {
  // Writes the key's positions below `bits` until `out` is full. False for a key that is certainly
  // not in, or never can be. nullptr if the positions follow from one hash.
  bool (*find_positions)(const PositionRequest& request) noexcept = nullptr;
  // The conditions for seed and geometry besides the next members, or nullptr for none.
  bool (*is_allowed)(std::uint64_t seed, std::uint64_t bits,
                     std::uint32_t hashes) noexcept = nullptr;
  // The number of bits is a multiple of a power of two. This is one less than that power.
  std::uint8_t step_mask = 0;
  // The same for the bits that are computed from a capacity and a rate.
  std::uint8_t sizing_mask = step_mask;
  // The only number of hashes, or 0 for any.
  std::uint8_t hashes = 0;
};

// Gives nullptr if no scheme of this build has the id (src/hash/scheme_table.cpp).
[[nodiscard]] const BloomScheme* find_bloom_scheme(HashId id) noexcept;

// The hash of a key in the split blocks of kParquet.
[[nodiscard]] std::uint64_t hash_of_block(Key key) noexcept;

}  // namespace tamis::detail
