// tamis/detail/small_xxh3.hpp - XXH3-64 without a seed in as little code as it takes: the readers'.
//
// The xxHash library has a shape for speed for each length, which is most of what a reader weighs. Here
// loops take their places. Specification: xxHash 0.8, doc/xxhash_spec.md, "XXH3 Algorithm Overview".
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <tamis/detail/endian.hpp>
#include <tamis/detail/portability.hpp>
#include <tamis/hash.hpp>

namespace tamis::detail {

class SmallXxh3 {
  static_assert(std::endian::native == std::endian::little);

 public:
  [[nodiscard]] static std::uint64_t hash(Key key) noexcept {
    const std::byte* const in = key.data();
    const std::size_t size = key.size();
    if (size > 240) return hash_long(in, size);
    const std::uint64_t sum = size * kPrime1;
    if (size > 128) {
      const std::uint64_t half = avalanche(sum + mix(in, 16, 0, 16, 8));
      return avalanche(half + mix(in + 128, 16, 3, 16, size / 16 - 8) +
                       mix(in + size - 16, 0, 136 - 17, 0, 1));
    }
    if (size > 16) {
      const std::size_t pairs = (size + 31) / 32;
      return avalanche(sum + mix(in, 16, 0, 32, pairs) + mix(in + size - 16, -16, 16, 32, pairs));
    }
    if (size > 8) {
      const std::uint64_t low = load_le64(in) ^ secret(24) ^ secret(32);
      const std::uint64_t high = load_le64(in + size - 8) ^ secret(40) ^ secret(48);
      return avalanche(size + swap_bytes(low) + high + fold(low, high));
    }
    if (size >= 4) {
      std::uint64_t x = std::uint64_t{load_le32(in)} << 32;
      x = (x + load_le32(in + size - 4)) ^ secret(8) ^ secret(16);
      x ^= std::rotl(x, 49) ^ std::rotl(x, 24);
      x *= 0x9fb21c651e98df25;
      x ^= (x >> 35) + size;
      x *= 0x9fb21c651e98df25;
      return x ^ (x >> 28);
    }
    std::uint64_t x = secret(56) ^ secret(64);
    if (size > 0) {
      const auto byte = [in](std::size_t at) { return std::to_integer<std::uint32_t>(in[at]); };
      const std::uint32_t joined = byte(0) << 16 | byte(size / 2) << 24 | byte(size - 1) |
                                   static_cast<std::uint32_t>(size) << 8;
      x = joined ^ load_le32(kSecret.data()) ^ load_le32(kSecret.data() + 4);
    }
    x ^= x >> 33;
    x *= kPrime2;
    x ^= x >> 29;
    x *= kPrime3;
    return x ^ (x >> 32);
  }

 private:
  static constexpr std::uint64_t kPrime1 = 0x9e3779b185ebca87, kPrime2 = 0xc2b2ae3d27d4eb4f,
                                 kPrime3 = 0x165667b19e3779f9, kPrime4 = 0x85ebca77c2b2ae63,
                                 kPrime5 = 0x27d4eb2f165667c5;
  static constexpr std::uint32_t kPrime32_1 = 0x9e3779b1, kPrime32_2 = 0x85ebca77,
                                 kPrime32_3 = 0xc2b2ae3d;
  static constexpr std::size_t kStripe = 64;

  static const std::array<std::byte, 192> kSecret;

  [[nodiscard]] static std::uint64_t secret(std::size_t at) noexcept {
    return load_le64(kSecret.data() + at);
  }

  [[nodiscard]] static std::uint64_t avalanche(std::uint64_t x) noexcept {
    x ^= x >> 37;
    x *= 0x165667919e3779f9;
    return x ^ (x >> 32);
  }

  // The low word of the product of 128 bits, xor its high word.
  [[nodiscard]] static std::uint64_t fold(std::uint64_t x, std::uint64_t y) noexcept {
    const std::uint64_t x_low = x & 0xffffffff, y_low = y & 0xffffffff;
    const std::uint64_t middle = (x >> 32) * y_low + (x_low * y_low >> 32);
    const std::uint64_t other = x_low * (y >> 32) + (middle & 0xffffffff);
    return ((x >> 32) * (y >> 32) + (middle >> 32) + (other >> 32)) ^ (x * y);
  }

  // The sum of what so many 16 bytes make with as many of the secret, each a step behind the one before.
  [[nodiscard]] TAMIS_NOINLINE static std::uint64_t mix(const std::byte* in, std::ptrdiff_t step,
                                                        std::size_t at, std::size_t secret_step,
                                                        std::size_t count) noexcept {
    std::uint64_t sum = 0;
    for (; count > 0; --count, in += step, at += secret_step)
      sum += fold(load_le64(in) ^ secret(at), load_le64(in + 8) ^ secret(at + 8));
    return sum;
  }

  [[nodiscard]] static std::uint64_t hash_long(const std::byte* in, std::size_t size) noexcept {
    std::uint64_t sums[8] = {kPrime32_3, kPrime1,    kPrime2, kPrime3,
                             kPrime4,    kPrime32_2, kPrime5, kPrime32_1};
    const auto add = [&sums](const std::byte* from, std::size_t at) {
      for (std::size_t i = 0; i < 8; ++i) {
        const std::uint64_t word = load_le64(from + 8 * i), key = word ^ secret(at + 8 * i);
        sums[i ^ 1] += word;
        sums[i] += (key & 0xffffffff) * (key >> 32);
      }
    };
    // Sixteen stripes are a block, after which the sums are scrambled. The last stripe ends with the key.
    for (std::size_t at = 0, i = 0;; i += kStripe) {
      const bool is_last = size - i <= kStripe;
      add(is_last ? in + size - kStripe : in + i, is_last ? 192 - kStripe - 7 : at);
      if (is_last) break;
      at += 8;
      if (at < 128) continue;
      at = 0;
      for (std::size_t k = 0; k < 8; ++k)
        sums[k] = (sums[k] ^ (sums[k] >> 47) ^ secret(128 + 8 * k)) * kPrime32_1;
    }
    return avalanche(size * kPrime1 + mix(reinterpret_cast<const std::byte*>(sums), 16, 11, 16, 4));
  }
};

// The library's secret, FARSH's table of random bytes.
inline constexpr std::array<std::byte, 192> SmallXxh3::kSecret = [] {
  constexpr std::uint64_t kWords[24] = {
      0xbe4ba423396cfeb8, 0x1cad21f72c81017c, 0xdb979083e96dd4de, 0x1f67b3b7a4a44072,
      0x78e5c0cc4ee679cb, 0x2172ffcc7dd05a82, 0x8e2443f7744608b8, 0x4c263a81e69035e0,
      0xcb00c391bb52283c, 0xa32e531b8b65d088, 0x4ef90da297486471, 0xd8acdea946ef1938,
      0x3f349ce33f76faa8, 0x1d4f0bc7c7bbdcf9, 0x3159b4cd4be0518a, 0x647378d9c97e9fc8,
      0xc3ebd33483acc5ea, 0xeb6313faffa081c5, 0x49daf0b751dd0d17, 0x9e68d429265516d3,
      0xfca1477d58be162b, 0xce31d07ad1b8f88f, 0x280416958f3acb45, 0x7e404bbbcafbd7af};
  std::array<std::byte, 192> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::byte>(kWords[i / 8] >> (8 * (i % 8)) & 0xff);
  return bytes;
}();

}  // namespace tamis::detail
