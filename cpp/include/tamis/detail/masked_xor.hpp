// tamis/detail/masked_xor.hpp - the XOR of the bytes or bits that a mask selects from 64
// neighbours, 16 bytes at a time. It has versions for wasm SIMD and SSE2, and a portable version.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#if defined(__wasm_simd128__)
#include <wasm_simd128.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <tamis/detail/endian.hpp>
#include <tamis/detail/isa.hpp>

namespace tamis::detail {
inline namespace TAMIS_ISA {

// A mask of 64 bits, expanded to 64 bytes that are 0 or 255, so that it can be applied to several
// planes. The constructor copies each byte of the mask to eight bytes, and each copy keeps one bit.
class ByteMask {
 public:
#if defined(__wasm_simd128__)

  explicit ByteMask(std::uint64_t mask) noexcept {
    const v128_t all = wasm_i64x2_splat(static_cast<std::int64_t>(mask));
    // The asm hides the value from clang, which would turn (x & bit) == bit into (x & bit) != 0. In
    // wasm each is one instruction, but on x86 the second becomes three. The scalar is hidden, not
    // the vector, because clang 19 crashes on a hidden vector.
    std::uint64_t word = 0x8040201008040201;
    asm("" : "+r"(word));
    const v128_t bits = wasm_i64x2_splat(static_cast<std::int64_t>(word));
    const auto expand = [&](v128_t spread) {
      return wasm_i8x16_eq(wasm_v128_and(spread, bits), bits);
    };
    part_[0] = expand(wasm_i8x16_shuffle(all, all, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1));
    part_[1] = expand(wasm_i8x16_shuffle(all, all, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3));
    part_[2] = expand(wasm_i8x16_shuffle(all, all, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5, 5, 5, 5, 5, 5));
    part_[3] = expand(wasm_i8x16_shuffle(all, all, 6, 6, 6, 6, 6, 6, 6, 6, 7, 7, 7, 7, 7, 7, 7, 7));
  }
  // The XOR of from[i] over all set bits i of the mask. It reads 64 bytes.
  [[nodiscard]] std::uint32_t fold(const std::byte* from) const noexcept {
    const auto part = [&](unsigned i) {
      return wasm_v128_and(wasm_v128_load(from + 16 * i), part_[i]);
    };
    const v128_t sum =
        wasm_v128_xor(wasm_v128_xor(part(0), part(1)), wasm_v128_xor(part(2), part(3)));
    return fold_word(static_cast<std::uint64_t>(wasm_i64x2_extract_lane(sum, 0) ^
                                                wasm_i64x2_extract_lane(sum, 1)));
  }

#elif defined(__SSE2__)

  explicit ByteMask(std::uint64_t mask) noexcept {
    const __m128i all = _mm_set1_epi64x(static_cast<long long>(mask));
    const __m128i bits = _mm_set1_epi64x(static_cast<long long>(0x8040201008040201));
    const auto expand = [&](__m128i spread) {
      return _mm_cmpeq_epi8(_mm_and_si128(spread, bits), bits);
    };
    const __m128i twice = _mm_unpacklo_epi8(all, all);
    const __m128i low = _mm_unpacklo_epi16(twice, twice), high = _mm_unpackhi_epi16(twice, twice);
    part_[0] = expand(_mm_shuffle_epi32(low, 0x50));  // bytes 0 and 1, eight times each
    part_[1] = expand(_mm_shuffle_epi32(low, 0xfa));
    part_[2] = expand(_mm_shuffle_epi32(high, 0x50));
    part_[3] = expand(_mm_shuffle_epi32(high, 0xfa));
  }
  [[nodiscard]] std::uint32_t fold(const std::byte* from) const noexcept {
    const auto part = [&](unsigned i) {
      return _mm_and_si128(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + 16 * i)),
                           part_[i]);
    };
    const __m128i sum =
        _mm_xor_si128(_mm_xor_si128(part(0), part(1)), _mm_xor_si128(part(2), part(3)));
    std::uint64_t words[2];
    _mm_storeu_si128(reinterpret_cast<__m128i*>(words), sum);
    return fold_word(words[0] ^ words[1]);
  }

#else

