// tamis/detail/simd.hpp - operations on 8 or 16 bytes at once, for wasm SIMD and SSE2, and a
// portable version with the same results.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__wasm_simd128__)
#include <wasm_simd128.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <tamis/detail/isa.hpp>

namespace tamis::detail {
inline namespace TAMIS_ISA {

// Bit i of the result is 1 if from[i] == wanted, for the 16 bytes at `from`.
[[nodiscard]] inline std::uint32_t match16(const std::byte* from, std::byte wanted) noexcept {
#if defined(__wasm_simd128__)
  const v128_t equal =
      wasm_i8x16_eq(wasm_v128_load(from), wasm_u8x16_splat(static_cast<std::uint8_t>(wanted)));
  return static_cast<std::uint32_t>(wasm_i8x16_bitmask(equal));
#elif defined(__SSE2__)
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  const __m128i equal = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(static_cast<char>(wanted)));
  return static_cast<std::uint32_t>(_mm_movemask_epi8(equal));
#else
  std::uint32_t mask = 0;
  for (unsigned i = 0; i < 16; ++i) mask |= static_cast<std::uint32_t>(from[i] == wanted) << i;
  return mask;
#endif
}

// Byte i of the result is byte n of `word`, where n is byte i of `order`; or 0 if n is 0x80.
[[nodiscard]] inline std::uint64_t shuffle8(std::uint64_t word, std::uint64_t order) noexcept {
#if defined(__wasm_simd128__)
  return static_cast<std::uint64_t>(wasm_i64x2_extract_lane(
      wasm_i8x16_swizzle(wasm_i64x2_splat(static_cast<std::int64_t>(word)),
                         wasm_i64x2_splat(static_cast<std::int64_t>(order))),
      0));
#else
  std::uint64_t shuffled = 0;
  for (unsigned i = 0; i < 64; i += 8) {
    const std::uint64_t from = order >> i & 0xff;
    if (from < 8) shuffled |= (word >> 8 * from & 0xff) << i;
  }
  return shuffled;
#endif
}

}  // namespace TAMIS_ISA
}  // namespace tamis::detail
