// Reads a retrieval from its bytes as FORMAT.md describes it, and looks up keys slot by slot.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <tamis/detail/retrieval.hpp>
#include "support/support.hpp"

namespace tamis::test {

using detail::Retrieval;

class RetrievalModel {
 public:
  RetrievalModel(std::span<const std::byte> payload, Retrieval::Shape shape, std::uint64_t count,
                 std::uint64_t seed, std::uint32_t first_part)
      : shape_(shape), count_(count) {
    const std::size_t levels = std::to_integer<std::size_t>(payload[7]) + 1;
    std::size_t at = 8 * levels;
    for (std::size_t i = 0; i < levels; ++i) {
      Level level;
      const std::byte* record = payload.data() + 8 * i;
      const std::uint32_t slots = detail::load_le32(record), rest = detail::load_le32(record + 4);
      EXPECT_EQ(rest >> 24, levels - 1 - i);
      EXPECT_EQ(rest >> 16 & 0xff, shape.width());
      const std::uint64_t part = std::uint64_t{first_part} + i;
      level.seed = splitmix64(splitmix64(seed) + (part << 32) + (rest & 0xffff));
      level.starts = slots < 64 ? 1 : slots - 63;
      level.rows.resize(slots);
      if (i + 1 < levels) {
        for (std::size_t bucket = 0; bucket < (level.starts + 127) / 128; ++bucket) {
          level.thresholds.push_back(
              std::to_integer<unsigned>(payload[at + bucket / 4]) >> (bucket % 4 * 2) & 3);
        }
        at += (level.thresholds.size() + 3) / 4;
      }
      const std::uint32_t bytes = shape.width() / 8, bits = shape.width() % 8;
      for (std::uint32_t plane = 0; plane < bytes; ++plane) {
        for (std::uint64_t& row : level.rows)
          row |= std::to_integer<std::uint64_t>(payload[at++]) << (8 * plane);
      }
      std::size_t bit = 8 * at;
      for (std::size_t block = 0; block < slots; block += 64) {
        const std::size_t size = std::min<std::size_t>(64, slots - block);
        for (std::uint32_t plane = 0; plane < bits; ++plane) {
          for (std::size_t slot = block; slot < block + size; ++slot, ++bit) {
            const std::uint64_t one =
                std::to_integer<std::uint64_t>(payload[bit / 8] >> (bit % 8)) & 1;
            level.rows[slot] |= one << (8 * bytes + plane);
          }
        }
      }
      at = (bit + 7) / 8;
      levels_.push_back(level);
    }
    EXPECT_EQ(at, payload.size());
  }

  // The level that contains the key's row.
  std::size_t level_of(std::uint64_t hash) const {
    for (std::size_t i = 0;; ++i) {
      const Level& level = levels_[i];
      if (level.thresholds.empty()) return i;
      const std::uint64_t start = start_of(level, fmix64(hash + level.seed));
      const unsigned place = 127 - start % 128;
      const unsigned kind = place > 110 ? 2 : place > 89 ? 1 : 0;
      if (kind < level.thresholds[start / 128]) return i;
    }
  }

  std::optional<std::uint64_t> value(std::uint64_t hash) const {
    if (count_ == 0) return {};
    const Level& level = levels_[level_of(hash)];
    const std::uint64_t g = fmix64(hash + level.seed), start = start_of(level, g);
    const std::uint64_t product = g * 0x9e3779b97f4a7c15;
    const std::uint64_t coefficients = (product ^ product >> 32) | 1;
    std::uint64_t row = 0;
    for (std::size_t i = 0; i < 64 && start + i < level.rows.size(); ++i) {
      if (coefficients >> i & 1) row ^= level.rows[static_cast<std::size_t>(start) + i];
    }
    const std::uint64_t check = (std::uint64_t{1} << shape_.check_bits) - 1;
    if ((row & check) != (g * 0xd1342543de82ef95 >> 32 & check)) return {};
    return row >> shape_.check_bits;
  }

 private:
  struct Level {
    std::uint64_t seed, starts;
    std::vector<std::uint64_t> rows;
    std::vector<unsigned> thresholds;
  };
  static std::uint64_t start_of(const Level& level, std::uint64_t g) {
    return (g >> 32) * level.starts >> 32;
  }

  Retrieval::Shape shape_;
  std::uint64_t count_;
  std::vector<Level> levels_;
};

inline Bytes payload_of(const Retrieval& retrieval) {
  Bytes bytes(retrieval.payload_bytes());
  ByteWriter out(bytes);
  retrieval.write(out);
  EXPECT_EQ(out.take(1).size(), 0u);
  return bytes;
}

// Hashes of a set; different sets have no hash in common.
inline std::vector<std::uint64_t> hashes_of_set(std::uint64_t set, std::uint64_t count) {
  std::vector<std::uint64_t> hashes;
  for (std::uint64_t i = 0; i < count; ++i) hashes.push_back(splitmix64((set << 40) + i));
  return hashes;
}

}  // namespace tamis::test
