// tamis/hash/foreign_hash.hpp - hashes of other libraries.
//
// They are for filters that must have the positions of those libraries. None resists an attacker.
// Bytes are unsigned throughout. Published ports that read them as signed chars disagree with these
// hashes for every byte from 0x80.
//
// Sources: A. Appleby, SMHasher (https://github.com/aappleby/smhasher: MurmurHash2.cpp,
// MurmurHash3.cpp); Fowler, Noll and Vo, "The FNV Non-Cryptographic Hash Algorithm" (RFC 9923);
// Y. Collet, "xxHash fast digest algorithm"; Apache Spark, Murmur3_x86_32.java; J. A. Rogers,
// MetroHash (metrohash64.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tamis::detail {

// MurmurHash2A: MurmurHash2 with a Merkle-Damgard construction, which differs from MurmurHash2. It
// uses the length modulo 2^32.
[[nodiscard]] std::uint32_t murmur2a(std::span<const std::byte> bytes, std::uint32_t seed) noexcept;

// FNV-1a, 32 bits: offset basis 2166136261, prime 16777619.
[[nodiscard]] std::uint32_t fnv1a_32(std::span<const std::byte> bytes) noexcept;

// Two numbers that give a key's positions.
struct HashPair {
  std::uint64_t low;
  std::uint64_t high;
};

// MurmurHash3_x64_128: `low` is h1, the first 8 bytes of the published byte string.
[[nodiscard]] HashPair murmur3_x64_128(std::span<const std::byte> bytes,
                                       std::uint32_t seed) noexcept;

// That hash of a key with seed 0, and of the key with the byte 1 behind it.
struct LongerHash {
  HashPair plain, longer;
};
[[nodiscard]] LongerHash murmur3_x64_128_longer(std::span<const std::byte> bytes) noexcept;

// MurmurHash64A: MurmurHash2 for 64-bit machines.
[[nodiscard]] std::uint64_t murmur64a(std::span<const std::byte> bytes,
                                      std::uint64_t seed) noexcept;

// XXH64.
[[nodiscard]] std::uint64_t xxh64(std::span<const std::byte> bytes, std::uint64_t seed) noexcept;

// Spark's hashUnsafeBytes. It is MurmurHash3_x86_32, but each byte behind the last whole word is
// its own word, sign-extended. It equals the published hash for lengths that are multiples of 4.
[[nodiscard]] std::uint32_t spark_murmur3(std::span<const std::byte> bytes,
                                          std::uint32_t seed) noexcept;

// FNV-1a, 64 bits, of UTF-16 code units, with one step for each unit. The offset basis is
// 14695981039346656037, and the prime is 1099511628211. The bytes are read by UTF-8's bit pattern
// alone. So a surrogate in three bytes is a unit. A byte that begins no whole sequence is a unit
// too.
[[nodiscard]] std::uint64_t fnv1a_64_utf16(std::span<const std::byte> bytes) noexcept;

// MetroHash64, variant 1.
[[nodiscard]] std::uint64_t metro64(std::span<const std::byte> bytes, std::uint64_t seed) noexcept;

}  // namespace tamis::detail
