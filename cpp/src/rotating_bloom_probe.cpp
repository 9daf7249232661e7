// What is done with each key, apart from the rest of the rotating Bloom filter: the wasm build
// compiles this for speed and that for size.

#include <tamis/filters/rotating_bloom.hpp>

namespace tamis {

bool RotatingBloomFilter::may_contain(Hash hash) const noexcept {
  // The newest first: repeats mostly come soon.
  for (std::size_t i = 0; i < generations_.size(); ++i) {
    const std::size_t at = current_ >= i ? current_ - i : current_ + generations_.size() - i;
    if (generations_[at].may_contain(hash)) return true;
  }
  return false;
}

Result<bool> RotatingBloomFilter::insert(Hash hash) noexcept {
  const bool is_new = !may_contain(hash);
  generations_[current_].insert(hash);
  return is_new;
}

}  // namespace tamis
