// tamis/hash/bloom_scheme.hpp - the schemes of Bloom filters, a row each.
//
// What needs the key itself is found by find_bloom_scheme alone. So a build may have fewer schemes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <tamis/hash.hpp>

namespace tamis::detail {

// The key whose positions are wanted, and where they go. It is handed over by reference. A span that is
// copied is written to memory in halves and read whole, and a processor waits for that.
struct PositionRequest {
  Key key;
  std::uint64_t seed;
  std::uint64_t bits;
  // Where they are written to.
  std::span<std::uint64_t> out;
  // The bits that are looked up; nullptr where the positions are wanted, set or not.
  const std::uint64_t* words;

  // Takes one position after the other. False where the bit is not set, so that no further position
  // matters.
  [[nodiscard, gnu::always_inline]] bool put(std::size_t i, std::uint64_t position) const noexcept {
    out[i] = position;
    return words == nullptr ||
           (words[static_cast<std::size_t>(position / 64)] >> (position % 64) & 1) != 0;
  }
};

struct BloomScheme {
  // Puts as many of the key's positions as there is room for, each below its bits. False for a key that
  // is certainly not in, or never can be. nullptr where the positions follow from one hash.
  bool (*find_positions)(const PositionRequest& request) noexcept = nullptr;
  // What seed and geometry must be besides the two below; nullptr for nothing.
  bool (*is_allowed)(std::uint64_t seed, std::uint64_t bits,
                     std::uint32_t hashes) noexcept = nullptr;
  // One less than the power of two that the number of bits is a multiple of.
  std::uint8_t step_mask = 0;
  // The same of the bits that a capacity and a rate are given.
  std::uint8_t sizing_mask = step_mask;
  // The only number of hashes; 0 for any.
  std::uint8_t hashes = 0;
};

// nullptr for an id that no scheme of this build has (src/hash/scheme_table.cpp).
[[nodiscard]] const BloomScheme* find_bloom_scheme(HashId id) noexcept;

// The hash of a key in the split blocks of kParquet.
[[nodiscard]] std::uint64_t hash_of_block(Key key) noexcept;

}  // namespace tamis::detail
