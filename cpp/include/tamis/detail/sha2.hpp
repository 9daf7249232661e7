// tamis/detail/sha2.hpp - SHA-512.
//
// Source: FIPS PUB 180-4, "Secure Hash Standard" (2015), sections 4.1.3, 4.2.3, 5.1.2, 5.3.5, 6.4.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace tamis::detail {

// The digest of `bytes`, its most significant byte first. Never fails; takes less than 2^61 bytes.
[[nodiscard]] std::array<std::byte, 64> sha512(std::span<const std::byte> bytes) noexcept;

}  // namespace tamis::detail
