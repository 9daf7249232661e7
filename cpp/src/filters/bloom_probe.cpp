// What runs for each key, compiled for speed (bindings/CMakeLists.txt).

#include <tamis/filters/bloom.hpp>

#include <algorithm>

#include <tamis/detail/batch.hpp>

namespace tamis {

bool BloomFilter::insert_bits(std::span<const std::uint64_t> positions) noexcept {
  bool is_new = false;
  for (const std::uint64_t position : positions) is_new |= !bits_.set(position);
  if (is_new) count_ = std::min(count_ + 1, sizing::kMaxCount);
  return is_new;
}

Result<bool> BloomFilter::insert(Hash hash) noexcept {
  if (!is_hash_once(hasher_.id())) return Status::kUnsupported;
  McgPositions probe(hasher_.mix(hash), bits());
  bool is_new = false;
  for (std::uint32_t i = 0; i < hashes_; ++i) is_new |= !bits_.set(probe.next());
  if (is_new) count_ = std::min(count_ + 1, sizing::kMaxCount);
  return is_new;
}

Result<bool> BloomFilter::insert(Key key) noexcept {
  if (is_hash_once(hasher_.id())) return insert(hasher_(key));
  Positions buffer;
  find_positions(key, buffer);
  return insert_bits(std::span(buffer).first(hashes_));
}

inline bool BloomFilter::are_set(std::uint64_t g) const noexcept {
  return holds_of_all(g, bits(), hashes_,
                      [this](std::uint64_t position) { return bits_.test(position); });
}

bool BloomFilter::may_contain(Hash hash) const noexcept {
  return !is_hash_once(hasher_.id()) || are_set(hasher_.mix(hash));
}

void BloomFilter::may_contain(std::span<const std::uint64_t> hashes,
                              std::uint8_t* answers) const noexcept {
  if (!is_hash_once(hasher_.id())) {
    std::fill_n(answers, hashes.size(), std::uint8_t{1});
    return;
  }
  detail::probe_in_batches(
      hashes, answers, [this](Hash hash) { return hasher_.mix(hash); },
      [this](std::uint64_t g) { return are_set(g); });
}

bool BloomFilter::may_contain(Key key) const noexcept {
  if (is_hash_once(hasher_.id())) return may_contain(hasher_(key));
  Positions buffer;
  find_positions(key, buffer);
  const auto used = std::span(buffer).first(hashes_);
  return std::all_of(used.begin(), used.end(), [this](std::uint64_t i) { return bits_.test(i); });
}

}  // namespace tamis
