// tamis/detail/ascii.hpp - ASCII letters and digits, independent of the locale.
#pragma once

#include <cstdint>

namespace tamis::detail {

[[nodiscard]] constexpr bool is_digit(char letter) noexcept {
  return letter >= '0' && letter <= '9';
}

// Returns the lower-case letter. Bytes from 0x80 on are unchanged, because they are UTF-8.
[[nodiscard]] constexpr char to_lower(char letter) noexcept {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + ('a' - 'A')) : letter;
}

[[nodiscard]] constexpr bool is_letter(char letter) noexcept {
  return to_lower(letter) >= 'a' && to_lower(letter) <= 'z';
}

inline constexpr std::uint32_t kNoDigit = 16;

// The value of a digit, 0 to 15, or kNoDigit.
[[nodiscard]] constexpr std::uint32_t hex_value(char letter) noexcept {
  if (is_digit(letter)) return static_cast<std::uint32_t>(letter - '0');
  const char lower = to_lower(letter);
  return lower >= 'a' && lower <= 'f' ? static_cast<std::uint32_t>(lower - 'a' + 10) : kNoDigit;
}

}  // namespace tamis::detail
