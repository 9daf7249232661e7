// tamis/hash/foreign_hash.hpp - hashes of other libraries.
//
// They serve filters that must have the same positions as in those libraries. None of them resists
// an attacker. All bytes are unsigned here. Published ports that read bytes as signed chars give
// other hashes for keys with bytes from 0x80 on.
//
// Sources: A. Appleby, SMHasher (https://github.com/aappleby/smhasher: MurmurHash2.cpp,
// MurmurHash3.cpp); Fowler, Noll and Vo, "The FNV Non-Cryptographic Hash Algorithm" (RFC 9923); Y.
// Collet, "xxHash fast digest algorithm"; Apache Spark, Murmur3_x86_32.java; J. A. Rogers,
// MetroHash (metrohash64.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tamis::detail {

// MurmurHash2A, a variant of MurmurHash2 with a Merkle-Damgard construction and other results. It
// hashes the length modulo 2^32.
[[nodiscard]] std::uint32_t murmur2a(std::span<const std::byte> bytes, std::uint32_t seed) noexcept;

// FNV-1a, 32 bits: offset basis 2166136261, prime 16777619.
[[nodiscard]] std::uint32_t fnv1a_32(std::span<const std::byte> bytes) noexcept;

// Two numbers from which a key's positions are computed.
struct HashPair {
  std::uint64_t low;
  std::uint64_t high;
};

// MurmurHash3_x64_128: `low` is h1, the first 8 bytes of the published byte string.
[[nodiscard]] HashPair murmur3_x64_128(std::span<const std::byte> bytes,
                                       std::uint32_t seed) noexcept;

// murmur3_x64_128 with seed 0 of a key, and of the key followed by the byte 1.
struct LongerHash {
  HashPair plain, longer;
};
[[nodiscard]] LongerHash murmur3_x64_128_longer(std::span<const std::byte> bytes) noexcept;

// MurmurHash64A: MurmurHash2 for 64-bit machines.
[[nodiscard]] std::uint64_t murmur64a(std::span<const std::byte> bytes,
                                      std::uint64_t seed) noexcept;

// XXH64.
[[nodiscard]] std::uint64_t xxh64(std::span<const std::byte> bytes, std::uint64_t seed) noexcept;

// Spark's hashUnsafeBytes: MurmurHash3_x86_32, except that each byte after the last whole word is
// hashed as a word of its own, sign-extended. For multiples of 4 bytes it equals the published
// hash.
[[nodiscard]] std::uint32_t spark_murmur3(std::span<const std::byte> bytes,
                                          std::uint32_t seed) noexcept;

// FNV-1a with 64 bits over UTF-16 code units, one step per unit. The offset basis is
// 14695981039346656037, and the prime is 1099511628211. Bytes are decoded by UTF-8's bit pattern
// only: a surrogate that is encoded in three bytes is one unit, and so is a byte that does not
// begin a whole sequence.
[[nodiscard]] std::uint64_t fnv1a_64_utf16(std::span<const std::byte> bytes) noexcept;

// MetroHash64, variant 1.
[[nodiscard]] std::uint64_t metro64(std::span<const std::byte> bytes, std::uint64_t seed) noexcept;

}  // namespace tamis::detail
