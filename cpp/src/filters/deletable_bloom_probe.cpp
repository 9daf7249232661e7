// What runs for each key, compiled for speed (bindings/CMakeLists.txt).

#include <tamis/filters/deletable_bloom.hpp>

#include <algorithm>

#include <tamis/detail/batch.hpp>
#include <tamis/detail/mcg_positions.hpp>

namespace tamis {

// Looks at all of the bits before it sets any, so that a position that comes twice does not lock.
Result<bool> DeletableBloomFilter::insert(Hash hash) noexcept {
  const std::uint64_t g = hasher_.mix(hash);
  McgPositions look(g, bits());
  bool is_new = false;
  for (std::uint32_t i = 0; i < hashes_; ++i) {
    const std::uint64_t position = look.next();
    if (bits_.test(position)) {
      locked_.set(map_.of(position));
    } else {
      is_new = true;
    }
  }
  // Where no bit is new the locks are needed all the same. This is a key of the filter now, and the
  // keys that it shares its bits with may be deleted.
  if (!is_new) return false;
  McgPositions mark(g, bits());
  for (std::uint32_t i = 0; i < hashes_; ++i) bits_.set(mark.next());
  count_ = std::min(count_ + 1, sizing::kMaxCount);
  return true;
}

inline bool DeletableBloomFilter::are_set(std::uint64_t g) const noexcept {
  return holds_of_all(g, bits(), hashes_,
                      [this](std::uint64_t position) { return bits_.test(position); });
}

bool DeletableBloomFilter::may_contain(Hash hash) const noexcept {
  return are_set(hasher_.mix(hash));
}

void DeletableBloomFilter::may_contain(std::span<const std::uint64_t> hashes,
                                       std::uint8_t* answers) const noexcept {
  detail::probe_in_batches(
      hashes, answers, [this](Hash hash) { return hasher_.mix(hash); },
      [this](std::uint64_t g) { return are_set(g); });
}

bool DeletableBloomFilter::is_deletable(Hash hash) const noexcept {
  if (!may_contain(hash)) return false;
  McgPositions probe(hasher_.mix(hash), bits());
  bool is_free = false;
  for (std::uint32_t i = 0; !is_free && i < hashes_; ++i)
    is_free = !locked_.test(map_.of(probe.next()));
  return is_free;
}

Result<bool> DeletableBloomFilter::erase(Hash hash) noexcept {
  if (!may_contain(hash)) return false;
  McgPositions probe(hasher_.mix(hash), bits());
  bool is_cleared = false;
  for (std::uint32_t i = 0; i < hashes_; ++i) {
    const std::uint64_t position = probe.next();
    // A position that comes twice is clear the second time.
    if (locked_.test(map_.of(position)) || !bits_.test(position)) continue;
    bits_.toggle(position);
    is_cleared = true;
  }
  if (!is_cleared) return Status::kNotDeletable;
  count_ -= count_ > 0 ? 1 : 0;
  return true;
}

}  // namespace tamis
