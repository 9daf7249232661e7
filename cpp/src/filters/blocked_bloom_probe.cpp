// What runs for each key, compiled for speed (bindings/CMakeLists.txt).

#include <tamis/filters/blocked_bloom.hpp>

#include <algorithm>

#include <tamis/detail/batch.hpp>
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

void BlockedBloomFilter::may_contain(std::span<const std::uint64_t> hashes,
                                     std::uint8_t* answers) const noexcept {
  struct Place {
    const std::uint32_t* block;
    std::uint32_t h;
  };
  const auto place = [this](Hash hash) {
    const std::uint64_t g = hasher_.mix(hash);
    return Place{words_.data() + block_at(g), static_cast<std::uint32_t>(g)};
  };
  detail::probe_in_batches(hashes, answers, place,
                           [](Place at) { return detail::split_block_test(at.block, at.h); });
}

}  // namespace tamis
