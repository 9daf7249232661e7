// tamis/detail/split_block_avx2.hpp - the split block with AVX2, in one register. A file that is
// compiled for older processors may call these functions if the processor has AVX2.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include <tamis/detail/isa.hpp>

namespace tamis::detail {
inline namespace TAMIS_ISA {

#define TAMIS_AVX2 [[gnu::target("avx2")]]

TAMIS_AVX2 inline __m256i lane_bits_avx2(std::uint32_t h, const std::uint32_t* salt) noexcept {
  const __m256i salts = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(salt));
  const __m256i product = _mm256_mullo_epi32(_mm256_set1_epi32(static_cast<int>(h)), salts);
  return _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_srli_epi32(product, 27));
}

// Like the functions of the same names, without _avx2, in split_block.hpp.
TAMIS_AVX2 inline bool split_block_test_avx2(const std::uint32_t* block, std::uint32_t h,
                                             const std::uint32_t* salt) noexcept {
  const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(block));
  return _mm256_testc_si256(bits, lane_bits_avx2(h, salt)) != 0;
}
TAMIS_AVX2 inline bool split_block_set_avx2(std::uint32_t* block, std::uint32_t h,
                                            const std::uint32_t* salt) noexcept {
  auto* at = reinterpret_cast<__m256i*>(block);
  const __m256i before = _mm256_loadu_si256(at), bits = lane_bits_avx2(h, salt);
  _mm256_storeu_si256(at, _mm256_or_si256(before, bits));
  return _mm256_testc_si256(before, bits) != 0;
}

}  // namespace TAMIS_ISA
}  // namespace tamis::detail
