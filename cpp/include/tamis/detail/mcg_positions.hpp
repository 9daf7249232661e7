// tamis/detail/mcg_positions.hpp - from the mixed hash of a key to its positions in an array: what
// Bloom filters of bits and of counters share.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include <tamis/hash.hpp>
#include <tamis/limits.hpp>

namespace tamis {

// Steps through a key's positions under the scheme `mcg`, a multiplicative congruential generator:
// x = g. A position is the high part of x times m; then x is multiplied. Free of the filter, so
// that sizes above 2^32 bits can be tested without the memory.
class McgPositions {
 public:
  McgPositions(std::uint64_t g, std::uint64_t bits) noexcept : x_(g), bits_(bits) {}

  [[nodiscard]] std::uint64_t next() noexcept {
    const std::uint64_t position = reduce(x_, bits_);
    x_ *= kMultiplier;
    return position;
  }

 private:
  // Of good spectral figures modulo 2^64 in every dimension to 8 (Steele and Vigna 2022).
  static constexpr std::uint64_t kMultiplier = 0xf1357aea2e62a9c5;

  std::uint64_t x_;
  std::uint64_t bits_;
};

// Whether test(position) holds of all of a key's positions. The first few together: half of all
// absent keys end at each, and a branch there would be mispredicted as often.
template <class Test>
[[nodiscard]] inline bool holds_of_all(std::uint64_t g, std::uint64_t bits, std::uint32_t hashes,
                                       Test test) noexcept {
  McgPositions probe(g, bits);
  const std::uint32_t together = std::min<std::uint32_t>(hashes, 3);
  bool holds = true;
  for (std::uint32_t i = 0; i < together; ++i) holds &= test(probe.next());
  for (std::uint32_t i = together; holds && i < hashes; ++i) holds = test(probe.next());
  return holds;
}

// The positions of one key without repetition, in the order of their first appearance.
class DistinctPositions {
 public:
  DistinctPositions(std::uint64_t g, std::uint64_t bits, std::uint32_t hashes) noexcept {
    McgPositions probe(g, bits);
    for (std::uint32_t i = 0; i < hashes; ++i) {
      const std::uint64_t position = probe.next();
      if (std::find(begin(), end(), position) == end()) positions_[size_++] = position;
    }
  }

  [[nodiscard]] const std::uint64_t* begin() const noexcept { return positions_.data(); }
  [[nodiscard]] const std::uint64_t* end() const noexcept { return positions_.data() + size_; }

 private:
  // Not zeroed: this is made for each key.
  std::array<std::uint64_t, sizing::kMaxHashes> positions_;
  std::uint32_t size_ = 0;
};

}  // namespace tamis
