// Filters of other libraries, implemented from their specifications with a check of every index.
// The library must give the same answers.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <tamis/detail/endian.hpp>
#include <tamis/hash/foreign_hash.hpp>
#include <tamis/interop/foreign_filter.hpp>
#include "support/container.hpp"

namespace tamis::test {

using interop::ForeignLayer;
using interop::ForeignRule;
using interop::ForeignShape;

struct ForeignModel {
  ForeignShape shape;
  std::vector<ForeignLayer> layers;
  Bytes bytes;

  [[nodiscard]] bool contains(Key key) const {
    for (const ForeignLayer& layer : layers) {
      if (contains(layer, key)) return true;
    }
    return false;
  }

 private:
  [[nodiscard]] std::uint32_t at(std::uint64_t index) const {
    MUST(index < bytes.size());
    return std::to_integer<std::uint32_t>(bytes[static_cast<std::size_t>(index)]);
  }

  [[nodiscard]] bool contains(const ForeignLayer& layer, Key key) const {
    switch (shape.rule) {
      case ForeignRule::kBloom: {
        const std::uint64_t a = detail::murmur64a(key, 0xc6a4a7935bd1e995);
        const std::uint64_t b = detail::murmur64a(key, a);
        for (std::uint64_t i = 0; i < layer.step; ++i) {
          const std::uint64_t bit = (a + i * b) % layer.size;
          if ((at(layer.offset + bit / 8) >> bit % 8 & 1) == 0) return false;
        }
        return true;
      }
      case ForeignRule::kRedisCuckoo: {
        const std::uint64_t hash = detail::murmur64a(key, 0);
        const std::uint64_t fingerprint = hash % 255 + 1;
        return has(layer, fingerprint, hash) ||
               has(layer, fingerprint, hash ^ fingerprint * 0x5bd1e995);
      }
      case ForeignRule::kGoCuckoo:
      case ForeignRule::kGoCuckoo2018: {
        const bool is_old = shape.rule == ForeignRule::kGoCuckoo2018;
        const std::uint64_t hash = detail::metro64(key, 1337);
        const std::uint64_t source = is_old ? detail::metro64(key, 1335) : hash;
        const std::uint64_t fingerprint = source % 255 + 1;
        const std::uint64_t bucket = is_old ? hash : hash >> 32;
        const std::array<std::byte, 1> one{static_cast<std::byte>(fingerprint)};
        return has(layer, fingerprint, bucket) ||
               has(layer, fingerprint, bucket ^ detail::metro64(one, 1337));
      }
      case ForeignRule::kFuse:
      case ForeignRule::kXor:
        break;
    }
    return is_in_table(layer, key);
  }

  [[nodiscard]] bool has(const ForeignLayer& layer, std::uint64_t fingerprint,
                         std::uint64_t bucket) const {
    for (std::uint64_t i = 0; i < layer.step; ++i) {
      if (at(layer.offset + bucket % layer.size * layer.step + i) == fingerprint) return true;
    }
    return false;
  }

  [[nodiscard]] std::uint32_t slot(const ForeignLayer& layer, std::uint64_t index) const {
    std::uint32_t value = 0;
    for (std::uint32_t i = shape.width; i-- > 0;) {
      value = value << 8 | at(layer.offset + index * shape.width + i);
    }
    return value;
  }

  [[nodiscard]] bool is_in_table(const ForeignLayer& layer, Key key) const {
    const std::uint64_t number =
        shape.hashes_keys != 0 ? detail::xxh64(key, 0) : detail::load_le64(key.data());
    const std::uint64_t hash = fmix64(number + shape.seed);
    std::array<std::uint64_t, 3> slots;
    if (shape.rule == ForeignRule::kXor) {
      for (int i = 0; i < 3; ++i) {
        const std::uint64_t low = std::rotl(hash, 21 * i) & 0xffffffff;
        slots[static_cast<std::size_t>(i)] =
            (low * layer.size >> 32) + static_cast<std::uint64_t>(i) * layer.size;
      }
    } else {
      const std::uint64_t mask = layer.step - 1;
      slots[0] = mulhi(hash, layer.size);
      slots[1] = (slots[0] + layer.step) ^ (hash >> 18 & mask);
      slots[2] = (slots[0] + 2 * std::uint64_t{layer.step}) ^ (hash & mask);
    }
    std::uint32_t sum = static_cast<std::uint32_t>(hash ^ hash >> 32);
    for (const std::uint64_t index : slots) sum ^= slot(layer, index);
    return (sum & 0xffffffff >> (32 - 8 * shape.width)) == 0;
  }
};

// Expands packed slots. Returns nothing if the map and the sizes contradict each other.
struct PackedSlots {
  Bytes slots;
  std::size_t packed;
  Bytes map;
  std::uint32_t width;

  [[nodiscard]] std::optional<Bytes> unpacked() const {
    Bytes made;
    std::size_t from = 0;
    for (std::size_t i = 0; i < slots.size() / width; ++i) {
      const bool is_used = (map.at(i / 8) >> i % 8 & std::byte{1}) != std::byte{0};
      if (is_used && (from + width > packed || from + width > slots.size())) return std::nullopt;
      for (std::uint32_t byte = 0; byte < width; ++byte) {
        made.push_back(is_used ? slots.at(from++) : std::byte{0});
      }
    }
    if (from != packed) return std::nullopt;
    return made;
  }
};

}  // namespace tamis::test
