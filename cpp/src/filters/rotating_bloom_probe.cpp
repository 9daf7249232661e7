// What runs for each key, compiled for speed (bindings/CMakeLists.txt).

#include <tamis/filters/rotating_bloom.hpp>

#include <algorithm>

namespace tamis {

// The newest first: repeats mostly come soon.
inline const detail::Subfilter& RotatingBloomFilter::generation(std::size_t age) const noexcept {
  return generations_[current_ >= age ? current_ - age : current_ + generations_.size() - age];
}

bool RotatingBloomFilter::may_contain(Hash hash) const noexcept {
  for (std::size_t i = 0; i < generations_.size(); ++i) {
    if (generation(i).may_contain(hash)) return true;
  }
  return false;
}

void RotatingBloomFilter::may_contain(std::span<const std::uint64_t> hashes,
                                      std::uint8_t* answers) const noexcept {
  std::fill_n(answers, hashes.size(), std::uint8_t{0});
  for (std::size_t i = 0; i < generations_.size(); ++i) generation(i).turn(hashes, answers, 0);
}

Result<bool> RotatingBloomFilter::insert(Hash hash) noexcept {
  const bool is_new = !may_contain(hash);
  generations_[current_].insert(hash);
  return is_new;
}

}  // namespace tamis
