// tamis/hash/bloom_scheme.hpp - one row for each scheme of Bloom filters.
//
// Only find_bloom_scheme refers to the schemes that need the key itself, so a build that
// replaces it can contain fewer of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <tamis/hash.hpp>

namespace tamis::detail {

// A key, and where to write its positions. It is passed by reference: a copied span would be
// written to memory in halves and read back whole, which makes a processor wait.
struct PositionRequest {
  Key key;
  std::uint64_t seed;
  std::uint64_t bits;
  // Where the positions are written.
  std::span<std::uint64_t> out;
  // For a look-up, the bits of the filter. With nullptr, all positions are stored, whether their
  // bits are set or not.
  const std::uint64_t* words;

  // Stores position i. False if its bit is not set, so that no further position matters.
  [[nodiscard, gnu::always_inline]] bool put(std::size_t i, std::uint64_t position) const noexcept {
    out[i] = position;
    return words == nullptr ||
           (words[static_cast<std::size_t>(position / 64)] >> (position % 64) & 1) != 0;
  }
};

struct BloomScheme {
  // Writes the key's positions, each below `bits`, until `out` is full. Returns false if the key is
  // certainly not in the filter, or can never be added. nullptr if the positions follow from one
  // hash.
  bool (*find_positions)(const PositionRequest& request) noexcept = nullptr;
  // Checks seed and geometry, in addition to the conditions in the next members. nullptr if there
  // is nothing more to check.
  bool (*is_allowed)(std::uint64_t seed, std::uint64_t bits,
                     std::uint32_t hashes) noexcept = nullptr;
  // The number of bits must be a multiple of a power of two, which is this number plus one.
  std::uint8_t step_mask = 0;
  // The same for a number of bits that is computed from a capacity and a rate.
  std::uint8_t sizing_mask = step_mask;
  // The only allowed number of hashes, or 0 if any is allowed.
  std::uint8_t hashes = 0;
};

// Returns nullptr if this build has no scheme with the id (src/hash/scheme_table.cpp).
[[nodiscard]] const BloomScheme* find_bloom_scheme(HashId id) noexcept;

// The hash of a key in a split-block filter with the scheme kParquet.
[[nodiscard]] std::uint64_t hash_of_block(Key key) noexcept;

}  // namespace tamis::detail
