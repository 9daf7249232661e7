// tamis/detail/mcg_positions.hpp - turns the mixed hash of a key into its positions in an array.
// Bloom filters of bits and of counters share this code.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include <tamis/hash.hpp>
#include <tamis/limits.hpp>

namespace tamis::detail {

// Steps through a key's positions by the scheme `mcg`, a multiplicative congruential generator that
// starts at x = g. Each position is the high part of x times m; after it, x is multiplied. The
// class does not need a filter, so that tests can use sizes above 2^32 bits without the memory.
class McgPositions {
 public:
  McgPositions(std::uint64_t g, std::uint64_t bits) noexcept : x_(g), bits_(bits) {}

  [[nodiscard]] std::uint64_t next() noexcept {
    const std::uint64_t position = reduce(x_, bits_);
    x_ *= kMultiplier;
    return position;
  }
  // The present state x, from which a second object can continue.
  [[nodiscard]] std::uint64_t state() const noexcept { return x_; }

 private:
  // It has good spectral figures modulo 2^64 in every dimension up to 8 (Steele and Vigna 2022).
  static constexpr std::uint64_t kMultiplier = 0xf1357aea2e62a9c5;

  std::uint64_t x_;
  std::uint64_t bits_;
};

// True if test(position) is true for all of a key's positions. The first three are tested together
// without a branch between them: half of the remaining absent keys fail at each of them, so a
// branch would often be mispredicted.
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

// The distinct positions of one key, in the order of their first appearance.
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
  // The array is not zeroed, because one object is made per key.
  std::array<std::uint64_t, sizing::kMaxHashes> positions_;
  std::uint32_t size_ = 0;
};

}  // namespace tamis::detail
