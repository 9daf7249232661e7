// tamis/hash/sha2.hpp - SHA-512 and SHA-256. No function here can fail. A message must be shorter
// than 2^61 bytes. A digest begins with its most significant byte.
//
// Source: FIPS PUB 180-4, "Secure Hash Standard" (2015), sections 4.1.2, 4.1.3, 4.2.3, 5.1, 5.3,
// 6.2, 6.4.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace tamis::detail {

[[nodiscard]] std::array<std::byte, 64> sha512(std::span<const std::byte> bytes) noexcept;

using Sha256Digest = std::array<std::byte, 32>;

// SHA-256 of a message that arrives in pieces.
class Sha256 {
 public:
  Sha256() noexcept;

  void update(std::span<const std::byte> bytes) noexcept;
  // The digest of all pieces. After this call, the object cannot be used.
  [[nodiscard]] Sha256Digest finish() noexcept;

 private:
  std::array<std::uint32_t, 8> state_;
  std::array<std::byte, 64> block_;
  std::uint64_t size_ = 0;
};

[[nodiscard]] Sha256Digest sha256(std::span<const std::byte> message) noexcept;

// Sets digests[i] to the digest of messages[i]. Messages that fit into one block (below 56 bytes)
// are hashed four at a time, in the lanes of 128-bit words.
void sha256(std::span<const std::string_view> messages, Sha256Digest* digests) noexcept;

}  // namespace tamis::detail
