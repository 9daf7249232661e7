// tamis/sizing/iblt.hpp - cells and bytes of an invertible Bloom lookup table.
#pragma once

#include <cstdint>

#include <tamis/limits.hpp>

namespace tamis::sizing {

// The number of hashes, and of partitions.
inline constexpr std::uint32_t kIbltHashes = 4;

inline constexpr std::uint32_t kIbltMinKeyBytes = 4;
inline constexpr std::uint32_t kIbltMaxKeyBytes = 64;

// The largest size of a table: on wasm32 all addresses, natively the limit of all arrays.
inline constexpr std::uint64_t kIbltMaxBytes =
    sizeof(void*) == 4 ? ~std::uint32_t{0} : kMaxBits / 8;

// The number of cells in a partition: m / 4 for the least multiple m of 4 with m >= 1.4 d + 24,
// which is (7 d + 120) / 20 rounded up. For large d, decoding with four hashes needs 1.30 cells a
// difference. With few differences, two keys that share all their cells could not be decoded; the
// additional 24 cells make that rare. It needs d <= kMaxCount.
[[nodiscard]] constexpr std::uint64_t iblt_partition(std::uint64_t differences) noexcept {
  return (7 * differences + 139) / 20;
}

// The number of cells m.
[[nodiscard]] constexpr std::uint64_t iblt_cells(std::uint64_t differences) noexcept {
  return kIbltHashes * iblt_partition(differences);
}

// The size of a table: 4 bytes of count, 8 of checksum and a key for each cell, rounded up to
// 64-bit words. It is below 2^61, even for kMaxCount differences and the longest key.
[[nodiscard]] constexpr std::uint64_t iblt_bytes(std::uint64_t cells,
                                                 std::uint32_t key_bytes) noexcept {
  return (cells * (4 + 8 + key_bytes) + 7) / 8 * 8;
}

}  // namespace tamis::sizing