  explicit ByteMask(std::uint64_t mask) noexcept {
    for (unsigned i = 0; i < 8; ++i) {
      const std::uint64_t bits =
          (((mask >> (8 * i)) & 0xff) * 0x0101010101010101) & 0x8040201008040201;
      // Sets the top bit of each byte that is not 0: adding 127 to the low 7 bits carries into the
      // top bit if any of them is set.
      const std::uint64_t tops =
          (((bits & 0x7f7f7f7f7f7f7f7f) + 0x7f7f7f7f7f7f7f7f) | bits) & 0x8080808080808080;
      part_[i] = (tops >> 7) * 0xff;
    }
  }
  [[nodiscard]] std::uint32_t fold(const std::byte* from) const noexcept {
    std::uint64_t sum = 0;
    for (unsigned i = 0; i < 8; ++i) sum ^= load_le64(from + 8 * i) & part_[i];
    return fold_word(sum);
  }

#endif

 private:
  [[nodiscard]] static std::uint32_t fold_word(std::uint64_t word) noexcept {
    auto half = static_cast<std::uint32_t>(word ^ (word >> 32));
    half ^= half >> 16;
    return (half ^ (half >> 8)) & 0xff;
  }

#if defined(__wasm_simd128__)
  v128_t part_[4];
#elif defined(__SSE2__)
  __m128i part_[4];
#else
  std::uint64_t part_[8];
#endif
};

#if defined(__SSE2__)
// Processes eight words at once: bit i of the result is the parity of (words[i] & low) ^ (next[i] &
// high). Each step halves the bits of a word, and joins two vectors. The function takes half the
// time of the loop in fold_bits. WebAssembly keeps the loop, because one instruction counts bits.
inline std::uint32_t fold_eight(const std::byte* words, const std::byte* next, std::uint64_t low,
                                std::uint64_t high) noexcept {
  const __m128i lows = _mm_set1_epi64x(static_cast<long long>(low));
  const __m128i highs = _mm_set1_epi64x(static_cast<long long>(high));
  const auto load = [](const std::byte* from, unsigned i) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + 16 * i));
  };
  const auto two = [&](unsigned i) {
    const __m128i sum =
        _mm_xor_si128(_mm_and_si128(load(words, i), lows), _mm_and_si128(load(next, i), highs));
    return _mm_castsi128_ps(_mm_xor_si128(sum, _mm_srli_epi64(sum, 32)));
  };
  const auto four = [&](unsigned i) {
    const __m128i sum = _mm_castps_si128(_mm_shuffle_ps(two(i), two(i + 1), 0x88));
    return _mm_srai_epi32(_mm_xor_si128(sum, _mm_slli_epi32(sum, 16)), 16);
  };
  __m128i all = _mm_packs_epi32(four(0), four(2));
  for (const int shift : {8, 4, 2, 1}) all = _mm_xor_si128(all, _mm_slli_epi16(all, shift));
  return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(all, all))) & 0xff;
}
#endif

// The XOR of the slots that `coefficients` selects, starting at slot `start`, in `used` bit planes
// (at most 7). `words` points to the planes of 64 slots; the planes of the next 64 slots follow
// `step` bytes later. Reads 64 bytes at each of the two places.
#ifdef __wasm__
[[gnu::noinline]]  // smaller in wasm, and as fast
#endif
inline std::uint32_t fold_bits(const std::byte* words, std::uint32_t step, std::uint32_t used,
                               std::uint32_t start, std::uint64_t coefficients) noexcept {
  const unsigned shift = start % 64;
  const std::uint64_t low = coefficients << shift, high = (coefficients >> 1) >> (63 - shift);
#if defined(__SSE2__)
  if (used > 3) return fold_eight(words, words + step, low, high) & ((1u << used) - 1);
#endif
  std::uint32_t bits = 0;
  for (std::uint32_t i = 0; i < used; ++i, words += 8) {
    const std::uint64_t word = (load_le64(words) & low) ^ (load_le64(words + step) & high);
    bits |= (static_cast<std::uint32_t>(std::popcount(word)) & 1) << i;
  }
  return bits;
}

}  // namespace TAMIS_ISA
}  // namespace tamis::detail
