// What runs for each key, compiled for speed (bindings/CMakeLists.txt).

#include <tamis/filters/tombstone_bloom.hpp>

#include <algorithm>

namespace tamis {

Result<bool> TombstoneBloomFilter::insert(Hash hash) noexcept {
  if (deleted().may_contain(hash)) return Status::kTombstoned;
  return added().insert(hash);
}

bool TombstoneBloomFilter::may_contain(Hash hash) const noexcept {
  return added().may_contain(hash) && !deleted().may_contain(hash);
}

void TombstoneBloomFilter::may_contain(std::span<const std::uint64_t> hashes,
                                       std::uint8_t* answers) const noexcept {
  std::fill_n(answers, hashes.size(), std::uint8_t{0});
  added().turn(hashes, answers, 0);
  deleted().turn(hashes, answers, 1);
}

}  // namespace tamis
