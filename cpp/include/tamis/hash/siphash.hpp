// tamis/hash/siphash.hpp - SipHash-2-4, a keyed hash that nobody can predict without the key.
//
// Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF", INDOCRYPT 2012
// (https://www.aumasson.jp/siphash/siphash.pdf). It makes 2 rounds per word and 4 at the end, and
// returns 64 bits. k0 and k1 are the key's bytes 0..7 and 8..15; input words are 8 bytes,
// little-endian.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tamis/detail/endian.hpp>

namespace tamis::detail {

struct SipState {
  std::uint64_t v0, v1, v2, v3;

  constexpr void run_rounds(int count) noexcept {
    for (int i = 0; i < count; ++i) {
      v0 += v1;
      v2 += v3;
      v1 = std::rotl(v1, 13) ^ v0;
      v3 = std::rotl(v3, 16) ^ v2;
      v0 = std::rotl(v0, 32);
      v2 += v1;
      v0 += v3;
      v1 = std::rotl(v1, 17) ^ v2;
      v3 = std::rotl(v3, 21) ^ v0;
      v2 = std::rotl(v2, 32);
    }
  }

  constexpr void absorb(std::uint64_t word) noexcept {
    v3 ^= word;
    run_rounds(2);
    v0 ^= word;
  }
};

// The 64-bit SipHash-2-4 of `bytes` under `key`. It never fails.
[[nodiscard]] inline std::uint64_t siphash_2_4(std::span<const std::byte> bytes,
                                               const std::array<std::byte, 16>& key) noexcept {
  const std::uint64_t k0 = load_le64(key.data());
  const std::uint64_t k1 = load_le64(key.data() + 8);
  // The four constants spell "somepseudorandomlygeneratedbytes" (paper, section 2).
  SipState state{k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261,
                 k1 ^ 0x7465646279746573};

  const std::size_t whole = bytes.size() & ~std::size_t{7};
  for (std::size_t i = 0; i < whole; i += 8) {
    state.absorb(load_le64(bytes.data() + i));
  }
  // The last word is the rest of the input, with the length modulo 256 in the top byte.
  const std::uint64_t length = bytes.size();
  state.absorb(load_tail(bytes.subspan(whole)) | length << 56);

  state.v2 ^= 0xff;
  state.run_rounds(4);
  return state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
}

}  // namespace tamis::detail
