// tamis/url/widths.hpp - the lengths that a hash prefix may have.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tamis::url {

inline constexpr std::size_t kHashBytes = 32;  // SHA-256

[[nodiscard]] constexpr bool is_prefix_bytes(std::uint64_t bytes) noexcept {
  return bytes == 4 || bytes == 8 || bytes == 16 || bytes == 32;
}

}  // namespace tamis::url
