// tamis/detail/endian.hpp - reads and writes integers, on machines of any byte order.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace tamis::detail {

// Reverses the bytes of an integer. Compilers turn this pattern into one instruction.
[[nodiscard]] constexpr std::uint32_t swap_bytes(std::uint32_t value) noexcept {
  value = (value & 0x00ff00ff) << 8 | (value >> 8 & 0x00ff00ff);
  return value << 16 | value >> 16;
}
[[nodiscard]] constexpr std::uint64_t swap_bytes(std::uint64_t value) noexcept {
  return std::uint64_t{swap_bytes(static_cast<std::uint32_t>(value))} << 32 |
         swap_bytes(static_cast<std::uint32_t>(value >> 32));
}

// Uses memcpy, because a compiler that optimises for size would keep a loop over the bytes.
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

// Read and write 4 or 8 bytes, with the least or the most significant byte first.
[[nodiscard]] inline std::uint32_t load_le32(const std::byte* from) noexcept {
  return load<std::endian::little, std::uint32_t>(from);
}
[[nodiscard]] inline std::uint64_t load_le64(const std::byte* from) noexcept {
  return load<std::endian::little, std::uint64_t>(from);
}
[[nodiscard]] inline std::uint64_t load_be64(const std::byte* from) noexcept {
  return load<std::endian::big, std::uint64_t>(from);
}
// The 0 to 8 bytes of `bytes` as a little-endian number. Always inlined, so that the hashes share
// no code and the wasm can contain one hash without the others.
[[gnu::always_inline]] inline std::uint64_t load_tail(std::span<const std::byte> bytes) noexcept {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    value |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
  }
  return value;
}
// The last `count` bytes of `bytes`, 0 to 7, as a little-endian number. One read suffices if
// `bytes` has 8.
[[gnu::always_inline]] inline std::uint64_t load_end(std::span<const std::byte> bytes,
                                                     std::size_t count) noexcept {
  if (bytes.size() < 8) return load_tail(bytes.last(count));
  // Two shifts, because one shift by 64 bits is undefined.
  const std::uint64_t word = load_le64(bytes.data() + bytes.size() - 8);
  return word >> 8 >> (8 * (7 - count));
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
