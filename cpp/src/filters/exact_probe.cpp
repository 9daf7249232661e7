// What runs for each key, compiled for speed (bindings/CMakeLists.txt).

#include <tamis/filters/exact.hpp>

#include <algorithm>
#include <array>

#include <tamis/detail/batch.hpp>

namespace tamis {

bool ExactFilter::may_contain(Hash hash) const noexcept {
  if (check_bits_ != 0 && !first_.matches(hash)) return false;
  std::uint32_t value;
  return second_.find(hash, value) && (value != 0) != flips(hash);
}

void ExactFilter::may_contain(std::span<const std::uint64_t> hashes,
                              std::uint8_t* answers) const noexcept {
  if (check_bits_ == 0) {
    std::fill_n(answers, hashes.size(), std::uint8_t{1});
  } else {
    first_.matches(hashes, answers);
  }
  const auto find_absent = [this](std::span<const std::uint64_t> passed, std::uint8_t* found) {
    std::array<std::uint32_t, detail::kBatchKeys> values;
    second_.find(passed, found, values.data());
    for (std::size_t i = 0; i < passed.size(); ++i) {
      found[i] = found[i] != 0 && (values[i] != 0) != flips(Hash{passed[i]}) ? 0 : 1;
    }
  };
  detail::turn_answers(hashes, answers, 1, find_absent);
}

}  // namespace tamis
