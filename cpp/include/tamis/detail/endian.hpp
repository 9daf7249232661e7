// tamis/detail/endian.hpp - integers to and from bytes of a fixed order.
//
// One byte at a time: no alignment is assumed, the host's own byte order does not matter, and
// compilers fold each loop into one load or store.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tamis::detail {

// Reads 4 bytes, the least significant first.
[[nodiscard]] constexpr std::uint32_t load_le32(const std::byte* from) noexcept {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < 4; ++i) {
    value |= std::to_integer<std::uint32_t>(from[i]) << (8 * i);
  }
  return value;
}

// Reads 8 bytes, the least significant first.
[[nodiscard]] constexpr std::uint64_t load_le64(const std::byte* from) noexcept {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < 8; ++i) {
    value |= std::to_integer<std::uint64_t>(from[i]) << (8 * i);
  }
  return value;
}

// Reads 8 bytes, the most significant first.
[[nodiscard]] constexpr std::uint64_t load_be64(const std::byte* from) noexcept {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < 8; ++i) {
    value |= std::to_integer<std::uint64_t>(from[i]) << (56 - 8 * i);
  }
  return value;
}

// Writes 4 bytes, the least significant first.
constexpr void store_le32(std::byte* to, std::uint32_t value) noexcept {
  for (unsigned i = 0; i < 4; ++i) {
    to[i] = static_cast<std::byte>((value >> (8 * i)) & 0xff);
  }
}

// Writes 8 bytes, the least significant first.
constexpr void store_le64(std::byte* to, std::uint64_t value) noexcept {
  for (unsigned i = 0; i < 8; ++i) {
    to[i] = static_cast<std::byte>((value >> (8 * i)) & 0xff);
  }
}

// Writes 8 bytes, the most significant first.
constexpr void store_be64(std::byte* to, std::uint64_t value) noexcept {
  for (unsigned i = 0; i < 8; ++i) {
    to[i] = static_cast<std::byte>((value >> (56 - 8 * i)) & 0xff);
  }
}

}  // namespace tamis::detail
