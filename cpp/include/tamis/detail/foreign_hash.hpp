// tamis/detail/foreign_hash.hpp - hashes of other libraries.
//
// For the filters whose positions those libraries must agree with. None resists an opponent. Bytes
// are unsigned throughout: published ports that read them as signed chars disagree with these on
// every byte from 0x80.
//
// Sources: A. Appleby, SMHasher (https://github.com/aappleby/smhasher: MurmurHash2.cpp,
// MurmurHash3.cpp); Fowler, Noll and Vo, "The FNV Non-Cryptographic Hash Algorithm" (RFC 9923).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tamis::detail {

// MurmurHash2A: MurmurHash2 with a Merkle-Damgard construction, which is not MurmurHash2 itself.
// The length enters modulo 2^32.
[[nodiscard]] std::uint32_t murmur2a(std::span<const std::byte> bytes, std::uint32_t seed) noexcept;

// FNV-1a, 32 bits: offset basis 2166136261, prime 16777619.
[[nodiscard]] std::uint32_t fnv1a_32(std::span<const std::byte> bytes) noexcept;

// The two halves of a 128-bit hash: `low` is h1, the first 8 bytes of the published byte string.
struct Murmur3Hash {
  std::uint64_t low;
  std::uint64_t high;
};

// MurmurHash3_x64_128.
[[nodiscard]] Murmur3Hash murmur3_x64_128(std::span<const std::byte> bytes,
                                          std::uint32_t seed) noexcept;

}  // namespace tamis::detail
