#include <tamis/detail/foreign_hash.hpp>

#include <bit>

#include <tamis/detail/endian.hpp>
#include <tamis/hash.hpp>

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

// The constants c1 and c2 of MurmurHash3_x64_128.
constexpr std::uint64_t kMurmur3First = 0x87c37b91114253d5;
constexpr std::uint64_t kMurmur3Second = 0x4cf5ad432745937f;

constexpr std::uint64_t murmur3_low(std::uint64_t word) noexcept {
  return std::rotl(word * kMurmur3First, 31) * kMurmur3Second;
}

constexpr std::uint64_t murmur3_high(std::uint64_t word) noexcept {
  return std::rotl(word * kMurmur3Second, 33) * kMurmur3First;
}

// The 0 to 8 bytes of `bytes` as a little-endian number. Always inline, so that the hashes share no
// code, and the wasm has each without the others.
[[gnu::always_inline]] inline std::uint64_t load_tail(std::span<const std::byte> bytes) noexcept {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    value |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
  }
  return value;
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

Murmur3Hash murmur3_x64_128(std::span<const std::byte> bytes, std::uint32_t seed) noexcept {
  std::uint64_t low = seed;
  std::uint64_t high = seed;
  std::span<const std::byte> rest = bytes;
  for (; rest.size() >= 16; rest = rest.subspan(16)) {
    low ^= murmur3_low(load_le64(rest.data()));
    low = (std::rotl(low, 27) + high) * 5 + 0x52dce729;
    high ^= murmur3_high(load_le64(rest.data() + 8));
    high = (std::rotl(high, 31) + low) * 5 + 0x38495ab5;
  }
  // An empty half mixes to 0 and changes nothing.
  const std::size_t split = rest.size() < 8 ? rest.size() : 8;
  low ^= murmur3_low(load_tail(rest.first(split)));
  high ^= murmur3_high(load_tail(rest.subspan(split)));

  low ^= bytes.size();
  high ^= bytes.size();
  low += high;
  high += low;
  low = fmix64(low);
  high = fmix64(high);
  low += high;
  high += low;
  return {low, high};
}

}  // namespace tamis::detail
