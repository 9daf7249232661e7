// tamis/detail/modulus.hpp - many remainders by the same divisor with only one division.
#pragma once

#include <cstdint>

#include <tamis/hash.hpp>

namespace tamis::detail {

// x mod n for any x; n >= 1. Barrett, CRYPTO 1986: with r = floor((2^64 - 1) / n), the quotient
// floor(x r / 2^64) is at most one too small.
class Modulus {
 public:
  explicit Modulus(std::uint64_t n) noexcept : n_(n), reciprocal_(~std::uint64_t{0} / n) {}

  [[nodiscard, gnu::always_inline]] std::uint64_t operator()(std::uint64_t x) const noexcept {
    return keep_below(x - mulhi(x, reciprocal_) * n_);
  }

  // x mod n for x < 2^32, with the high half of the reciprocal: floor((2^32 - 1) / n).
  [[nodiscard, gnu::always_inline]] std::uint64_t of_narrow(std::uint64_t x) const noexcept {
    return keep_below(x - (x * (reciprocal_ >> 32) >> 32) * n_);
  }

 private:
  [[nodiscard]] std::uint64_t keep_below(std::uint64_t rest) const noexcept {
    return rest >= n_ ? rest - n_ : rest;
  }

  std::uint64_t n_;
  std::uint64_t reciprocal_;
};

}  // namespace tamis::detail
