// tamis/detail/split_block.hpp - sets and tests bits in a split block, which has 8 lanes of 32
// bits. There is a version for AVX2, versions for wasm SIMD, SSE2 and NEON that process 128 bits at
// a time, and a portable version with the same results.
//
// In each lane, the top 5 bits of the product of h and the lane's odd constant choose the bit. The
// layout and the constants are those of the Parquet format's split-block Bloom filter.
#pragma once

#include <cstdint>

#if defined(__wasm_simd128__)
#include <wasm_simd128.h>
#elif defined(__AVX2__)
#include <tamis/detail/split_block_avx2.hpp>
#elif defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

#include <tamis/detail/isa.hpp>

namespace tamis::detail {
inline namespace TAMIS_ISA {

inline constexpr std::uint32_t kLanes = 8;
alignas(16) inline constexpr std::uint32_t kSalt[kLanes] = {
    0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};

#if defined(__AVX2__)

// True if all 8 bits of h are set in the block.
[[nodiscard]] inline bool split_block_test(const std::uint32_t* block, std::uint32_t h) noexcept {
  return split_block_test_avx2(block, h, kSalt);
}
// Sets the 8 bits of h, and returns true if all were set before.
inline bool split_block_set(std::uint32_t* block, std::uint32_t h) noexcept {
  return split_block_set_avx2(block, h, kSalt);
}

#else
#if defined(__wasm_simd128__)

using Half = v128_t;
inline Half load_half(const std::uint32_t* from) noexcept { return wasm_v128_load(from); }
inline void store_half(std::uint32_t* to, Half value) noexcept { wasm_v128_store(to, value); }
inline Half unite(Half a, Half b) noexcept { return wasm_v128_or(a, b); }
// The bits of `wanted` that are not set in `have`.
inline Half lacking(Half have, Half wanted) noexcept { return wasm_v128_andnot(wanted, have); }
inline bool is_zero(Half value) noexcept { return !wasm_v128_any_true(value); }
// Computes 1 << (product >> 27) in each lane. wasm cannot shift lanes by different counts, so each
// byte of a lane gets its lane's count: the low 3 bits choose the bit, the other bits the byte.
inline Half lane_bits(std::uint32_t h, const std::uint32_t* salt) noexcept {
  const v128_t count = wasm_u32x4_shr(
      wasm_i32x4_mul(wasm_i32x4_splat(static_cast<std::int32_t>(h)), wasm_v128_load(salt)), 27);
  const v128_t spread =
      wasm_i8x16_shuffle(count, count, 0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12);
  const v128_t powers = wasm_u8x16_make(1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0, 0);
  const v128_t bit = wasm_i8x16_swizzle(powers, wasm_v128_and(spread, wasm_u8x16_splat(7)));
  const v128_t byte =
      wasm_i8x16_eq(wasm_v128_and(spread, wasm_u8x16_splat(24)), wasm_i32x4_splat(0x18100800));
  return wasm_v128_and(bit, byte);
}

#elif defined(__SSE2__)

using Half = __m128i;
inline Half load_half(const std::uint32_t* from) noexcept {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
}
inline void store_half(std::uint32_t* to, Half value) noexcept {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), value);
}
inline Half unite(Half a, Half b) noexcept { return _mm_or_si128(a, b); }
inline Half lacking(Half have, Half wanted) noexcept { return _mm_andnot_si128(have, wanted); }
inline bool is_zero(Half value) noexcept {
  return _mm_movemask_epi8(_mm_cmpeq_epi8(value, _mm_setzero_si128())) == 0xffff;
}
// SSE2 can multiply only every other lane, so two multiplications are needed. 1 << count is the
// float 2^count, converted to an integer; 2^31 overflows to 0x80000000, which is right.
inline Half lane_bits(std::uint32_t h, const std::uint32_t* salt) noexcept {
  const __m128i salts = load_half(salt);
  const __m128i spread = _mm_set1_epi32(static_cast<int>(h));
  const __m128i even = _mm_mul_epu32(spread, salts);
  const __m128i odd = _mm_mul_epu32(spread, _mm_srli_epi64(salts, 32));
  const __m128i low = _mm_and_si128(even, _mm_set1_epi64x(0xffffffff));
  const __m128i count = _mm_srli_epi32(_mm_or_si128(low, _mm_slli_epi64(odd, 32)), 27);
  const __m128i exponent = _mm_slli_epi32(_mm_add_epi32(count, _mm_set1_epi32(127)), 23);
  return _mm_cvttps_epi32(_mm_castsi128_ps(exponent));
}

#elif defined(__ARM_NEON)

using Half = uint32x4_t;
inline Half load_half(const std::uint32_t* from) noexcept { return vld1q_u32(from); }
inline void store_half(std::uint32_t* to, Half value) noexcept { vst1q_u32(to, value); }
inline Half unite(Half a, Half b) noexcept { return vorrq_u32(a, b); }
inline Half lacking(Half have, Half wanted) noexcept { return vbicq_u32(wanted, have); }
inline bool is_zero(Half value) noexcept {
  const uint32x2_t folded = vorr_u32(vget_low_u32(value), vget_high_u32(value));
  return (vget_lane_u32(folded, 0) | vget_lane_u32(folded, 1)) == 0;
}
inline Half lane_bits(std::uint32_t h, const std::uint32_t* salt) noexcept {
  const uint32x4_t count = vshrq_n_u32(vmulq_u32(vdupq_n_u32(h), vld1q_u32(salt)), 27);
  return vshlq_u32(vdupq_n_u32(1), vreinterpretq_s32_u32(count));
}

#else

struct Half {
  std::uint32_t lanes[4];
};
inline Half load_half(const std::uint32_t* from) noexcept {
  return {{from[0], from[1], from[2], from[3]}};
}
inline void store_half(std::uint32_t* to, Half value) noexcept {
  for (unsigned i = 0; i < 4; ++i) to[i] = value.lanes[i];
}
inline Half unite(Half a, Half b) noexcept {
  for (unsigned i = 0; i < 4; ++i) a.lanes[i] |= b.lanes[i];
  return a;
}
inline Half lacking(Half have, Half wanted) noexcept {
  for (unsigned i = 0; i < 4; ++i) wanted.lanes[i] &= ~have.lanes[i];
  return wanted;
}
inline bool is_zero(Half value) noexcept {
  return (value.lanes[0] | value.lanes[1] | value.lanes[2] | value.lanes[3]) == 0;
}
inline Half lane_bits(std::uint32_t h, const std::uint32_t* salt) noexcept {
  Half bits;
  for (unsigned i = 0; i < 4; ++i) bits.lanes[i] = std::uint32_t{1} << ((h * salt[i]) >> 27);
  return bits;
}

#endif

[[nodiscard]] inline bool split_block_test(const std::uint32_t* block, std::uint32_t h) noexcept {
  return is_zero(unite(lacking(load_half(block), lane_bits(h, kSalt)),
                       lacking(load_half(block + 4), lane_bits(h, kSalt + 4))));
}

inline bool split_block_set(std::uint32_t* block, std::uint32_t h) noexcept {
  const Half first = load_half(block), second = load_half(block + 4);
  const Half first_bits = lane_bits(h, kSalt), second_bits = lane_bits(h, kSalt + 4);
  store_half(block, unite(first, first_bits));
  store_half(block + 4, unite(second, second_bits));
  return is_zero(unite(lacking(first, first_bits), lacking(second, second_bits)));
}

#endif

}  // namespace TAMIS_ISA
}  // namespace tamis::detail
