// What is done with each key, apart from the rest of the counting Bloom filter: the wasm build
// compiles this for speed and that for size.

#include <tamis/filters/counting_bloom.hpp>

#include <algorithm>

#include <tamis/detail/double_hashing.hpp>

namespace tamis {

Result<bool> CountingBloomFilter::insert(Hash hash) noexcept {
  bool is_new = false;
  for (const std::uint64_t i : DistinctPositions(hasher_.mix(hash), counters(), hashes_)) {
    const std::uint32_t counter = counters_.get(i);
    is_new |= counter == 0;
    if (counter != counters_.max()) counters_.set(i, counter + 1);
  }
  count_ = std::min(count_ + 1, sizing::kMaxCount);
  return is_new;
}

bool CountingBloomFilter::may_contain(Hash hash) const noexcept {
  DoubleHashing probe(hasher_.mix(hash), counters());
  for (std::uint32_t i = 0; i < hashes_; ++i) {
    if (counters_.get(probe.next()) == 0) return false;
  }
  return true;
}

Result<bool> CountingBloomFilter::erase(Hash hash) noexcept {
  if (!may_contain(hash)) return false;
  for (const std::uint64_t i : DistinctPositions(hasher_.mix(hash), counters(), hashes_)) {
    const std::uint32_t counter = counters_.get(i);
    if (counter != counters_.max()) counters_.set(i, counter - 1);
  }
  if (count_ > 0) --count_;
  return true;
}

std::uint32_t CountingBloomFilter::count_of(Hash hash) const noexcept {
  std::uint32_t least = counters_.max();
  DoubleHashing probe(hasher_.mix(hash), counters());
  for (std::uint32_t i = 0; i < hashes_; ++i) least = std::min(least, counters_.get(probe.next()));
  return least;
}

}  // namespace tamis
