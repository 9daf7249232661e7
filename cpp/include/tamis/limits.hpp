// tamis/limits.hpp - the limits of structures.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tamis::sizing {

inline constexpr std::uint32_t kMaxHashes = 64;
inline constexpr double kMinFpr = 0x1p-48;
inline constexpr std::uint32_t kMaxFingerprintBits = 32;

// The largest count, capacity or size: JavaScript's numbers are exact up to here.
inline constexpr std::uint64_t kMaxCount = (std::uint64_t{1} << 53) - 1;

// The largest number of bits in one array. On wasm32, 32-bit indices address 2^32 bits. The native
// limit lets the `digest` scheme divide 512-bit numbers in 64-bit arithmetic.
inline constexpr std::uint64_t kMaxBits = std::uint64_t{1} << (sizeof(void*) == 4 ? 32 : 46);

}  // namespace tamis::sizing

namespace tamis::url {

inline constexpr std::size_t kHashBytes = 32;  // the size of a SHA-256

// True if a hash prefix may have this length.
[[nodiscard]] constexpr bool is_prefix_bytes(std::uint64_t bytes) noexcept {
  return bytes == 4 || bytes == 8 || bytes == 16 || bytes == 32;
}

}  // namespace tamis::url
