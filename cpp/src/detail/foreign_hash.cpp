#include <tamis/detail/foreign_hash.hpp>

#include <tamis/detail/endian.hpp>

namespace tamis::detail {
namespace {

// The constants m and r of MurmurHash2A.
constexpr std::uint32_t kMurmur2Multiplier = 0x5bd1e995;
constexpr unsigned kMurmur2Shift = 24;

// One step (mmix) of MurmurHash2A.
constexpr std::uint32_t murmur2_mix(std::uint32_t hash, std::uint32_t word) noexcept {
  word *= kMurmur2Multiplier;
  word ^= word >> kMurmur2Shift;
  word *= kMurmur2Multiplier;
  return (hash * kMurmur2Multiplier) ^ word;
}

}  // namespace

std::uint32_t murmur2a(std::span<const std::byte> bytes, std::uint32_t seed) noexcept {
  std::uint32_t hash = seed;
  std::span<const std::byte> rest = bytes;
  for (; rest.size() >= 4; rest = rest.subspan(4)) {
    hash = murmur2_mix(hash, load_le32(rest.data()));
  }
  hash = murmur2_mix(hash, static_cast<std::uint32_t>(load_tail(rest)));
  hash = murmur2_mix(hash, static_cast<std::uint32_t>(bytes.size()));
  hash ^= hash >> 13;
  hash *= kMurmur2Multiplier;
  return hash ^ (hash >> 15);
}

std::uint32_t fnv1a_32(std::span<const std::byte> bytes) noexcept {
  std::uint32_t hash = 2166136261;
  for (const std::byte byte : bytes) {
    hash = (hash ^ std::to_integer<std::uint32_t>(byte)) * 16777619;
  }
  return hash;
}

}  // namespace tamis::detail
