// tamis/filters/cuckoo_inline.hpp - functions for callers to inline (TAMIS_INLINE).
#pragma once

#include <tamis/detail/portability.hpp>
#include <tamis/filters/cuckoo.hpp>

namespace tamis {

inline CuckooFilter::Home CuckooFilter::home_of(Hash hash) const noexcept {
  const std::uint64_t g = hasher_.mix(hash);
  const std::uint32_t first = places_.first(g), fingerprint = places_.fingerprint(g);
  return {first, places_.partner(first, fingerprint), fingerprint};
}

// Returns 0 if no lane is zero. Otherwise the lowest set bit of the result is the highest bit of
// the first zero lane. That is exact: only a zero lane borrows from the next lane, so the highest
// bits of all lanes before it stay clear.
inline std::uint64_t CuckooFilter::zero_lanes(std::uint64_t word) const noexcept {
  return (word - lows_) & ~word & highs_;
}

inline std::uint64_t CuckooFilter::match(std::uint64_t bit, std::uint64_t wanted) const noexcept {
  return zero_lanes(slots_.load(bit) ^ wanted);
}

// Always inlined, because a call would add a third of the time. The compiler would not inline it:
// it is long until the loads are folded.
[[gnu::always_inline]] inline bool CuckooFilter::is_in(const Home& home) const noexcept {
  if (words_ > 1) return is_in_words(home.first, home.second, home.fingerprint);
  const std::uint64_t wanted = lows_ * home.fingerprint;
  if (word_bits_ % 8 == 0) {  // then the loads need no shift
    const std::uint64_t bytes = word_bits_ / 8;
    return (match(home.first * bytes * 8, wanted) | match(home.second * bytes * 8, wanted)) != 0;
  }
  const std::uint64_t first = std::uint64_t{home.first} * word_bits_;
  const std::uint64_t second = std::uint64_t{home.second} * word_bits_;
  return (match(first, wanted) | match(second, wanted)) != 0;
}

TAMIS_INLINE bool CuckooFilter::may_contain(Hash hash) const noexcept {
  return is_in(home_of(hash));
}

}  // namespace tamis
