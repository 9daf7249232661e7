// tamis/detail/endian.hpp - integers from and to bytes, whatever the machine's byte order.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tamis::detail {

// The bytes of an integer in reverse; compilers know the pattern.
[[nodiscard]] constexpr std::uint32_t swap_bytes(std::uint32_t value) noexcept {
  value = (value & 0x00ff00ff) << 8 | (value >> 8 & 0x00ff00ff);
  return value << 16 | value >> 16;
}
[[nodiscard]] constexpr std::uint64_t swap_bytes(std::uint64_t value) noexcept {
  return std::uint64_t{swap_bytes(static_cast<std::uint32_t>(value))} << 32 |
         swap_bytes(static_cast<std::uint32_t>(value >> 32));
}

// By memcpy and not byte by byte: compiled for size, a loop over the bytes stays a loop.
template <std::endian kOrder, class Integer>
[[nodiscard]] inline Integer load(const std::byte* from) noexcept {
  Integer value;
  std::memcpy(&value, from, sizeof(value));
  return kOrder == std::endian::native ? value : swap_bytes(value);
}
template <std::endian kOrder, class Integer>
inline void store(std::byte* to, Integer value) noexcept {
  if constexpr (kOrder != std::endian::native) value = swap_bytes(value);
  std::memcpy(to, &value, sizeof(value));
}

// Reads and writes 4 or 8 bytes, the least significant first, or the most.
[[nodiscard]] inline std::uint32_t load_le32(const std::byte* from) noexcept {
  return load<std::endian::little, std::uint32_t>(from);
}
[[nodiscard]] inline std::uint64_t load_le64(const std::byte* from) noexcept {
  return load<std::endian::little, std::uint64_t>(from);
}
[[nodiscard]] inline std::uint64_t load_be64(const std::byte* from) noexcept {
  return load<std::endian::big, std::uint64_t>(from);
}
inline void store_le32(std::byte* to, std::uint32_t value) noexcept {
  store<std::endian::little>(to, value);
}
inline void store_le64(std::byte* to, std::uint64_t value) noexcept {
  store<std::endian::little>(to, value);
}
inline void store_be64(std::byte* to, std::uint64_t value) noexcept {
  store<std::endian::big>(to, value);
}

}  // namespace tamis::detail
