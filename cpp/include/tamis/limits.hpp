// tamis/limits.hpp - the limits of structures.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tamis::sizing {

inline constexpr std::uint32_t kMaxHashes = 64;
inline constexpr double kMinFpr = 0x1p-48;
inline constexpr std::uint32_t kMaxFingerprintBits = 32;

// The largest count, capacity or size that JavaScript's numbers hold exactly.
inline constexpr std::uint64_t kMaxCount = (std::uint64_t{1} << 53) - 1;

// The largest number of bits in one array. wasm32 addresses 2^32 bits with 32-bit indices. The
// native limit keeps the 512-bit divisions of the `digest` scheme inside 64-bit arithmetic.
inline constexpr std::uint64_t kMaxBits = std::uint64_t{1} << (sizeof(void*) == 4 ? 32 : 46);

}  // namespace tamis::sizing

namespace tamis::url {

inline constexpr std::size_t kHashBytes = 32;  // SHA-256

// True if a hash prefix may have this length.
[[nodiscard]] constexpr bool is_prefix_bytes(std::uint64_t bytes) noexcept {
  return bytes == 4 || bytes == 8 || bytes == 16 || bytes == 32;
}

}  // namespace tamis::url
