// tamis/filters/blocked_bloom_inline.hpp - functions for callers to inline (TAMIS_INLINE).
#pragma once

#include <tamis/detail/portability.hpp>
#include <tamis/detail/split_block.hpp>
#include <tamis/filters/blocked_bloom.hpp>

namespace tamis {

TAMIS_INLINE bool BlockedBloomFilter::set(std::uint64_t g) noexcept {
  return !detail::split_block_set(words_.data() + block_at(g), static_cast<std::uint32_t>(g));
}

TAMIS_INLINE bool BlockedBloomFilter::insert(Hash hash) noexcept {
  assert(is_hash_once(hasher_.id()));
  if (!is_hash_once(hasher_.id())) return false;
  const bool is_new = set(hasher_.mix(hash));
  count_new(is_new ? 1 : 0);
  return is_new;
}

TAMIS_INLINE bool BlockedBloomFilter::are_set(std::uint64_t g) const noexcept {
  return detail::split_block_test(words_.data() + block_at(g), static_cast<std::uint32_t>(g));
}

TAMIS_INLINE bool BlockedBloomFilter::may_contain(Hash hash) const noexcept {
  return !is_hash_once(hasher_.id()) || are_set(hasher_.mix(hash));
}

}  // namespace tamis
