// What runs for each key, compiled for speed (bindings/CMakeLists.txt).

#include <tamis/filters/scalable_bloom.hpp>

#include <algorithm>

namespace tamis {

bool ScalableBloomFilter::may_contain(Hash hash) const noexcept {
  // The newest layer first: with growth 2 or more it holds half of all keys.
  for (std::size_t i = layers_.size(); i-- > 0;) {
    if (layers_[i].may_contain(hash)) return true;
  }
  return false;
}

void ScalableBloomFilter::may_contain(std::span<const std::uint64_t> hashes,
                                      std::uint8_t* answers) const noexcept {
  std::fill_n(answers, hashes.size(), std::uint8_t{0});
  for (std::size_t i = layers_.size(); i-- > 0;) layers_[i].turn(hashes, answers, 0);
}

Result<bool> ScalableBloomFilter::insert(Hash hash) noexcept {
  if (may_contain(hash)) return false;
  // Full by the number of its keys: the fill would be one pass over the layer.
  if (layers_.back().count() == layers_.back().capacity()) {
    TAMIS_NEED(grow());
  }
  return layers_.back().insert(hash);
}

}  // namespace tamis
