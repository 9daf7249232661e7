// What runs for each key, compiled for speed (bindings/CMakeLists.txt).

#include <tamis/filters/blocked_bloom.hpp>

#include <algorithm>

#include <tamis/detail/batch.hpp>
#include <tamis/detail/bloom_scheme.hpp>
#include <tamis/detail/split_block.hpp>

namespace tamis {

bool BlockedBloomFilter::set(std::uint64_t g) noexcept {
  const bool is_new =
      !detail::split_block_set(words_.data() + block_at(g), static_cast<std::uint32_t>(g));
  if (is_new) count_ = std::min(count_ + 1, sizing::kMaxCount);
  return is_new;
}

bool BlockedBloomFilter::are_set(std::uint64_t g) const noexcept {
  return detail::split_block_test(words_.data() + block_at(g), static_cast<std::uint32_t>(g));
}

Result<bool> BlockedBloomFilter::insert_by_scheme(Key key) noexcept {
  return set(detail::hash_of_block(key));
}

Result<bool> BlockedBloomFilter::insert(Hash hash) noexcept {
  if (!is_hash_once(hasher_.id())) return Status::kUnsupported;
  return set(hasher_.mix(hash));
}

bool BlockedBloomFilter::may_contain_by_scheme(Key key) const noexcept {
  return are_set(detail::hash_of_block(key));
}

bool BlockedBloomFilter::may_contain(Hash hash) const noexcept {
  return !is_hash_once(hasher_.id()) || are_set(hasher_.mix(hash));
}

void BlockedBloomFilter::may_contain(std::span<const std::uint64_t> hashes,
                                     std::uint8_t* answers) const noexcept {
  if (!is_hash_once(hasher_.id())) {
    std::fill_n(answers, hashes.size(), std::uint8_t{1});
    return;
  }
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
