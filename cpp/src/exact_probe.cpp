#include <tamis/filters/exact.hpp>

#include <algorithm>

namespace tamis {

inline bool ExactFilter::is_included(Hash hash) const noexcept {
  std::uint64_t value = 0;
  return second_.find(hash, value) && (value != 0) != flips(hash);
}

bool ExactFilter::may_contain(Hash hash) const noexcept {
  return (check_bits_ == 0 || first_.matches(hash)) && is_included(hash);
}

void ExactFilter::may_contain(std::span<const std::uint64_t> hashes,
                              std::uint8_t* answers) const noexcept {
  if (check_bits_ == 0) {
    std::fill_n(answers, hashes.size(), std::uint8_t{1});
  } else {
    first_.matches(hashes, answers);
  }
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (answers[i] != 0 && !is_included(Hash{hashes[i]})) answers[i] = 0;
  }
}

}  // namespace tamis
