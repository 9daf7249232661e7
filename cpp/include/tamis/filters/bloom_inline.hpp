// tamis/filters/bloom_inline.hpp - functions for callers to inline (TAMIS_INLINE).
#pragma once

#include <tamis/detail/portability.hpp>
#include <tamis/filters/bloom.hpp>

namespace tamis {

inline bool BloomFilter::set(std::uint64_t g, std::uint64_t* words, std::uint64_t bits,
                             std::uint32_t hashes) noexcept {
  detail::McgPositions probe(g, bits);
  bool is_new = false;
  for (std::uint32_t i = 0; i < hashes; ++i) {
    const std::uint64_t position = probe.next();
    std::uint64_t& word = words[position / 64];
    const std::uint64_t bit = std::uint64_t{1} << (position % 64);
    is_new |= (word & bit) == 0;
    word |= bit;
  }
  return is_new;
}

TAMIS_INLINE bool BloomFilter::insert(Hash hash) noexcept {
  assert(is_hash_once(hasher_.id()));
  if (!is_hash_once(hasher_.id())) return false;
  const bool is_new = set(hasher_.mix(hash), bits_.words().data(), bits(), hashes_);
  count_new(is_new ? 1 : 0);
  return is_new;
}

inline bool BloomFilter::are_set(std::uint64_t g) const noexcept {
  return detail::holds_of_all(g, bits(), hashes_,
                              [this](std::uint64_t position) { return bits_.test(position); });
}

TAMIS_INLINE bool BloomFilter::may_contain(Hash hash) const noexcept {
  return !is_hash_once(hasher_.id()) || are_set(hasher_.mix(hash));
}

}  // namespace tamis
