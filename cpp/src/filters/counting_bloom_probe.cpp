// What runs for each key, compiled for speed (bindings/CMakeLists.txt).

#include <tamis/filters/counting_bloom.hpp>

#include <algorithm>

#include <tamis/detail/batch.hpp>
#include <tamis/detail/mcg_positions.hpp>

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

inline bool CountingBloomFilter::are_positive(std::uint64_t g) const noexcept {
  return holds_of_all(g, counters(), hashes_,
                      [this](std::uint64_t position) { return counters_.get(position) != 0; });
}

bool CountingBloomFilter::may_contain(Hash hash) const noexcept {
  return are_positive(hasher_.mix(hash));
}

void CountingBloomFilter::may_contain(std::span<const std::uint64_t> hashes,
                                      std::uint8_t* answers) const noexcept {
  detail::probe_in_batches(
      hashes, answers, [this](Hash hash) { return hasher_.mix(hash); },
      [this](std::uint64_t g) { return are_positive(g); });
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
  McgPositions probe(hasher_.mix(hash), counters());
  for (std::uint32_t i = 0; i < hashes_; ++i) least = std::min(least, counters_.get(probe.next()));
  return least;
}

}  // namespace tamis
