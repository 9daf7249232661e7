#include <tamis/filters/exact.hpp>

#include <algorithm>

#include <tamis/detail/portability.hpp>

namespace tamis {
namespace {

constexpr std::size_t kTogether = 32;  // keys that go through one level before the next is asked

}  // namespace

bool ExactFilter::may_contain(Hash hash) const noexcept {
  if (check_bits_ != 0 && !first_.matches(hash)) return false;
  std::uint64_t value = 0;
  return second_.find(hash, value) && (value != 0) != flips(hash);
}

void ExactFilter::may_contain(std::span<const std::uint64_t> hashes,
                              std::uint8_t* answers) const noexcept {
  for (std::size_t at = 0; at < hashes.size(); at += kTogether) {
    const auto some = hashes.subspan(at, std::min(kTogether, hashes.size() - at));
    ask_some(some, answers + at);
  }
}

// Few pass the first level, so those are gathered for the second.
TAMIS_NOINLINE void ExactFilter::ask_some(std::span<const std::uint64_t> hashes,
                                          std::uint8_t* answers) const noexcept {
  if (check_bits_ == 0) {
    std::fill_n(answers, hashes.size(), std::uint8_t{1});
  } else {
    first_.matches(hashes, answers);
  }
  std::uint64_t passing[kTogether];
  std::uint8_t from[kTogether];
  std::size_t size = 0;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    passing[size] = hashes[i];
    from[size] = static_cast<std::uint8_t>(i);
    size += answers[i];
  }
  std::uint32_t values[kTogether];
  std::uint8_t found[kTogether];
  second_.find({passing, size}, values, found);
  for (std::size_t i = 0; i < size; ++i) {
    const bool is_included = found[i] != 0 && (values[i] != 0) != flips(Hash{passing[i]});
    answers[from[i]] = is_included ? 1 : 0;
  }
}

}  // namespace tamis
