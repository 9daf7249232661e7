// tamis/detail/mcg_positions.hpp - from the mixed hash of a key to its positions in an array. Bloom
// filters of bits and of counters share it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include <tamis/hash.hpp>
#include <tamis/limits.hpp>

namespace tamis::detail {

// Steps through a key's positions under the scheme `mcg`, a multiplicative congruential generator
// that starts at x = g. A position is the high part of x times m. Then x is multiplied. The class
// is free of the filter, so that tests reach sizes above 2^32 bits without the memory.
class McgPositions {
 public:
  McgPositions(std::uint64_t g, std::uint64_t bits) noexcept : x_(g), bits_(bits) {}

  [[nodiscard]] std::uint64_t next() noexcept {
    const std::uint64_t position = reduce(x_, bits_);
    x_ *= kMultiplier;
    return position;
  }
  // The g from which the positions go on.
  [[nodiscard]] std::uint64_t state() const noexcept { return x_; }

 private:
  // It has good spectral figures modulo 2^64 in every dimension to 8 (Steele and Vigna 2022).
  static constexpr std::uint64_t kMultiplier = 0xf1357aea2e62a9c5;

  std::uint64_t x_;
  std::uint64_t bits_;
};

// True if test(position) holds for all of a key's positions. The first three are tested together,
// and then the others. Half of all absent keys end at each of them, so that a branch at each would
// often be mispredicted.
template <class Test>
[[nodiscard]] inline bool holds_of_all(std::uint64_t g, std::uint64_t bits, std::uint32_t hashes,
                                       Test test) noexcept {
  McgPositions probe(g, bits);
  bool holds = true;
  std::uint32_t i = 0;
  for (; i < 3 && i < hashes; ++i) holds &= test(probe.next());
  if (!holds) return false;
  for (; i < hashes; ++i) holds &= test(probe.next());
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
  // The array is not zeroed, since an object is made for each key.
  std::array<std::uint64_t, sizing::kMaxHashes> positions_;
  std::uint32_t size_ = 0;
};

}  // namespace tamis::detail
