// What is done with each key, apart from the rest of the split-block Bloom filter: the wasm build compiles
// this for speed, with SIMD, and that for size.

#include <tamis/filters/blocked_bloom.hpp>

#include <algorithm>

#include <tamis/detail/split_block.hpp>

namespace tamis {

Result<bool> BlockedBloomFilter::insert(Hash hash) noexcept {
  const std::uint64_t g = hasher_.mix(hash);
  const bool is_new =
      !detail::split_block_set(words_.data() + block_at(g), static_cast<std::uint32_t>(g));
  if (is_new) count_ = std::min(count_ + 1, sizing::kMaxCount);
  return is_new;
}

bool BlockedBloomFilter::may_contain(Hash hash) const noexcept {
  const std::uint64_t g = hasher_.mix(hash);
  return detail::split_block_test(words_.data() + block_at(g), static_cast<std::uint32_t>(g));
}

}  // namespace tamis
