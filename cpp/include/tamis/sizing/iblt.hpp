// tamis/sizing/iblt.hpp - cells and bytes of an invertible Bloom lookup table.
#pragma once

#include <cstdint>

#include <tamis/limits.hpp>

namespace tamis::sizing {

// The number of hashes and of partitions.
inline constexpr std::uint32_t kIbltHashes = 4;

inline constexpr std::uint32_t kIbltMinKeyBytes = 4;
inline constexpr std::uint32_t kIbltMaxKeyBytes = 64;

// The largest bytes of one table. wasm32 cannot address more. The native limit is that of other
// arrays.
inline constexpr std::uint64_t kIbltMaxBytes =
    sizeof(void*) == 4 ? ~std::uint32_t{0} : kMaxBits / 8;

// m / 4 for the least multiple m of 4 with m >= 1.4 d + 24, as (7 d + 120) / 20 rounded up. Peeling
// with four hashes needs 1.30 cells a difference in the limit. The 24 are for few differences,
// which fail if two keys share all their cells. It needs d <= kMaxCount.
[[nodiscard]] constexpr std::uint64_t iblt_partition(std::uint64_t differences) noexcept {
  return (7 * differences + 139) / 20;
}

// The number of cells m.
[[nodiscard]] constexpr std::uint64_t iblt_cells(std::uint64_t differences) noexcept {
  return kIbltHashes * iblt_partition(differences);
}

// The bytes of a table: a count of 4 bytes, a check of 8 and a key for each cell, in whole 64-bit
// words. They are below 2^61 for the cells of kMaxCount differences and the longest key.
[[nodiscard]] constexpr std::uint64_t iblt_bytes(std::uint64_t cells,
                                                 std::uint32_t key_bytes) noexcept {
  return (cells * (4 + 8 + key_bytes) + 7) / 8 * 8;
}

}  // namespace tamis::sizing
